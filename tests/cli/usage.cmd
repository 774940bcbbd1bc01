$ pullback
exit 2
! A functional language in which every function can be differentiated
!
! Usage: pullback [OPTIONS] <COMMAND>
!
! Commands:
!   run         Evaluate a definition, or an expression
!   grad        Value and gradient of a Real-valued definition
!   vjp         Value of a definition, and the cotangents of its parameters for a cotangent of its
!               result
!   jvp         Value of a definition, and the tangent of its result for a tangent of its parameters
!   jacobian    The matrix of derivatives of all numbers of a definition by all numbers of its
!               parameters
!   hessian     The matrix of second derivatives of a Real-valued definition
!   plot        Draw functions with their derivatives, histories and heat maps, in the terminal or as
!               SVG
!   check-grad  Check the derivative of a definition at a point, by ways that know no derivative rule
!   clarke      The derivatives of all smooth pieces of a Real-valued definition that meet at a point
!               (Clarke's generalised gradient)
!   bounds      What a definition and its derivatives can be where numbers are in intervals, and how
!               much its results can change
!   check       Report every mistake in files
!   fmt         Format files in place; `-` formats standard input to standard output. Programs of
!               Knossos (`.ks`) too
!   test        Check the `--@` expectations in files, on every engine; of programs of Knossos, what
!               they print behind `TESTS FOLLOW`
!   explain     Explain a diagnostic by its code
!   doc         The reference of the library, of built-in operations, or of a file, made from their
!               comments
!   demo        Derive a derivative by linear maps, in the twelve stages of the working notes
!   show        Print a stage of the pipeline
!   build       Make a library for C of definitions and their derivatives: a C file or a shared
!               object, with a header and a manifest
!   dev         Watch the passes of the compiler: a program, or the text of a stage in a file that
!               ends in `.ir`
!   bench       Measure a definition and its derivatives: times, their ratios, operations, memory
!   repl        Evaluate lines: definitions and expressions, with commands such as `:type` and `:plot`
!               (`:help` lists them)
!   lsp         Serve an editor: the Language Server Protocol on standard input and output
!   gradbench   Take part in GradBench: answer the messages of its protocol, one a line, until the
!               input ends
!
! Options:
!       --color <WHEN>  Whether messages are coloured [default: auto] [possible values: auto, always,
!                       never]
!   -h, --help          Print help (see more with '--help')
!   -V, --version       Print version
!
! Examples:
!   pullback run  model.pull predict '{ w = 2.0, b = 1.0 }' 3.0
!   pullback grad model.pull loss --input data.json --wrt w,b --json
!   pullback test model.pull
!   pullback explain E0301
!
! Environment: CC is the C compiler of `--engine native`; PULLBACK_CACHE=off keeps no native code.
!
! Exit codes: 0 success; 1 the program or its input is wrong; 2 wrong usage, or a file that cannot be
! read; 70 a bug in Pullback itself.

$ pullback fly
exit 2
! error: unrecognized subcommand 'fly'
!
! Usage: pullback [OPTIONS] <COMMAND>
!
! For more information, try '--help'.

$ pullback run
exit 2
! error: the following required arguments were not provided:
!   <FILE>
!
! Usage: pullback run <FILE> [ENTRY] [ARG]...
!
! For more information, try '--help'.

$ pullback run nowhere.pull
exit 2
! error[E0801]: cannot read `nowhere.pull`: no such file or directory
!  |
!  = help: check the path and its permissions
!

$ pullback run examples
exit 2
! error[E0801]: cannot read `examples`: is a directory
!  |
!  = help: check the path and its permissions
!

$ pullback grad tests/stages/cube.pull
exit 2
! error: the following required arguments were not provided:
!   <ENTRY>
!
! Usage: pullback grad <FILE> <ENTRY> [ARG]...
!
! For more information, try '--help'.

$ pullback run tests/stages/cube.pull main 1.0 --max-memory 5Q
exit 2
! error: invalid value '5Q' for '--max-memory <SIZE>': write a number and K, M, G or T, such as 512M
!
! For more information, try '--help'.

$ pullback run tests/stages/cube.pull main 1.0 --timeout soon
exit 2
! error: invalid value 'soon' for '--timeout <TIME>': write a positive time, such as 10s or 500ms
!
! For more information, try '--help'.

$ pullback run tests/stages/cube.pull main 1.0 --timeout -5s
exit 2
! error: invalid value '-5s' for '--timeout <TIME>': a time must be positive, such as 10s or 500ms
!
! For more information, try '--help'.

$ pullback run tests/stages/cube.pull main 1.0 --timeout 0
exit 2
! error: invalid value '0' for '--timeout <TIME>': a time must be positive, such as 10s or 500ms
!
! For more information, try '--help'.

$ pullback run tests/stages/cube.pull main 1.0 --engine tarce
exit 2
! error[E0812]: there is no engine `tarce`
!  |
!  = help: did you mean `trace`?
!

$ pullback show tests/stages/cube.pull main --stage tokenz
exit 2
! error[E0813]: there is no stage `tokenz`
!  |
!  = help: did you mean `tokens`?
!

$ pullback explain E0304
exit 0
> # E0304: a type that contains itself
>
> No finite type fits: the value would have to be a part of itself.
>
> ```pull,fails
> def apply_itself f = f f
> ```
>
> Often an argument is missing or one too many. A structure that contains itself needs a declared type:
>
> ```pull
> type Chain = End | Link Real Chain
>
> def total (c: Chain): Real =
>   match c with
>   | End      -> 0.0
>   | Link x d -> x + total d
> ```

$ pullback explain E9999
exit 2
! error[E0814]: there is no diagnostic `E9999`
!  |
!  = help: codes look like E0301; every message begins with its code
!

$ pullback explain nonsense
exit 2
! error[E0814]: there is no diagnostic `NONSENSE`
!  |
!  = help: codes look like E0301; every message begins with its code
!

$ pullback show tests/cli/programs/strict.pull --stage trace
exit 2
! error[E0809]: there is no definition `main`
!  |
!  = note: this stage is that of one definition, `main` if none is named
!  = help: there are the definitions `quotient`, `power`, `real_power`, `cut`, `whole`, `above`, `largest`, `itself`, `cancel`, `steep`, `overflows`
!
