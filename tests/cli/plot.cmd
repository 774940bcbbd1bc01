$ pullback plot examples/newton.pull f --from -- -2 --to 2
exit 0
> ─── f   ╴╴╴ f'
> 10 ┤
>    │⠱⡄                                                                         ⠎
>    │ ⠁                                                                       ⢀
>    │  ⠘⡄                                                                    ⢠⠃
>    │   ⠘                                                                   ⡀
>    │     ⢦                                                                ⡴⠁
>    │     ⠈⠃                                                             ⢀ ⠁
>    │       ⠰⡀                                                          ⢀⠎     ⢠⠊
>  5 ┤        ⠘                                                         ⡀      ⡴⠃
>    │          ⠣⡀                                                     ⠜⠁    ⣠⠞
>    │           ⠁⢀                                                  ⡠     ⢀⠔⠁
>    │            ⠈⠣ ⣀⣠⠤⠤⠒⠒⠒⠒⠒⠒⠒⠦⠤⠤⣄⣀⡀                              ⠘⠁   ⣀⠔⠉
>    │           ⣀⠤⠒⠋⢧⡀              ⠉⠉⠓⠲⠤⣄⣀⡀                     ⡴⠃  ⢀⡠⠞⠁
>    │        ⢀⡴⠊⠁    ⠁⢠                    ⠉⠙⠒⠦⠤⣀⣀             ⡴ ⢀⣠⠤⠚⠉
>    │      ⣀⠜⠉         ⠙ ⡀                       ⠈⠉⠉⠒⠒⠲⠤⠤⠤⠤⠤⢤⡴⠚⠒⠉⠁
>    │    ⢀⠔⠁             ⠙⠆⢀                              ⣀ ⠋
>  0 ┤   ⡴⠃                 ⠈⠓ ⡀                        ⢀⡄⠘⠁
>    │ ⢠⠞                      ⠈⠃⠠⣀                  ⢀⠴ ⠁
>    │⡠⠃                            ⠓⠂⠠⢤ ⣀⡀⢀⣀ ⣀⡀⠠⠤ ⠚⠁
>    │
>    └┬──────────────────┬──────────────────┬──────────────────┬─────────────────┬
>    −2                 −1                  0                  1                 2
>                                          x

$ pullback plot examples/newton.pull f --from=-2 --to 2 --width 50 --height 14 --no-derivative
exit 0
> ─── f
>   │                                              ⣠
> 5 ┤                                             ⡴⠁
>   │                                           ⢀⡜⠁
>   │           ⣀⣀⣀⣀⣀⣀⡀                        ⡠⠋
>   │       ⣠⠴⠚⠉      ⠉⠉⠓⠲⠤⣄⡀                ⡠⠞⠁
>   │    ⢀⡴⠊                ⠈⠙⠒⠦⢤⣀⣀      ⣀⡤⠖⠋
>   │   ⣠⠊                        ⠈⠉⠉⠉⠉⠉⠉
> 0 ┤ ⢀⡜⠁
>   │⢀⠞
>   │⠋
>   └┬──────────┬───────────┬───────────┬──────────┬
>   −2         −1           0           1          2
>                          x

$ pullback plot tests/cli/programs/curves.pull inv --from -1 --to 1 --width 50 --height 12
exit 0
> ─── inv   ╴╴╴ inv'
>  200 ┤                      ⡆
>      │                      ⡇
>      │                      ⡇
>    0 ┤⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀         ⠱⢤⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀
>      │        ⠉ ⠉⠁⠈⠉⠉⠉⠉⠙⢯⠉⠙⢆   ⡴⠂⠈⠉ ⠉⠁⠈⠉ ⠉
>      │                     ⢸
>      │                    ⡇⢸ ⢸
> −200 ┤                    ⢇⠘ ⢸
>      └┬──────────┬──────────┬──────────┬─────────┬
>     −1.0       −0.5         0         0.5      1.0
>                            x

$ pullback plot tests/cli/programs/curves.pull lg --from -1 --to 1 --width 50 --height 12
exit 0
> ─── lg   ╴╴╴ lg'
> 20 ┤
>    │
>    │
>    │                         ⢧
>    │                         ⠈⠃⢀⡀
>    │                            ⠉ ⠒⠂⠰⠤ ⠤⠄⠠⠤ ⣀⡀⢀⣀ ⣀
>  0 ┤                       ⢀⣀⡤⠤⠤⠖⠒⠒⠒⠒⠒⠒⠒⠚⠉⠉⠉⠉⠉⠉⠉⠉⠉
>    │                       ⠏
>    └┬──────────┬───────────┬──────────┬──────────┬
>   −1.0       −0.5          0         0.5       1.0
>                           x

