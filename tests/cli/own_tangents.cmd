$ pullback grad tests/cli/programs/turns.pull height 'Circle (0.6, 0.8)' 5.0
exit 0
> value: 4.0
> gradient:
>   c = 3.0
>   scale = 0.8

$ pullback grad tests/cli/programs/turns.pull height 'Circle (0.6, 0.8)' 5.0 --wrt c --json
exit 0
> {"value": 4.0, "gradient": {"c": 3.0}}

$ pullback jvp tests/cli/programs/turns.pull both '{ at = Circle (0.6, 0.8), far = 2.0, n = 3 }' --tangent '{ at = 1.0, far = 0.0, n = () }'
exit 0
> value: [1.2, 1.6]
> tangent: [-1.6, 1.2]

$ pullback vjp tests/cli/programs/turns.pull both '{ at = Circle (0.6, 0.8), far = 2.0, n = 3 }' --cotangent '[1.0, 0.0]'
exit 0
> value: [1.2, 1.6]
> pullback:
>   p = { at = -1.6, far = 0.6, n = () }

$ pullback jacobian tests/cli/programs/turns.pull both '{ at = Circle (0.6, 0.8), far = 2.0, n = 3 }'
exit 0
> [[-1.6, 0.6], [1.2, 0.8]]

$ pullback check-grad tests/cli/programs/turns.pull height 'Circle (0.6, 0.8)' 5.0
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = 1.1442658424413978, ⟨Jᵀ u, v⟩ = 1.1442658424413978
> direction 1: Taylor holds: the remainder shrinks like h^2.00
> direction 1: complex step holds: -2.3146747927727134 by the engine, -2.3146747927727134 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 0.016635574424069093, ⟨Jᵀ u, v⟩ = 0.0166355744240691
> direction 2: Taylor holds: the remainder shrinks like h^2.01
> direction 2: complex step holds: 0.16315737424120247 by the engine, 0.16315737424120247 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = -0.006567847459591892, ⟨Jᵀ u, v⟩ = -0.006567847459591936
> direction 3: Taylor holds: the remainder shrinks like h^2.00
> direction 3: complex step holds: 0.026141774546624585 by the engine, 0.026141774546624585 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = -1.8696332390159474, ⟨Jᵀ u, v⟩ = -1.8696332390159474
> direction 4: Taylor holds: the remainder shrinks like h^2.00
> direction 4: complex step holds: 2.947851934780699 by the engine, 2.947851934780699 by the complex step
> 12 checks in 4 directions: 12 hold

$ pullback run tests/cli/programs/turns.pull -e 'jvp squared (Circle (0.6, 0.8)) 1.0'
exit 0
> (Circle (-0.28000000000000014, 0.96), 2.0)

$ pullback run tests/cli/programs/turns.pull height 'Circle (0.6, 0.8)' 5.0
exit 0
> 4.0

$ pullback jvp tests/cli/programs/turns.pull squared 'Circle (0.6, 0.8)' --tangent 1.0
exit 0
> value: Circle (-0.28000000000000014, 0.96)
> tangent: 2.0

$ pullback vjp tests/cli/programs/turns.pull squared 'Circle (0.6, 0.8)' --cotangent 3.0
exit 0
> value: Circle (-0.28000000000000014, 0.96)
> pullback:
>   c = 6.0

$ pullback jacobian tests/cli/programs/turns.pull squared 'Circle (0.6, 0.8)'
exit 0
> [[2.0]]

$ pullback jvp tests/cli/programs/turns.pull around 'Circle (0.6, 0.8)' 0.5 --tangent '(1.0, 0.0)'
exit 0
> value: (Circle (-0.7059716343893394, 0.7082401086055808), 0.25)
> tangent: (2.0, 0.0)

$ pullback jvp tests/cli/programs/turns.pull around 'Circle (0.6, 0.8)' 0.5 --tangent 1.0 --wrt by --json
exit 0
> {"value": [{"Circle": [-0.7059716343893394, 0.7082401086055808]}, 0.25], "tangent": [1.0, 1.0]}

