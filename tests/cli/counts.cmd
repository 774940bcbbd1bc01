$ pullback grad tests/cli/programs/iterated.pull iterated 10 0.5 --engine delta --counts
exit 0
> value: 6.12879786765263
> gradient:
>   x = -8.903556559975872
! note: the program alone and with its derivative, by count
!                       program             D¹               D²              D
! primitives                 30     93 (3.1 ×)  19482 (649.4 ×)    121 (4.0 ×)
! weight                    100    233 (2.3 ×)  19622 (196.2 ×)    261 (2.6 ×)
! calls and iterations       10     10 (1.0 ×)   7174 (717.4 ×)     74 (7.4 ×)
! nodes of deltas             0              0               51             31
! bytes                   19472  32352 (1.7 ×)  597072 (30.7 ×)  26592 (1.4 ×)
! bytes at once           18608  18818 (1.0 ×)    23506 (1.3 ×)  20544 (1.1 ×)

$ pullback jvp tests/cli/programs/iterated.pull iterated 1000 0.5 --engine dual --counts --tangent 1.0
exit 0
> value: 6.283185307179586
> tangent: -12.566370614359172
! note: the program alone and with its derivative, by count
!                       program             dual
! primitives               3000     8000 (2.7 ×)
! weight                  10000    22000 (2.2 ×)
! calls and iterations     1000     1000 (1.0 ×)
! bytes                   19472  220960 (11.3 ×)
! bytes at once           18608    26944 (1.4 ×)