$ pullback plot tests/cli/programs/curves.pull pair --from 0 --to 6 --width 50 --height 12
exit 0
> ─── pair[0]   ─── pair[1]
>  1 ┤⠒⠦⠤⣄⡀  ⢀⣀⡤⠤⠖⠒⠤⠤⣄⡀                          ⢀⣠⠤
>    │    ⢉⡳⢶⣉        ⠉⠓⢤⡀                    ⢀⡴⠚⠉
>    │  ⢀⠴⠋  ⠈⠳⣄         ⠈⠳⣄                ⣠⠞⠉
>    │⣠⠞⠁       ⠑⢦⡀        ⠈⠑⢄⡀           ⡠⠚⠁
>  0 ┤⠁           ⠙⢦⡀         ⠙⢦⡀      ⢀⡴⠊         ⢀
>    │              ⠙⠢⣄         ⠙⠦⣄  ⣀⠴⠋         ⣀⠔⠋
>    │                ⠈⠓⠦⣀        ⣈⡷⢾⣁        ⣀⡴⠚⠁
> −1 ┤                   ⠈⠉⠓⠒⠦⠤⠒⠒⠉⠁  ⠈⠉⠒⠒⠦⠴⠒⠒⠉⠁
>    └┬──────────────┬──────────────┬──────────────┬
>     0              2              4              6
>                           x

