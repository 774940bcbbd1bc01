$ pullback grad tests/cli/programs/hygiene.pull f 3.0 4.0 --wrt x
$ pullback check-grad tests/cli/programs/hygiene.pull f 3.0 4.0 --wrt x
$ pullback vjp tests/cli/programs/hygiene.pull f 3.0 4.0 --wrt x --cotangent 2.0
$ pullback jvp tests/cli/programs/hygiene.pull f 3.0 4.0 --wrt y --tangent 2.0
$ pullback grad tests/cli/programs/hygiene.pull f 3.0 '4.0 + stop_gradient 5.0'
$ pullback test tests/cli/programs/hygiene.pull
$ pullback show tests/cli/programs/hygiene.pull f 3.0 4.0 --stage delta1
$ pullback grad tests/cli/programs/calls.pull constant 1.0 sin
$ pullback grad tests/cli/programs/calls.pull constant 1.0 sin --wrt y
