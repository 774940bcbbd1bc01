$ pullback run tests/ad/dropped.pull case 47 --engine native
exit 0
> 50.0