$ pullback plot tests/cli/programs/curves.pull pair --from 0 --to 6 --width 50 --height 12 --color always
exit 0
> [34m───[0m pair[0]   [33m───[0m pair[1]
>  1 ┤[33m⠒⠦⠤⣄⡀[0m  [34m⢀⣀⡤⠤⠖⠒⠤⠤⣄⡀[0m                          [33m⢀⣠⠤[0m
>    │    [34m⢉⡳⢶⣉[0m        [34m⠉⠓⢤⡀[0m                    [33m⢀⡴⠚⠉[0m
>    │  [34m⢀⠴⠋[0m  [33m⠈⠳⣄[0m         [34m⠈⠳⣄[0m                [33m⣠⠞⠉[0m
>    │[34m⣠⠞⠁[0m       [33m⠑⢦⡀[0m        [34m⠈⠑⢄⡀[0m           [33m⡠⠚⠁[0m
>  0 ┤[34m⠁[0m           [33m⠙⢦⡀[0m         [34m⠙⢦⡀[0m      [33m⢀⡴⠊[0m         [34m⢀[0m
>    │              [33m⠙⠢⣄[0m         [34m⠙⠦⣄[0m  [33m⣀⠴⠋[0m         [34m⣀⠔⠋[0m
>    │                [33m⠈⠓⠦⣀[0m        [34m⣈⡷⢾⣁[0m        [34m⣀⡴⠚⠁[0m
> −1 ┤                   [33m⠈⠉⠓⠒⠦⠤⠒⠒⠉⠁[0m  [34m⠈⠉⠒⠒⠦⠴⠒⠒⠉⠁[0m
>    └┬──────────────┬──────────────┬──────────────┬
>     0              2              4              6
>                           x

$ pullback plot tests/cli/programs/curves.pull sc --arg a=9 --from 0 --to 1 --width 50 --height 12
exit 0
> ─── sc   ╴╴╴ sc'
>    │⠲⠄⢀                           ⠤⠄⠰⠤
>  5 ┤   ⠙ ⡀                     ⢠⠞      ⠱⠄
>    │     ⠑⡄                  ⢠⠆          ⠰⡄
>    │⣀⣀⣀⣠⠤⠤⠤⢤⡤⠤⠤⠤⢤⣀⣀⣀⡀        ⠋      ⣀⣀⣀⣠⠤⠤⠼⠤⠤⠤⠤⠤⣄⣀
>  0 ┤⠁       ⠑       ⠉⠉⠉⠙⠒⠒⢒⠞⠒⠒⠒⠒⠊⠉⠉⠉        ⠳⡀
>    │          ⢦⡀         ⡀⠈                  ⠁⢠
> −5 ┤           ⠁⢠⡀      ⠎                      ⠓ ⡀
>    │             ⠉ ⠢⠄⠐⠋                          ⠉
>    └┬──────────────────────┬─────────────────────┬
>     0                     0.5                  1.0
>                           x

$ pullback plot tests/cli/programs/curves.pull cst --from 0 --to 1 --width 50 --height 12
exit 0
> ─── cst   ╴╴╴ cst'
>   │⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒
>   │
> 2 ┤
>   │
>   │
>   │
>   │
> 0 ┤⠤⠄⠠⠤ ⠤⠄⠠⠤ ⠤⠄⠠⠤ ⠤⠄⠠⠤ ⠤⠄⠠⠤ ⠤⠄⠠⠤ ⠤⠄⠠⠤ ⠤⠄⠠⠤ ⠤⠄⠠⠤ ⠤⠄
>   └┬──────────────────────┬──────────────────────┬
>    0                     0.5                   1.0
>                          x

$ pullback plot tests/cli/programs/curves.pull two --from -1 --to 1 --from-y 0 --to-y 5 --width 50 --height 12
exit 0
> two: −4.91 · −2.94 ░ −0.981 ▒ 0.981 ▓ 2.94 █ 4.91
> 5 ┤········░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓▓▓███████
>   │······░░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓▓▓▓█████
>   │··░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓█
>   │░░░░░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓▓▓▓▓▓
>   │░░░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓▓▓▓▓▓▓
>   │░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▓▓▓▓▓
>   │▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
> 0 ┤▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
>   └┬──────────┬───────────┬───────────┬──────────┬
>  −1.0       −0.5          0          0.5       1.0
>                    x across, y up

$ pullback plot tests/cli/programs/curves.pull hole --from -1 --to 1 --width 50 --height 12
exit 0
> hole: −8.76 · −7.02 ░ −5.27 ▒ −3.52 ▓ −1.77 █ −0.0252
>  1 ┤                       ▒▒▓▓▓▓█████████████████
>    │                       ▒▒▓▓▓▓▓▓███████████████
>    │                       ░▒▒▓▓▓▓▓▓▓▓▓▓▓▓████████
>    │                       ··░░░░░░░░▒▒▒▒▒▒▒▒▒▒▒▒▒
>  0 ┤███████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒▒
>    │███████████████▓▓▓▓▓▓▓▒
>    │██████████████████▓▓▓▓▒
> −1 ┤███████████████████▓▓▓▓
>    └┬──────────┬───────────┬──────────┬──────────┬
>   −1.0       −0.5          0         0.5       1.0
>                     x across, y up

$ pullback plot tests/cli/programs/curves.pull hist --width 50 --height 12
exit 0
> ─── hist
> 3 ┤                               ⠒⠤⣀
>   │                                  ⠉⠒⠤⣀
>   │                                      ⠉⠒⠤⣀
>   │                                          ⠉⠒⠤⣀
> 2 ┤                                              ⠉
>   │
>   │
> 1 ┤⠄
>   └┬──────────────┬───────────────┬──────────────┬
>    0              1               2              3
>                        index

$ pullback plot tests/cli/programs/curves.pull lg inv --from 0.1 --to 2 --engine ir --points 30 --width 50 --height 12
exit 0
> ─── lg   ╴╴╴ lg'   ─── inv   ╴╴╴ inv'
>  10 ┤⢢
>     │ ⢣
>     │  ⠉⠒⠤⢄⣀⣀⡀
>   0 ┤        ⢈⣉⣉⣉⣉⣑⣒⣒⣒⣒⣒⣒⣒⠶⠶⠶⠶⣶⡶⢶⣶⠶⣤⡤⢤⣤⠤⣤⡤⢤⣤⠤⣤⡤⢤⣤⠤
>     │⠒⠒⠊⠉⠉⠉⠉⠉⠁ ⣀⡀⠠⠔ ⠒⠂⠈⠉ ⠉⠁⠈⠉
>     │       ⠠⠒
>     │     ⡰⠁
> −10 ┤     ⠁
>     └─────────┬───────────┬───────────┬──────────┬
>              0.5         1.0         1.5       2.0
>                           x

$ pullback plot tests/cli/programs/curves.pull lg --from 0.1 --to 2 --engine delta --points 20 --width 50 --height 12
exit 0
> ─── lg   ╴╴╴ lg'
> 10 ┤⢆
>    │⠈⠆
>    │
>    │  ⠘⢄
>    │     ⠢⠄⢀⡀
>    │        ⠈ ⠉⠁⠈⠑ ⠒⠂⠐⠤ ⠤⠄⠠⠤ ⠤⠄⢀⣀ ⣀⡀⢀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀
>  0 ┤    ⣀⣀⠤⠤⠤⠤⠤⠒⠒⠒⠒⠒⠒⠒⠒⠒⠊⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠁
>    │⠤⠒⠉⠉
>    └─────────┬───────────┬───────────┬───────────┬
>             0.5         1.0         1.5        2.0
>                           x

$ pullback plot tests/cli/programs/curves.pull vec --from 0 --to 1
exit 1
! error[E0828]: `vec` gives `(Real, Real)`, which is no curve
!  --> tests/cli/programs/curves.pull:6:5
!   |
! 6 | def vec (x: Real): (Real, Real) = (x, x)
!   |     ^^^ defined here
!   |
!   = note: a function of one number gives a number, or an array of numbers
!

$ pullback plot tests/cli/programs/curves.pull none --from 0 --to 1
exit 1
! error[E0828]: there is no finite value to draw
!  --> tests/cli/programs/curves.pull:7:5
!   |
! 7 | def none (x: Real): Real = nan
!   |     ^^^^ defined here
!   |
!   = note: each value in the range is NaN or infinite
!

$ pullback plot tests/cli/programs/curves.pull k --from 0 --to 1
exit 1
! error[E0828]: `n` of `k` is `Int`, which cannot vary
!  --> tests/cli/programs/curves.pull:8:5
!   |
! 8 | def k (n: Int): Real = real n
!   |     ^ defined here
!   |
!   = note: the parameter that is given nothing goes through a range of Reals
!   = help: give it a value: `--arg n=EXPR`
!

$ pullback plot tests/cli/programs/curves.pull pat --from 0 --to 1
exit 1
! error[E0828]: argument 1 of `pat` is `(Real, Real)`, which cannot vary
!   --> tests/cli/programs/curves.pull:16:5
!    |
! 16 | def pat ((a, b): (Real, Real)): Real = a * b
!    |     ^^^ defined here
!    |
!    = note: the parameter that is given nothing goes through a range of Reals
!

$ pullback plot tests/cli/programs/curves.pull bad --from 0 --to 1
exit 1
! error[E0708]: boom
!   --> tests/cli/programs/curves.pull:12:43
!    |
! 12 | def bad (x: Real): Real = if x > 0.5 then error "boom" else x
!    |                                           ^^^^^^^^^^^^ this stops the program
!    |
!    = note: the program itself checks this, with `assert` or `error`
!    = help: change the input so that the check holds
!

$ pullback plot tests/cli/programs/curves.pull num
exit 1
! error[E0828]: `num` is `Real`, which is no history
!   --> tests/cli/programs/curves.pull:15:5
!    |
! 15 | def num: Real = 2.0
!    |     ^^^ defined here
!    |
!    = note: without a parameter that varies, an array of numbers is drawn against its index
!

$ pullback plot tests/cli/programs/curves.pull hist --from 0 --to 1
exit 1
! error[E0828]: `hist` has no parameter left that could vary
!   --> tests/cli/programs/curves.pull:14:5
!    |
! 14 | def hist: []Real = [1.0, nan, 3.0, 2.0]
!    |     ^^^^ defined here
!    |
!    = note: `--from` and `--to` are its range
!

$ pullback plot tests/cli/programs/curves.pull lg hist two --from 0 --to 1
exit 1
! error[E0828]: `hist` has no parameter left that could vary
!   --> tests/cli/programs/curves.pull:14:5
!    |
! 14 | def hist: []Real = [1.0, nan, 3.0, 2.0]
!    |     ^^^^ defined here
!    |
!    = note: `--from` and `--to` are its range
!

$ pullback plot tests/cli/programs/curves.pull lg two --from 0 --to 1
exit 1
! error[E0828]: these do not go into one plot
!  |
!  = note: functions go with functions of one number, histories with histories, and a heat map stands alone
!

$ pullback plot tests/cli/programs/curves.pull lg
exit 1
! error[E0827]: `lg` is not given `x`
!  --> tests/cli/programs/curves.pull:4:5
!   |
! 4 | def lg (x: Real): Real = log x
!   |     ^^ every parameter needs a value
!   |
!   = help: give arguments after the name, by `--arg NAME=EXPR`, or by `--input FILE`
!

$ pullback plot tests/cli/programs/curves.pull lg --from 2 --to 1
exit 1
! error[E0828]: from 2.0 to 1.0 is no range
!  |
!  = note: the second number is the larger one
!

$ pullback plot tests/cli/programs/curves.pull nosuch --from 0 --to 1
exit 2
! error[E0809]: there is no definition `nosuch`
!  |
!  = help: there are the definitions `inv`, `lg`, `pair`, `vec`, `none`, `k`, `sc`, `two`, `cst`, `bad`, `hole`, `hist`, …
!

$ pullback plot tests/cli/programs/curves.pull lg --from 0
exit 2
! error: the following required arguments were not provided:
!   --to <B>
!
! Usage: pullback plot --from <A> --to <B> <FILE> <ENTRY>...
!
! For more information, try '--help'.

$ pullback plot tests/cli/programs/curves.pull lg --from zero --to 1
exit 1
! error[E0201]: unknown name `zero`
!  --> <range>:1:1
!   |
! 1 | zero
!   | ^^^^ not in scope
!   |
!   = help: did you mean `zeros`?
!

$ pullback plot tests/cli/programs/curves.pull lg --from 0 --to 1 -o target/a.png
exit 2
! error[E0818]: `target/a.png` does not end in `.svg`
!  |
!  = note: a plot is a drawing in the terminal, or a file of SVG
!

$ pullback plot tests/cli/programs/curves.pull cst --width 50 --height 10 --no-derivative --from=-pi --to '2 * pi'
exit 0
> ─── cst
> 4 ┤
>   │
>   │
>   │⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉
>   │
> 2 ┤
>   └───────────────┬────────────────────────┬──────
>                   0                        5
>                          x

$ pullback plot tests/cli/programs/curves.pull cst --width 50 --height 10 --no-derivative --from -half --to half
exit 0
> ─── cst
> 4 ┤
>   │
>   │
>   │⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉
>   │
> 2 ┤
>   └┬──────────────────────┬──────────────────────┬
>  −0.5                     0                    0.5
>                          x

$ pullback plot tests/cli/programs/curves.pull cst --width 50 --height 10 --no-derivative --from -- -2 --to 3/2
exit 0
> ─── cst
> 4 ┤
>   │
>   │
>   │⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉
>   │
> 2 ┤
>   └┬────────────┬────────────┬─────────────┬──────
>   −2           −1            0             1
>                          x

$ pullback plot tests/cli/programs/curves.pull cst --from 0 --to whole
exit 1
! error[E0301]: expected `Real`, found `Int`
!  --> <range>:1:1
!   |
! 1 | whole
!   | ^^^^^ this is `Int`
!   |
!   = note: what is asked for here is `Real`
!   = help: write `real n` to turn an Int into a Real
!

$ pullback plot tests/cli/programs/curves.pull cst --from 0 --to inf
exit 1
! error[E0828]: from 0.0 to inf is no range
!  |
!  = note: a range is finite
!

$ pullback plot tests/cli/programs/curves.pull cst --from 0 --to '1 +'
exit 1
! error[E0115]: the text ends where an expression should follow after `+`
!  --> <range>:1:3
!   |
! 1 | 1 +
!   |   ^ an expression should follow this
!   |
!   = help: write the missing expression
!

$ pullback plot tests/cli/programs/curves.pull cst --from 0 --to '[1.0][3]'
exit 1
! error[E0402]: the index 3 is out of range
!  --> <range>:1:7
!   |
! 1 | [1.0][3]
!   |       ^ this array has 1 element
!   |
!   = help: indices count from 0: the last element is at 0
!

$ pullback plot tests/cli/programs/curves.pull cst --from 1 --to half
exit 1
! error[E0828]: from 1.0 to 0.5 is no range
!  |
!  = note: the second number is the larger one
!

$ pullback plot tests/cli/programs/curves.pull two --width 50 --height 12 --from 0 --to pi --from-y=-pi --to-y '-pi / 2'
exit 0
> two: −9.78 · −7.83 ░ −5.88 ▒ −3.93 ▓ −1.98 █ −0.031
>    │█████████████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒▒▒▒▒
>    │███████████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒░
> −2 ┤██████████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒▒▒▒▒░░░░░
>    │█████████████▓▓▓▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒▒▒▒░░░░░░░░░
>    │████████████▓▓▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒▒▒░░░░░░░░░░░·
>    │███████████▓▓▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒▒░░░░░░░░░░····
>    │██████████▓▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒▒░░░░░░░░░░······
> −3 ┤██████████▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒░░░░░░░░░·········
>    └┬─────────────┬──────────────┬─────────────┬──
>     0             1              2             3
>                     x across, y up
