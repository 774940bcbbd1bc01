$ pullback grad tests/cli/programs/turns.pull height 'Circle (0.6, 0.8)' 5.0

$ pullback grad tests/cli/programs/turns.pull height 'Circle (0.6, 0.8)' 5.0 --wrt c --json

$ pullback jvp tests/cli/programs/turns.pull both '{ at = Circle (0.6, 0.8), far = 2.0, n = 3 }' --tangent '{ at = 1.0, far = 0.0, n = () }'

$ pullback vjp tests/cli/programs/turns.pull both '{ at = Circle (0.6, 0.8), far = 2.0, n = 3 }' --cotangent '[1.0, 0.0]'

$ pullback jacobian tests/cli/programs/turns.pull both '{ at = Circle (0.6, 0.8), far = 2.0, n = 3 }'

$ pullback check-grad tests/cli/programs/turns.pull height 'Circle (0.6, 0.8)' 5.0

$ pullback run tests/cli/programs/turns.pull -e 'jvp squared (Circle (0.6, 0.8)) 1.0'

$ pullback run tests/cli/programs/turns.pull height 'Circle (0.6, 0.8)' 5.0

$ pullback jvp tests/cli/programs/turns.pull squared 'Circle (0.6, 0.8)' --tangent 1.0

$ pullback check tests/cli/programs/turns.pull

$ pullback fmt --check tests/cli/programs/turns.pull
