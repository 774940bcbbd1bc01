$ pullback repl < tests/cli/programs/prompt/first.txt
exit 0
> 6.0
> Real -> Real
! error[E0301]: expected `Real`, found `Bool`
!  --> <expression>:1:3
!   |
! 1 | f true
!   |   ^^^^ this is `Bool`
!   |
!   = note: argument 1 of `f` must be `Real`
!   = help: write `if c then 1.0 else 0.0` to turn a condition into a number
!

$ pullback repl < tests/cli/programs/prompt/no_text.txt
exit 0
> 4.0
> 9.0
! line 3 is no text in UTF-8, and is passed over

$ pullback repl < tests/cli/programs/prompt/definitions.txt
exit 0
> 12.0
> 13.0
> 13.0
> 1.0
> 1.0
> (a -> a) -> a -> a
> 5.0
> 3.0
> <function: Real -> Real>
> 81.0
> Rect 1.0 2.0
> 1.0
! warning[W0201]: the name `s` is not used
!  --> <prompt>:4:11
!   |
! 4 | def area (s: Shape): Real = 1.0
!   |           ^ nothing reads it
!   |
!   = help: leave it out, or write `_` or `_s`
!
! error[E0202]: unknown type `Shap`
!  --> <prompt>:4:14
!   |
! 4 | def area (s: Shap): Real = 2.0
!   |              ^^^^ no type has this name
!   |
!   = help: did you mean `Shape`?
!
! error[E0115]: the text ends where an expression should follow after the keyword `in`
!  --> <expression>:1:13
!   |
! 1 | let x = 1.0 in
!   |             ^^ an expression should follow this
!   |
!   = help: write the missing expression
!

$ pullback repl < tests/cli/programs/prompt/commands.txt
exit 0
> value: 8.0
> gradient:
>   x = 12.0
> [-1, 1]
> 2 pieces meet here:
>   1   above at <prompt>:2:31
>   -1   below at <prompt>:2:31
> by convention: 0, inside the hull
> value: [1.0, 8.0]
>   derivative by x: [3.0, 12.0]
>   change: at most 7.000000000000001
> 1 operation, 4 with the pullback of a cotangent (4.0 times)
> def cube.0 : Real -> Real =
>   \(x.0 : Real) -> pow_int x.0 3
> cube : Real -> Real
> cube : Real -> Real
> sin, built in
>
>   sin : Real -> Real
>
> Sine.
> ─── cube   ╴╴╴ cube'
>  3 ┤
>    │⠑⡄                                                                         ⠊
>    │  ⢠⡀                                                                    ⢀⡔
>    │   ⠑                                                                   ⡀⠈
>    │     ⢢⡀                                                               ⡔⠁
>  2 ┤      ⠁⢀                                                            ⡰
>    │        ⠱                                                         ⡀⠈
>    │          ⠳⡄                                                     ⠞⠁
>    │            ⠰⣄                                                ⢠⠞
>    │               ⢤⡀                                           ⡤⠂
>  1 ┤                ⠁⠠⣀                                      ⢀⠔             ⢀⡠⠖⠉
>    │                  ⠈ ⠦⡀                                 ⠴⠂            ⣀⠤⠚⠉
>    │                      ⠘⠢ ⡀                        ⢀⡀⠐⠋          ⣀⡠⠴⠒⠉
>    │                         ⠈⠁⠰⠤ ⣀              ⣀⡀⠠⠖ ⠁     ⣀⣀⣠⠤⠴⠒⠚⠉⠁
>  0 ┤                   ⢀⣀⣀⣀⡤⠤⠤⠤⠤⠤⠤⠬⠥⠼⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠛⠒⠓⠒⠒⠒⠒⠒⠒⠋⠉⠉⠉
>    │           ⢀⣀⡤⠤⠒⠒⠋⠉⠉
>    │       ⣠⠤⠒⠋⠉
>    │   ⣀⡴⠚⠉
>    │⣀⠴⠊⠁
> −1 ┤
>    └┬──────────────────┬──────────────────┬──────────────────┬─────────────────┬
>   −1.0               −0.5                 0                 0.5              1.0
>                                          x
> cube : Real -> Real
> size_of : Real -> Real
> -6.0
> -2.0
> -6.0
> A line is an expression, or it begins with `def`, `type` or `import`. `it` is the last value.
>   :type EXPR            the type of an expression
>   :grad CALL            value and gradient of a call, with respect to all its arguments
>   :clarke CALL          the derivatives of all smooth pieces that meet at a call's arguments
>   :bounds CALL X=[A,B]… what a call and its derivatives are where X is from A to B
>   :show NAME [STAGE]    a definition at a stage of the pipeline, `lambda` if none is named
>   :doc NAME             what is documented of a definition, a module or a built-in operation
>   :cost CALL            how many operations a call takes, alone and with its pullback
>   :time EXPR            the value of an expression, and how long it took
>   :plot NAME… [A B]     functions of a number from A to B, or arrays
>   :load FILE            a file in the place of all that is defined
>   :reload               the file anew, without what was defined since
>   :defs                 what is defined
>   :help                 this
>   :quit                 the end
! `:grad` takes a call of a definition, as in `:grad f 1.0`
! `:clarke` takes a call of a definition, as in `:clarke f 1.0`
! error[E0301]: expected `Real`, found `Bool`
!  --> <argument 1>:1:1
!   |
! 1 | true
!   | ^^^^ this is `Bool`
!   |
!   = note: argument 1 of `size_of` must be `Real`
!   = help: write `if c then 1.0 else 0.0` to turn a condition into a number
!
! 2 is above 1: the least number comes first
! `:bounds` takes a call of a definition and intervals, as in `:bounds f x=[0,1]`
! there is no command `:tipe`; did you mean `type` or `time`?
! `:type` wants more: `:type EXPR`
! error[E0301]: expected `Real`, found `Bool`
!  --> <expression>:1:6
!   |
! 1 | cube true
!   |      ^^^^ this is `Bool`
!   |
!   = note: argument 1 of `cube` must be `Real`
!   = help: write `if c then 1.0 else 0.0` to turn a condition into a number
!
! no file is loaded; `:load FILE` loads one
! error[E0801]: cannot read `tests/cli/programs/nowhere.pull`: no such file or directory
!  |
!  = help: check the path and its permissions
!
! warning[W0201]: the name `y` is not used
!   --> tests/cli/programs/calls.pull:23:22
!    |
! 23 | def constant (x: a) (y: b): a = x
!    |                      ^ nothing reads it
!    |
!    = help: leave it out, or write `_` or `_y`
!
! warning[W0201]: the name `n` is not used
!   --> tests/cli/programs/calls.pull:26:13
!    |
! 26 | def scaled (n: Int) (x: Real): Real = x
!    |             ^ nothing reads it
!    |
!    = help: leave it out, or write `_` or `_n`
!
! warning[W0201]: the name `y` is not used
!   --> tests/cli/programs/calls.pull:23:22
!    |
! 23 | def constant (x: a) (y: b): a = x
!    |                      ^ nothing reads it
!    |
!    = help: leave it out, or write `_` or `_y`
!

$ pullback repl tests/cli/programs/calls.pull --engine dual < tests/cli/programs/prompt/loaded.txt
exit 0
> 3.0
! warning[W0201]: the name `y` is not used
!   --> tests/cli/programs/calls.pull:23:22
!    |
! 23 | def constant (x: a) (y: b): a = x
!    |                      ^ nothing reads it
!    |
!    = help: leave it out, or write `_` or `_y`
!
