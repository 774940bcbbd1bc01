$ pullback grad tests/cli/programs/steps.pull last 0.5 --engine ir --max-memory 400K
exit 1
! error[E0709]: not enough memory: this needs 781 KiB
!  --> tests/cli/programs/steps.pull:2:61
!   |
! 2 | def last (x: Real): Real = loop y = x for i < 100000 do 1.1 * sin (y + real i)
!   |                                                             ^ this is too large
!   |
!   = note: the limit is 400 KiB, and 17 KiB are in use
!   = help: make it smaller, or raise the limit with `--max-memory`
!

$ pullback grad tests/cli/programs/steps.pull last 0.5 --engine ir --max-memory 400K --max-tape 100K
exit 0
> value: 0.8055993919693648
> gradient:
>   x = -0.0

$ pullback grad tests/cli/programs/steps.pull last 0.5 --max-memory 400K --max-tape 100K
exit 0
> value: 0.8055993919693648
> gradient:
>   x = -0.0

$ pullback grad tests/cli/programs/steps.pull last 0.5 --engine trace --max-tape 100K
exit 2
! error[E0812]: the engine `trace` has no checkpoints
!  |
!  = note: `--max-tape` chooses checkpoints in compiled code
!  = help: add `--engine ir`, or limit all memory by `--max-memory`
!

$ pullback grad tests/cli/programs/steps.pull last 0.5 --engine ir --max-tape 0
exit 2
! error: invalid value '0' for '--max-tape <SIZE>': there must be some memory
!
! For more information, try '--help'.

$ pullback dev tests/cli/programs/marked.pull marked --dump opt
exit 0
> fn @marked.0(x.0: f64) -> f64 {
>   t.1: f64 = mul(2.0, x.0)
>   t.2: f64 = mul(t.1, t.1)
>   t.3: f64 = add(t.2, 1.0)
>   yield t.3
> }

$ pullback dev tests/cli/programs/marked.pull slope --dump opt
exit 0
> fn @slope.0(x.0: f64) -> f64 {
>   t.1: f64 = mul(2.0, x.0)
>   bar.2: f64 = @`pull again function in marked`.1(t.1)
>   bar.3: f64 = mul(bar.2, 2.0)
>   yield bar.3
> }
>
> checkpoint fn @`pull again function in marked`.1(x.4: f64) -> f64 {
>   bar.5: f64 = add(x.4, x.4)
>   yield bar.5
> }