$ pullback vjp tests/cli/programs/turns.pull around 'Circle (0.6, 0.8)' 0.5 --cotangent '(1.0, 3.0)'
exit 0
> value: (Circle (-0.7059716343893394, 0.7082401086055808), 0.25)
> pullback:
>   c = 2.0000000000000004
>   by = 4.0

$ pullback jacobian tests/cli/programs/turns.pull around 'Circle (0.6, 0.8)' 0.5
exit 0
> [[2.0, 1.0], [0.0, 1.0]]

$ pullback check-grad tests/cli/programs/turns.pull around 'Circle (0.6, 0.8)' 0.5
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = 0.1281223233760623, ⟨Jᵀ u, v⟩ = 0.1281223233760623
> direction 1: Taylor holds: the remainder shrinks like h^2.00
> direction 1: complex step holds: -0.06512995203372197 by the engine, -0.06512995203372197 by the complex step in Real 1 of the result
> direction 2: dot product holds: ⟨u, J v⟩ = -0.4476442228552936, ⟨Jᵀ u, v⟩ = -0.4476442228552935
> direction 2: Taylor holds: the remainder shrinks like h^2.00
> direction 2: complex step holds: 0.5544256527339135 by the engine, 0.5544256527339135 by the complex step in Real 1 of the result
> direction 3: dot product holds: ⟨u, J v⟩ = -0.2493351945691547, ⟨Jᵀ u, v⟩ = -0.2493351945691547
> direction 3: Taylor holds: the remainder shrinks like h^2.00
> direction 3: complex step holds: -0.2461703435590642 by the engine, -0.2461703435590642 by the complex step in Real 1 of the result
> direction 4: dot product holds: ⟨u, J v⟩ = -0.08993289343544073, ⟨Jᵀ u, v⟩ = -0.08993289343544073
> direction 4: Taylor holds: the remainder shrinks like h^2.00
> direction 4: complex step holds: -0.013619146578569417 by the engine, -0.013619146578569417 by the complex step in Real 1 of the result
> 12 checks in 4 directions: 12 hold

$ pullback grad tests/cli/programs/turns.pull height --input tests/cli/programs/turns.json --arg scale=5.0
exit 0
> value: 4.0
> gradient:
>   c = 3.0
>   scale = 0.8

$ pullback jvp tests/cli/programs/turns.pull squared --input tests/cli/programs/turns.json --tangent 1.0
exit 0
> value: Circle (-0.28000000000000014, 0.96)
> tangent: 2.0

$ pullback jacobian tests/cli/programs/turns.pull tripled --input tests/cli/programs/turns_all.json
exit 0
> [[3.0, 0.0], [0.0, 3.0], [0.0, 9.0]]

$ pullback vjp tests/cli/programs/turns.pull tripled --input tests/cli/programs/turns_all.json --cotangent '{ all = [1.0, 10.0], last = 100.0 }' --json
exit 0
> {"value": {"all": [{"Circle": [-0.936, 0.35199999999999987]}, {"Circle": [1.0, 0.0]}], "last": 0.0}, "pullback": {"cs": [3.0000000000000004, 930.0]}}

$ pullback vjp tests/cli/programs/turns.pull tripled '[Circle (0.6, 0.8), Circle (1.0, 0.0)]' 3 --cotangent '{ all = [1.0, 10.0], last = 100.0 }' --engine curry-env --verbose
exit 0
> value: { all = [Circle (-0.936, 0.35199999999999987), Circle (1.0, 0.0)], last = 0.0 }
> pullback:
>   cs = [3.0000000000000004, 930.0]
! note: the engine `curry-env` answered

$ pullback jvp tests/cli/programs/turns.pull squared 'Circle (0.6, 0.8)' --tangent '(1.0, 0.0)'
exit 1
! error[E0301]: expected `Real`, found `(Real, Real)`
!  --> <tangent>:1:1
!   |
! 1 | (1.0, 0.0)
!   | ^^^^^^^^^^ this is `(Real, Real)`
!   |
!   = note: the tangent of this call must be `Real`
!

$ pullback check tests/cli/programs/turns.pull
exit 0
! 1 file checked: 0 errors, 0 warnings

$ pullback fmt --check tests/cli/programs/turns.pull
exit 0
