$ pullback grad tests/ad/wide.pull squares 'rows 75' weights --wrt w --engine native
exit 0
> value: 34269.0
> gradient:
>   w = [4256.0, -7180.0, -1962.0, 8118.0, 400.0, -8110.0, 1200.0, 7958.0, -3610.0, -5806.0, 4736.0, 4256.0, -7180.0, -1962.0, 8118.0, 400.0, -8110.0, 1200.0, 7958.0, -3610.0]

$ pullback grad tests/ad/wide.pull squares 'rows 40' weights --wrt w --engine native
exit 0
> value: 18397.0
> gradient:
>   w = [2350.0, -3794.0, -1226.0, 4444.0, 192.0, -4280.0, 400.0, 4420.0, -2054.0, -2918.0, 2466.0, 2350.0, -3794.0, -1226.0, 4444.0, 192.0, -4280.0, 400.0, 4420.0, -2054.0]

$ pullback grad tests/ad/wide.pull triangle 'rows 75' weights --wrt w --engine native
exit 0
> value: 84750.0
> gradient:
>   w = [15916.0, 8380.0, 8650.0, 19146.0, 16086.0, 6466.0, 11736.0, 18080.0, 8778.0, 0.0, 11502.0, 15916.0, 8380.0, 8650.0, 19146.0, 16086.0, 6466.0, 11736.0, 18080.0, 8778.0]

$ pullback grad tests/ad/wide.pull leaky 'rows 75' weights --wrt w --engine native
exit 0
> value: 366.5
> gradient:
>   w = [15.0, -31.0, -11.0, 53.0, -4.0, -50.0, 14.0, 34.0, -23.0, -30.5, 33.5, 15.0, -31.0, -11.0, 53.0, -4.0, -50.0, 14.0, 34.0, -23.0]

$ pullback run tests/ad/wide.pull extremes 'rows 75' weights --engine native
exit 0
> (27.0, -25.0, 34)

$ pullback vjp tests/ad/wide.pull bins 'rows 40' weights --wrt w --cotangent '[1, 2, 3, 4, 5]' --engine native
exit 0
> value: [-7.0, 47.0, -53.0, 12.0, 22.0]
> pullback:
>   w = [27.0, 13.0, -34.0, 7.0, 15.0, -21.0, 20.0, 17.0, -19.0, -22.0, -3.0, 27.0, 13.0, -34.0, 7.0, 15.0, -21.0, 20.0, 17.0, -19.0]
