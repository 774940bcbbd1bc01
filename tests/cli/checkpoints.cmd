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

$ pullback grad tests/cli/programs/steps.pull last 0.5 --max-tape 100K
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
