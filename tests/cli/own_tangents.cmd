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
exit 1
! error[E0834]: a command does not take the derivative of a `Circle`
!   --> tests/cli/programs/turns.pull:16:5
!    |
! 16 | def squared (c: Circle): Circle =
!    |     ^^^^^^^ gives one
!    |
!    = note: its type names its tangent type, which `jvp`, `vjp` and `jacobian` in the program know
!    = help: ask for the derivative in an expression: `pullback run FILE -e 'jacobian f x'`
!

$ pullback check tests/cli/programs/turns.pull
exit 0
! 1 file checked: 0 errors, 0 warnings

$ pullback fmt --check tests/cli/programs/turns.pull
exit 0
