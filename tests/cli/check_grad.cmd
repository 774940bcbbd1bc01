$ pullback check-grad examples/gmm.pull objective --input examples/data/gmm.json
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = -21.46058055940909, ⟨Jᵀ u, v⟩ = -21.46058055940909
> direction 1: Taylor holds: the remainder shrinks like h^2.00
> direction 1: complex step holds: -46.850182262291995 by the engine, -46.85018226229198 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 16.849699237446295, ⟨Jᵀ u, v⟩ = 16.849699237446295
> direction 2: Taylor holds: the remainder shrinks like h^2.00
> direction 2: complex step holds: 34.49132285265398 by the engine, 34.49132285265397 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = -39.455788007492984, ⟨Jᵀ u, v⟩ = -39.45578800749299
> direction 3: Taylor holds: the remainder shrinks like h^2.00
> direction 3: complex step holds: 42.56669063624981 by the engine, 42.56669063624981 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = 30.379631839382174, ⟨Jᵀ u, v⟩ = 30.379631839382192
> direction 4: Taylor holds: the remainder shrinks like h^2.00
> direction 4: complex step holds: 42.83498699529949 by the engine, 42.83498699529949 by the complex step
> 12 checks in 4 directions: 12 hold

$ pullback check-grad tests/cli/programs/checks.pull cube 2
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = -2.2588135787726418, ⟨Jᵀ u, v⟩ = -2.258813578772642
> direction 1: Taylor holds: the remainder shrinks like h^2.00
> direction 1: complex step holds: 3.3113264796977315 by the engine, 3.3113264796977315 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 3.3368163170288576, ⟨Jᵀ u, v⟩ = 3.3368163170288576
> direction 2: Taylor holds: the remainder shrinks like h^2.00
> direction 2: complex step holds: -11.864465930307551 by the engine, -11.864465930307551 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.6159774405716963, ⟨Jᵀ u, v⟩ = 0.6159774405716963
> direction 3: Taylor holds: the remainder shrinks like h^2.00
> direction 3: complex step holds: 6.041346047545229 by the engine, 6.041346047545229 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = -13.693155609246693, ⟨Jᵀ u, v⟩ = -13.693155609246691
> direction 4: Taylor holds: the remainder shrinks like h^2.00
> direction 4: complex step holds: -20.828466933551887 by the engine, -20.828466933551887 by the complex step
> 12 checks in 4 directions: 12 hold

$ pullback check-grad tests/cli/programs/checks.pull cube 2 --engine dual
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = -2.2588135787726418, ⟨Jᵀ u, v⟩ = -2.258813578772642
> direction 1: Taylor holds: the remainder shrinks like h^2.00
> direction 1: complex step holds: 3.3113264796977315 by the engine, 3.3113264796977315 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 3.3368163170288576, ⟨Jᵀ u, v⟩ = 3.3368163170288576
> direction 2: Taylor holds: the remainder shrinks like h^2.00
> direction 2: complex step holds: -11.864465930307551 by the engine, -11.864465930307551 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.6159774405716963, ⟨Jᵀ u, v⟩ = 0.6159774405716963
> direction 3: Taylor holds: the remainder shrinks like h^2.00
> direction 3: complex step holds: 6.041346047545229 by the engine, 6.041346047545229 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = -13.693155609246693, ⟨Jᵀ u, v⟩ = -13.693155609246691
> direction 4: Taylor holds: the remainder shrinks like h^2.00
> direction 4: complex step holds: -20.828466933551887 by the engine, -20.828466933551887 by the complex step
> 12 checks in 4 directions: 12 hold

$ pullback check-grad tests/cli/programs/checks.pull wrong 0.7
exit 1
> direction 1: dot product holds: ⟨u, J v⟩ = -0.12730168421497742, ⟨Jᵀ u, v⟩ = -0.12730168421497742
> direction 1: Taylor FAILS: 0.1866189586482926 by the engine, 0.23394333757460117 by differences of values
> direction 1: complex step FAILS: 0.1866189586482926 by the engine, 0.23394333292063935 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 0.18805550890330802, ⟨Jᵀ u, v⟩ = 0.18805550890330802
> direction 2: Taylor FAILS: -0.6686547794085995 by the engine, -0.8382177501916885 by differences of values
> direction 2: complex step FAILS: -0.6686547794085995 by the engine, -0.8382177716625782 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.03471511166752237, ⟨Jᵀ u, v⟩ = 0.03471511166752237
> direction 3: Taylor FAILS: 0.3404767591294061 by the engine, 0.4268176667392254 by differences of values
> direction 3: complex step FAILS: 0.3404767591294061 by the engine, 0.42681766305890667 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = -0.7717156420770414, ⟨Jᵀ u, v⟩ = -0.7717156420770414
> direction 4: Taylor FAILS: -1.1738458388840791 by the engine, -1.4715192839503288 by differences of values
> direction 4: complex step FAILS: -1.1738458388840791 by the engine, -1.4715193454760915 by the complex step
> 12 checks in 4 directions: 4 hold, 8 FAIL
! error[E0821]: the derivative fails the Taylor check in direction 1: 0.1866189586482926 by the engine, 0.23394333757460117 by differences of values
!  --> tests/cli/programs/checks.pull:9:36
!   |
! 9 | def off_forwards (x: Real): Real = custom_jvp cube (\x dx -> (cube x, 2.0 * x * x * dx)) x
!   |                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this rule is wrong: without it the checks hold
!   |
!   = note: direction 1 is x = 0.0965803556578505
!   = help: compare the rule with the derivative of the function it is for
!

$ pullback check-grad tests/cli/programs/checks.pull both_wrong 0.7 2
exit 1
> direction 1: dot product holds: ⟨u, J v⟩ = 5.348755171798705, ⟨Jᵀ u, v⟩ = 5.348755171798705
> direction 1: Taylor FAILS: -10.819713662395026 by the engine, -16.229570388793945 by differences of values
> direction 1: complex step FAILS: -10.819713662395026 by the engine, -16.22957049359254 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 0.390980043719869, ⟨Jᵀ u, v⟩ = 0.39098004371986894
> direction 2: Taylor FAILS: 3.834630274127973 by the engine, 5.751945525407791 by differences of values
> direction 2: complex step FAILS: 3.834630274127973 by the engine, 5.75194541119196 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = -2.49316392367256, ⟨Jᵀ u, v⟩ = -2.49316392367256
> direction 3: Taylor FAILS: 9.923453551778415 by the engine, 14.885180354118347 by differences of values
> direction 3: complex step FAILS: 9.923453551778415 by the engine, 14.885180327667623 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = -3.800121212282709, ⟨Jᵀ u, v⟩ = -3.800121212282709
> direction 4: Taylor FAILS: 5.991653568335607 by the engine, 8.987480282783508 by differences of values
> direction 4: complex step FAILS: 5.991653568335607 by the engine, 8.987480352503411 by the complex step
> 12 checks in 4 directions: 4 hold, 8 FAIL
! error[E0821]: the derivative fails the Taylor check in direction 1: -10.819713662395026 by the engine, -16.229570388793945 by differences of values
!  --> tests/cli/programs/checks.pull:9:36
!   |
! 9 | def off_forwards (x: Real): Real = custom_jvp cube (\x dx -> (cube x, 2.0 * x * x * dx)) x
!   |                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this rule is wrong, and so is at least one before it
!   |
!   = note: direction 1 is x = 0.0965803556578505; y = -1.364295301367465
!   = help: compare the rule with the derivative of the function it is for
!

$ pullback check-grad tests/cli/programs/checks.pull nearly 0.7
exit 1
> direction 1: dot product holds: ⟨u, J v⟩ = -0.0968469550119843, ⟨Jᵀ u, v⟩ = -0.0968469550119843
> direction 1: Taylor holds: the remainder shrinks like h^2.12
> direction 1: complex step FAILS: 0.14197359606078294 by the engine, 0.14197312281704022 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 0.14306647647927753, ⟨Jᵀ u, v⟩ = 0.14306647647927756
> direction 2: Taylor FAILS: -0.5086906723918586 by the engine, -0.508688917150721 by differences of values
> direction 2: complex step FAILS: -0.5086906723918586 by the engine, -0.5086889767619361 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.026410120797954018, ⟨Jᵀ u, v⟩ = 0.026410120797954025
> direction 3: Taylor holds: the remainder shrinks like h^2.48
> direction 3: complex step FAILS: 0.2590235751975409 by the engine, 0.2590227117885016 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = -0.5870960037266075, ⟨Jᵀ u, v⟩ = -0.5870960037266075
> direction 4: Taylor FAILS: -0.8930234965111027 by the engine, -0.8930204743519425 by differences of values
> direction 4: complex step FAILS: -0.8930234965111027 by the engine, -0.8930205197760368 by the complex step
> 12 checks in 4 directions: 6 hold, 6 FAIL
! error[E0821]: the derivative fails the complex step check in direction 1: 0.14197359606078294 by the engine, 0.14197312281704022 by the complex step
!  --> tests/cli/programs/checks.pull:8:37
!   |
! 8 | def off (k: Real) (x: Real): Real = custom_vjp cube (\x -> (cube x, \g -> k * x * x * g)) x
!   |                                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this rule is wrong: without it the checks hold
!   |
!   = note: direction 1 is x = 0.0965803556578505
!   = help: compare the rule with the derivative of the function it is for
!

$ pullback check-grad tests/cli/programs/checks.pull kink 1
exit 1
> direction 1: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 1: Taylor FAILS: 0.0 by the engine, 0.2759438753128052 by differences of values
> direction 1: complex step holds: 0.0 by the engine, 0.0 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 2: Taylor FAILS: -0.0 by the engine, 0.98870550096035 by differences of values
> direction 2: complex step holds: -0.0 by the engine, 0.0 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 3: Taylor FAILS: 0.0 by the engine, 0.5034455060958862 by differences of values
> direction 3: complex step holds: 0.0 by the engine, 0.0 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 4: Taylor FAILS: -0.0 by the engine, 1.7357055842876434 by differences of values
> direction 4: complex step holds: -0.0 by the engine, 0.0 by the complex step
> 12 checks in 4 directions: 8 hold, 4 FAIL
! error[E0821]: the derivative fails the Taylor check in direction 1: 0.0 by the engine, 0.2759438753128052 by differences of values
!   --> tests/cli/programs/checks.pull:18:34
!    |
! 18 | def kink (x: Real): Real = 2.0 * abs (x - 1.0)
!    |                                  ^^^^^^^^^^^^^ the first place without a derivative
!    |
!    = note: direction 1 is x = 0.13797193665407215
!    = note: `abs` has no derivative at 0.0
!    = help: at such a point the derivative follows docs/language.md's table of conventions; check next to it
!

$ pullback check-grad tests/cli/programs/checks.pull kink 1.000000001
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = -0.18823446508595462, ⟨Jᵀ u, v⟩ = -0.18823446508595462
> direction 1: Taylor holds: exact to rounding
> direction 1: complex step holds: 0.2759438735840882 by the engine, 0.2759438735840882 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 0.27806802669713954, ⟨Jᵀ u, v⟩ = 0.27806802669713954
> direction 2: Taylor holds: the remainder shrinks like h^4.95
> direction 2: complex step holds: -0.9887054951810015 by the engine, -0.9887054951810015 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.05133145343230615, ⟨Jᵀ u, v⟩ = 0.05133145343230615
> direction 3: Taylor holds: exact to rounding
> direction 3: complex step holds: 0.5034455044655479 by the engine, 0.5034455044655479 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = -1.141096301911654, ⟨Jᵀ u, v⟩ = -1.141096301911654
> direction 4: Taylor holds: the remainder shrinks like h^5.00
> direction 4: complex step holds: -1.7357055795316962 by the engine, -1.7357055795316962 by the complex step
> 12 checks in 4 directions: 12 hold

$ pullback check-grad tests/cli/programs/checks.pull edge 0
exit 1
> direction 1: dot product not tried: the products are not finite
> direction 1: Taylor FAILS: inf by the engine, 3042.883489838995 by differences of values
> direction 1: complex step FAILS: inf by the engine, 2.4567426338399187e49 by the complex step
> direction 2: dot product not tried: the products are not finite
> direction 2: Taylor not tried: there are no values next to this point
> direction 2: complex step FAILS: -inf by the engine, -4.6503191382624973e49 by the complex step
> direction 3: dot product not tried: the products are not finite
> direction 3: Taylor FAILS: inf by the engine, 4110.088554812669 by differences of values
> direction 3: complex step FAILS: inf by the engine, 3.3183754209399774e49 by the complex step
> direction 4: dot product not tried: the products are not finite
> direction 4: Taylor not tried: there are no values next to this point
> direction 4: complex step FAILS: -inf by the engine, -6.161512219450837e49 by the complex step
> 12 checks in 4 directions: 6 FAIL, 6 not tried
! error[E0821]: the derivative fails the Taylor check in direction 1: inf by the engine, 3042.883489838995 by differences of values
!   --> tests/cli/programs/checks.pull:19:28
!    |
! 19 | def edge (x: Real): Real = sqrt x
!    |                            ^^^^^^ the first place without a derivative
!    |
!    = note: direction 1 is x = 0.13797193665407215
!    = note: `sqrt` has no derivative at 0.0
!    = help: at such a point the derivative follows docs/language.md's table of conventions; check next to it
!

$ pullback check-grad tests/cli/programs/checks.pull outside -1
exit 1
> the value is NaN here, and so is every derivative
! error[E0821]: the value is NaN here, and so is every derivative
!   --> tests/cli/programs/checks.pull:20:31
!    |
! 20 | def outside (x: Real): Real = log x + 1.0
!    |                               ^^^^^ the first place without a derivative
!    |
!    = note: `log` has no derivative at -1.0
!    = help: at such a point the derivative follows docs/language.md's table of conventions; check next to it
!

$ pullback check-grad tests/cli/programs/checks.pull origin 0 0
exit 1
> direction 1: dot product not tried: the products are not finite
> direction 1: Taylor FAILS: nan by the engine, 197435882.06072533 by differences of values
> direction 1: complex step not tried: the complex value is not finite
> direction 2: dot product not tried: the products are not finite
> direction 2: Taylor FAILS: nan by the engine, -56420636.15505922 by differences of values
> direction 2: complex step not tried: the complex value is not finite
> direction 3: dot product not tried: the products are not finite
> direction 3: Taylor FAILS: nan by the engine, -61907459.6765211 by differences of values
> direction 3: complex step not tried: the complex value is not finite
> direction 4: dot product not tried: the products are not finite
> direction 4: Taylor FAILS: nan by the engine, 64988839.04033657 by differences of values
> direction 4: complex step not tried: the complex value is not finite
> 12 checks in 4 directions: 4 FAIL, 8 not tried
! error[E0821]: the derivative fails the Taylor check in direction 1: nan by the engine, 197435882.06072533 by differences of values
!   --> tests/cli/programs/checks.pull:21:40
!    |
! 21 | def origin (y: Real) (x: Real): Real = atan2 y x
!    |                                        ^^^^^^^^^ the first place without a derivative
!    |
!    = note: direction 1 is y = 0.13797193665407215; x = -0.6821476506837325
!    = note: `atan2` has no derivative at 0.0, 0.0
!    = help: at such a point the derivative follows docs/language.md's table of conventions; check next to it
!

$ pullback check-grad tests/cli/programs/checks.pull model '{ w = [0.5, 0.25], steps = 2, on = true }' 0.3
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = 0.010801252891467746, ⟨Jᵀ u, v⟩ = 0.010801252891467748
> direction 1: Taylor holds: the remainder shrinks like h^2.00
> direction 1: complex step holds: -0.03840519967534872 by the engine, -0.03840519967534872 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = -0.012340924459123827, ⟨Jᵀ u, v⟩ = -0.012340924459123824
> direction 2: Taylor holds: the remainder shrinks like h^2.00
> direction 2: complex step holds: -0.018771607097837043 by the engine, -0.01877160709783704 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = -0.014436353496823932, ⟨Jᵀ u, v⟩ = -0.014436353496823935
> direction 3: Taylor holds: the remainder shrinks like h^2.00
> direction 3: complex step holds: 0.022761807876923154 by the engine, 0.022761807876923158 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = -0.01118951205845748, ⟨Jᵀ u, v⟩ = -0.011189512058457482
> direction 4: Taylor holds: the remainder shrinks like h^1.99
> direction 4: complex step holds: -0.041642449058605306 by the engine, -0.041642449058605306 by the complex step
> 12 checks in 4 directions: 12 hold

$ pullback check-grad tests/cli/programs/checks.pull model '{ w = [0.5, 0.25], steps = 2, on = true }' 0.3 --wrt x
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = -0.003446384059857283, ⟨Jᵀ u, v⟩ = -0.0034463840598572834
> direction 1: Taylor holds: the remainder shrinks like h^2.00
> direction 1: complex step holds: 0.005052255265268292 by the engine, 0.00505225526526829 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 0.005091146376023027, ⟨Jᵀ u, v⟩ = 0.005091146376023027
> direction 2: Taylor holds: the remainder shrinks like h^2.00
> direction 2: complex step holds: -0.018102204911991736 by the engine, -0.018102204911991732 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.0009398273732582597, ⟨Jᵀ u, v⟩ = 0.0009398273732582597
> direction 3: Taylor holds: the remainder shrinks like h^2.00
> direction 3: complex step holds: 0.009217581704841242 by the engine, 0.009217581704841242 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = -0.020892327576008066, ⟨Jᵀ u, v⟩ = -0.020892327576008066
> direction 4: Taylor holds: the remainder shrinks like h^2.00
> direction 4: complex step holds: -0.031779026434780845 by the engine, -0.03177902643478084 by the complex step
> 12 checks in 4 directions: 12 hold

$ pullback check-grad tests/cli/programs/checks.pull area '(Box 2 3)'
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = 1.6140885548014228, ⟨Jᵀ u, v⟩ = 1.6140885548014228
> direction 1: Taylor holds: the remainder shrinks like h^2.00
> direction 1: complex step holds: -3.2650542841779626 by the engine, -3.2650542841779626 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = -0.01806030453283651, ⟨Jᵀ u, v⟩ = -0.018060304532836524
> direction 2: Taylor holds: the remainder shrinks like h^2.00
> direction 2: complex step holds: -0.17713075547969748 by the engine, -0.17713075547969748 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.3172066343923066, ⟨Jᵀ u, v⟩ = 0.31720663439230645
> direction 3: Taylor holds: the remainder shrinks like h^2.00
> direction 3: complex step holds: -1.2625665215270567 by the engine, -1.2625665215270567 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = -3.2921303972963822, ⟨Jᵀ u, v⟩ = -3.292130397296382
> direction 4: Taylor holds: the remainder shrinks like h^2.00
> direction 4: complex step holds: 5.190704122445116 by the engine, 5.190704122445116 by the complex step
> 12 checks in 4 directions: 12 hold

$ pullback check-grad tests/cli/programs/checks.pull constant 3
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 1: Taylor holds: exact to rounding
> direction 1: complex step holds: 0.0 by the engine, 0.0 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 2: Taylor holds: exact to rounding
> direction 2: complex step holds: 0.0 by the engine, 0.0 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 3: Taylor holds: exact to rounding
> direction 3: complex step holds: 0.0 by the engine, 0.0 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 4: Taylor holds: exact to rounding
> direction 4: complex step holds: 0.0 by the engine, 0.0 by the complex step
> 12 checks in 4 directions: 12 hold

$ pullback check-grad tests/cli/programs/checks.pull rounded 3
exit 0
> the result holds no Reals: there is no derivative to check

$ pullback check-grad tests/cli/programs/checks.pull vector 0.5
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = -0.09821331385354681, ⟨Jᵀ u, v⟩ = -0.09821331385354681
> direction 1: Taylor holds: the remainder shrinks like h^2.00
> direction 1: complex step holds: 0.11373863336062971 by the engine, 0.11373863336062971 by the complex step in Real 1 of the result
> direction 2: dot product holds: ⟨u, J v⟩ = -0.11436956707737808, ⟨Jᵀ u, v⟩ = -0.11436956707737808
> direction 2: Taylor holds: the remainder shrinks like h^2.00
> direction 2: complex step holds: 0.20751032775516598 by the engine, 0.20751032775516598 by the complex step in Real 1 of the result
> direction 3: dot product holds: ⟨u, J v⟩ = -0.18322647627166017, ⟨Jᵀ u, v⟩ = -0.18322647627166017
> direction 3: Taylor holds: the remainder shrinks like h^2.00
> direction 3: complex step holds: -0.20711198832408895 by the engine, -0.20711198832408895 by the complex step in Real 1 of the result
> direction 4: dot product holds: ⟨u, J v⟩ = -0.16036011237638506, ⟨Jᵀ u, v⟩ = -0.16036011237638506
> direction 4: Taylor holds: the remainder shrinks like h^2.00
> direction 4: complex step holds: 0.14432634921109122 by the engine, 0.14432634921109122 by the complex step in Real 1 of the result
> 12 checks in 4 directions: 12 hold

$ pullback check-grad tests/cli/programs/checks.pull stops 1
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = -0.09411723244886008, ⟨Jᵀ u, v⟩ = -0.09411723244886008
> direction 1: Taylor holds: the remainder shrinks like h^2.01
> direction 1: complex step holds: 0.13797193665407215 by the engine, 0.13797193665407215 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 0.13903401320953573, ⟨Jᵀ u, v⟩ = 0.13903401320953573
> direction 2: Taylor not tried: there are no values next to this point
> direction 2: complex step holds: -0.49435274709614796 by the engine, -0.49435274709614796 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.025665726690487348, ⟨Jᵀ u, v⟩ = 0.025665726690487348
> direction 3: Taylor holds: the remainder shrinks like h^2.00
> direction 3: complex step holds: 0.2517227519810512 by the engine, 0.2517227519810512 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = -0.5705481503852788, ⟨Jᵀ u, v⟩ = -0.5705481503852788
> direction 4: Taylor not tried: there are no values next to this point
> direction 4: complex step holds: -0.8678527888979952 by the engine, -0.8678527888979952 by the complex step
> 12 checks in 4 directions: 10 hold, 2 not tried

$ pullback check-grad tests/cli/programs/checks.pull stops 0
exit 1
! error[E0708]: too small
!   --> tests/cli/programs/checks.pull:30:45
!    |
! 30 | def stops (x: Real): Real = if x < 1.0 then error "too small" else log x
!    |                                             ^^^^^^^^^^^^^^^^^ this stops the program
!    |
!    = note: the program itself checks this, with `assert` or `error`
!    = help: change the input so that the check holds
!

$ pullback check-grad tests/cli/programs/checks.pull apply exp 2
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = -1.3908750208814467, ⟨Jᵀ u, v⟩ = -1.3908750208814467
> direction 1: Taylor holds: the remainder shrinks like h^2.00
> direction 1: complex step holds: 2.0389647600300904 by the engine, 2.0389647600300904 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 2.0546602465294495, ⟨Jᵀ u, v⟩ = 2.054660246529449
> direction 2: Taylor holds: the remainder shrinks like h^2.00
> direction 2: complex step holds: -7.305600361907827 by the engine, -7.305600361907827 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.37929098867166544, ⟨Jᵀ u, v⟩ = 0.37929098867166544
> direction 3: Taylor holds: the remainder shrinks like h^2.00
> direction 3: complex step holds: 3.7199870715303875 by the engine, 3.7199870715303875 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = -8.431624580675894, ⟨Jᵀ u, v⟩ = -8.431624580675892
> direction 4: Taylor holds: the remainder shrinks like h^2.00
> direction 4: complex step holds: -12.825225885561412 by the engine, -12.825225885561412 by the complex step
> 12 checks in 4 directions: 12 hold

$ pullback check-grad tests/cli/programs/checks.pull solved '[1, 2]'
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = -0.014571694391327272, ⟨Jᵀ u, v⟩ = -0.014571694391327283
> direction 1: Taylor holds: exact to rounding
> direction 1: complex step holds: 0.3556422222659363 by the engine, 0.3556422222659363 by the complex step in Real 1 of the result
> direction 2: dot product holds: ⟨u, J v⟩ = -0.07515313002108226, ⟨Jᵀ u, v⟩ = -0.07515313002108229
> direction 2: Taylor holds: exact to rounding
> direction 2: complex step holds: 0.11024953217118191 by the engine, 0.11024953217118191 by the complex step in Real 1 of the result
> direction 3: dot product holds: ⟨u, J v⟩ = -0.41738149267183994, ⟨Jᵀ u, v⟩ = -0.41738149267184
> direction 3: Taylor holds: exact to rounding
> direction 3: complex step holds: -0.3557907171682102 by the engine, -0.3557907171682102 by the complex step in Real 1 of the result
> direction 4: dot product holds: ⟨u, J v⟩ = -0.39305891447739083, ⟨Jᵀ u, v⟩ = -0.39305891447739083
> direction 4: Taylor holds: exact to rounding
> direction 4: complex step holds: 0.3960640827868994 by the engine, 0.3960640827868994 by the complex step in Real 1 of the result
> 12 checks in 4 directions: 12 hold

$ pullback check-grad tests/cli/programs/checks.pull huge 1e300
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = -4.705861622443004e298, ⟨Jᵀ u, v⟩ = -4.705861622443004e298
> direction 1: Taylor holds: exact to rounding
> direction 1: complex step holds: 6.898596832703607e298 by the engine, 6.898596832703607e298 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 6.951700660476787e298, ⟨Jᵀ u, v⟩ = 6.951700660476787e298
> direction 2: Taylor holds: exact to rounding
> direction 2: complex step holds: -2.47176373548074e299 by the engine, -2.47176373548074e299 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 1.2832863345243675e298, ⟨Jᵀ u, v⟩ = 1.2832863345243675e298
> direction 3: Taylor holds: exact to rounding
> direction 3: complex step holds: 1.2586137599052562e299 by the engine, 1.2586137599052562e299 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = -2.852740751926394e299, ⟨Jᵀ u, v⟩ = -2.852740751926394e299
> direction 4: Taylor holds: exact to rounding
> direction 4: complex step holds: -4.339263944489976e299 by the engine, -4.339263944489976e299 by the complex step
> 12 checks in 4 directions: 12 hold

$ pullback check-grad tests/cli/programs/checks.pull wide '[1e-8, 1e8]'
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = 67444312.93993053, ⟨Jᵀ u, v⟩ = 67444312.93993054
> direction 1: Taylor holds: the remainder shrinks like h^2.00
> direction 1: complex step holds: -136429529.99877456 by the engine, -136429529.99877456 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 5133145.309421692, ⟨Jᵀ u, v⟩ = 5133145.309421692
> direction 2: Taylor holds: the remainder shrinks like h^2.00
> direction 2: complex step holds: 50344550.11496569 by the engine, 50344550.11496569 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = -33034232.71311008, ⟨Jᵀ u, v⟩ = -33034232.71311008
> direction 3: Taylor holds: the remainder shrinks like h^2.00
> direction 3: complex step holds: 131485006.19417772 by the engine, 131485006.1941777 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = -44713608.39867166, ⟨Jᵀ u, v⟩ = -44713608.39867166
> direction 4: Taylor holds: the remainder shrinks like h^1.99
> direction 4: complex step holds: 70499975.22424583 by the engine, 70499975.22424583 by the complex step
> 12 checks in 4 directions: 12 hold

$ pullback check-grad tests/cli/programs/checks.pull chaotic 1e300
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = 5.415374844695448e298, ⟨Jᵀ u, v⟩ = 5.415374844695448e298
> direction 1: Taylor not tried: rounding the argument changes the value as much as a step does
> direction 1: complex step not tried: the complex value is not finite
> direction 2: dot product holds: ⟨u, J v⟩ = -7.999824029048929e298, ⟨Jᵀ u, v⟩ = -7.999824029048929e298
> direction 2: Taylor not tried: rounding the argument changes the value as much as a step does
> direction 2: complex step not tried: the complex value is not finite
> direction 3: dot product holds: ⟨u, J v⟩ = -1.476770269100461e298, ⟨Jᵀ u, v⟩ = -1.476770269100461e298
> direction 3: Taylor not tried: rounding the argument changes the value as much as a step does
> direction 3: complex step not tried: the complex value is not finite
> direction 4: dot product holds: ⟨u, J v⟩ = 3.282854819347566e299, ⟨Jᵀ u, v⟩ = 3.282854819347566e299
> direction 4: Taylor not tried: rounding the argument changes the value as much as a step does
> direction 4: complex step not tried: the complex value is not finite
> the modes agree with each other, but nothing else could be compared here
> 12 checks in 4 directions: 4 hold, 8 not tried

$ pullback check-grad tests/cli/programs/checks.pull squared 1e200
exit 1
> direction 1: dot product not tried: the products are not finite
> direction 1: Taylor not tried: the value is not finite
> direction 1: complex step not tried: the complex value is not finite
> direction 2: dot product not tried: the products are not finite
> direction 2: Taylor not tried: the value is not finite
> direction 2: complex step not tried: the complex value is not finite
> direction 3: dot product not tried: the products are not finite
> direction 3: Taylor not tried: the value is not finite
> direction 3: complex step not tried: the complex value is not finite
> direction 4: dot product not tried: the products are not finite
> direction 4: Taylor not tried: the value is not finite
> direction 4: complex step not tried: the complex value is not finite
> 12 checks in 4 directions: 12 not tried
! error[E0821]: nothing can be checked here
!   --> tests/cli/programs/checks.pull:36:33
!    |
! 36 | def squared (x: Real): Real = x * x
!    |                                 ^ the first number that is not finite
!    |
!    = note: `*` at 1e200, 1e200 is inf
!

$ pullback check-grad tests/cli/programs/checks.pull cube 1e-300
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 1: Taylor holds: exact to rounding
> direction 1: complex step holds: 0.0 by the engine, 0.0 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 2: Taylor holds: exact to rounding
> direction 2: complex step holds: -0.0 by the engine, 0.0 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 3: Taylor holds: exact to rounding
> direction 3: complex step holds: 0.0 by the engine, 0.0 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 4: Taylor holds: exact to rounding
> direction 4: complex step holds: -0.0 by the engine, 0.0 by the complex step
> 12 checks in 4 directions: 12 hold

$ pullback check-grad tests/cli/programs/checks.pull nothing
exit 2
! error[E0811]: `nothing` has no parameter with Reals in it
!   --> tests/cli/programs/checks.pull:37:5
!    |
! 37 | def nothing: Real = 1.0
!    |     ^^^^^^^ defined here
!    |
!    = note: a derivative is taken with respect to parameters that hold Reals
!    = help: give the definition a parameter of type `Real`, or evaluate it with `pullback run`
!

$ pullback check-grad tests/cli/programs/checks.pull cube
exit 1
! error[E0827]: `cube` is not given `x`
!  --> tests/cli/programs/checks.pull:7:5
!   |
! 7 | def cube (x: Real): Real = x * x * x
!   |     ^^^^ every parameter needs a value
!   |
!   = help: give arguments after the name, by `--arg NAME=EXPR`, or by `--input FILE`
!

$ pullback check-grad tests/cli/programs/checks.pull cube 1 2
exit 1
! error[E0808]: `cube` takes 1 argument, but 2 are given
!  --> <argument 2>:1:1
!   |
! 1 | 2
!   | ^ this one is too many
!   |
!  ::: tests/cli/programs/checks.pull:7:5
!   |
! 7 | def cube (x: Real): Real = x * x * x
!   |     ---- defined here
!   |
!   = help: put an argument of several words in quotes: the shell splits at spaces
!

$ pullback check-grad tests/cli/programs/checks.pull cube '(1'
exit 1
! error[E0107]: this `(` is never closed
!  --> <argument 1>:1:1
!   |
! 1 | (1
!   | ^ - no `)` before this
!   | |
!   | opened here
!   |
!   = help: add the missing `)`
!

$ pullback check-grad tests/cli/programs/checks.pull cube true
exit 1
! error[E0301]: expected `Real`, found `Bool`
!  --> <argument 1>:1:1
!   |
! 1 | true
!   | ^^^^ this is `Bool`
!   |
!   = note: argument 1 of `cube` must be `Real`
!   = help: write `if c then 1.0 else 0.0` to turn a condition into a number
!

$ pullback check-grad tests/cli/programs/checks.pull cubes 1
exit 2
! error[E0809]: there is no definition `cubes`
!  |
!  = help: did you mean `cube`?
!

$ pullback check-grad tests/cli/programs/checks.pull cube 1 --wrt y
exit 2
! error[E0811]: `cube` has no parameter `y`
!  --> tests/cli/programs/checks.pull:7:5
!   |
! 7 | def cube (x: Real): Real = x * x * x
!   |     ^^^^ defined here
!   |
!   = help: there are the differentiable parameters `x`
!

$ pullback check-grad tests/cli/programs/checks.pull cube 1 --engine tarce
exit 2
! error[E0812]: there is no engine `tarce`
!  |
!  = help: did you mean `trace`?
!

$ pullback check-grad tests/cli/programs/checks.pull cube nan
exit 1
> the value is NaN here, and so is every derivative
! error[E0821]: the value is NaN here, and so is every derivative
!  --> tests/cli/programs/checks.pull:7:5
!   |
! 7 | def cube (x: Real): Real = x * x * x
!   |     ^^^^ checked here
!   |
!   = note: the argument holds NaN
!

$ pullback check-grad tests/cli/programs/checks.pull cube inf
exit 1
> direction 1: dot product not tried: the products are not finite
> direction 1: Taylor not tried: the value is not finite
> direction 1: complex step not tried: the complex value is not finite
> direction 2: dot product not tried: the products are not finite
> direction 2: Taylor not tried: the value is not finite
> direction 2: complex step not tried: the complex value is not finite
> direction 3: dot product not tried: the products are not finite
> direction 3: Taylor not tried: the value is not finite
> direction 3: complex step not tried: the complex value is not finite
> direction 4: dot product not tried: the products are not finite
> direction 4: Taylor not tried: the value is not finite
> direction 4: complex step not tried: the complex value is not finite
> 12 checks in 4 directions: 12 not tried
! error[E0821]: nothing can be checked here
!  --> tests/cli/programs/checks.pull:7:30
!   |
! 7 | def cube (x: Real): Real = x * x * x
!   |                              ^ the first number that is not finite
!   |
!   = note: `*` at inf, inf is inf
!

$ pullback check-grad tests/cli/programs/checks.pull
exit 2
! error: the following required arguments were not provided:
!   <ENTRY>
!
! Usage: pullback check-grad <FILE> <ENTRY> [ARG]...
!
! For more information, try '--help'.

$ pullback check-grad tests/cli/programs/checks.pull third_power 0
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 1: Taylor holds: the remainder shrinks like h^3.00
> direction 1: complex step holds: 0.0 by the engine, -3.4312721091921785e-203 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 2: Taylor holds: the remainder shrinks like h^3.00
> direction 2: complex step holds: -0.0 by the engine, 1.5783151842221104e-201 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 3: Taylor holds: the remainder shrinks like h^3.00
> direction 3: complex step holds: 0.0 by the engine, -2.0837724522828215e-202 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 4: Taylor holds: the remainder shrinks like h^3.00
> direction 4: complex step holds: -0.0 by the engine, 8.539276367731654e-201 by the complex step
> 12 checks in 4 directions: 12 hold

$ pullback check-grad tests/cli/programs/checks.pull scaled_power 1e250 0
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 1: Taylor holds: the remainder shrinks like h^3.00
> direction 1: complex step holds: 0.0 by the engine, 4.1468472888498503e49 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 2: Taylor holds: the remainder shrinks like h^3.00
> direction 2: complex step holds: 0.0 by the engine, -2.0837724522828213e48 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 3: Taylor holds: the remainder shrinks like h^3.00
> direction 3: complex step holds: 0.0 by the engine, -3.712116471662999e49 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 4: Taylor holds: the remainder shrinks like h^3.00
> direction 4: complex step holds: 0.0 by the engine, -5.722157082929658e48 by the complex step
> 12 checks in 4 directions: 12 hold

$ pullback check-grad tests/cli/programs/checks.pull scaled_power 1e-250 0 --wrt x
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 1: Taylor holds: the remainder shrinks like h^3.00
> direction 1: complex step holds: 0.0 by the engine, 0.0 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 2: Taylor holds: the remainder shrinks like h^3.00
> direction 2: complex step holds: -0.0 by the engine, 0.0 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 3: Taylor holds: the remainder shrinks like h^3.00
> direction 3: complex step holds: 0.0 by the engine, 0.0 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 4: Taylor holds: the remainder shrinks like h^3.00
> direction 4: complex step holds: -0.0 by the engine, 0.0 by the complex step
> 12 checks in 4 directions: 12 hold

$ pullback check-grad tests/cli/programs/checks.pull factors 0 0 0
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 1: Taylor holds: the remainder shrinks like h^3.00
> direction 1: complex step holds: 0.0 by the engine, -6.078395841300425e-202 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 2: Taylor holds: the remainder shrinks like h^3.00
> direction 2: complex step holds: 0.0 by the engine, 2.909929771330765e-202 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 3: Taylor holds: the remainder shrinks like h^3.00
> direction 3: complex step holds: 0.0 by the engine, 5.930936153374445e-202 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 4: Taylor holds: the remainder shrinks like h^3.00
> direction 4: complex step holds: 0.0 by the engine, -9.54812523728996e-202 by the complex step
> 12 checks in 4 directions: 12 hold

$ pullback check-grad tests/cli/programs/checks.pull all_factors '[0, 2, 0, 4]'
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 1: Taylor holds: the remainder shrinks like h^2.00
> direction 1: complex step holds: 0.0 by the engine, -6.867579600688958e-201 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 2: Taylor holds: the remainder shrinks like h^2.00
> direction 2: complex step holds: 0.0 by the engine, 7.840001000794363e-201 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 3: Taylor holds: the remainder shrinks like h^2.00
> direction 3: complex step holds: 0.0 by the engine, 8.783497148531784e-201 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 4: Taylor holds: the remainder shrinks like h^2.00
> direction 4: complex step holds: 0.0 by the engine, 8.62652053138854e-201 by the complex step
> 12 checks in 4 directions: 12 hold

$ pullback check-grad tests/cli/programs/checks.pull tiny 1e-250 1 --wrt x
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = -9.411723244886008e-252, ⟨Jᵀ u, v⟩ = -9.411723244886008e-252
> direction 1: Taylor holds: exact to rounding
> direction 1: complex step not tried: the derivative is too small for its digits to be compared
> direction 2: dot product holds: ⟨u, J v⟩ = 1.3903401320953575e-251, ⟨Jᵀ u, v⟩ = 1.3903401320953575e-251
> direction 2: Taylor holds: exact to rounding
> direction 2: complex step not tried: the derivative is too small for its digits to be compared
> direction 3: dot product holds: ⟨u, J v⟩ = 2.5665726690487347e-252, ⟨Jᵀ u, v⟩ = 2.566572669048735e-252
> direction 3: Taylor holds: exact to rounding
> direction 3: complex step not tried: the derivative is too small for its digits to be compared
> direction 4: dot product holds: ⟨u, J v⟩ = -5.705481503852788e-251, ⟨Jᵀ u, v⟩ = -5.705481503852788e-251
> direction 4: Taylor holds: exact to rounding
> direction 4: complex step not tried: the derivative is too small for its digits to be compared
> 12 checks in 4 directions: 8 hold, 4 not tried

$ pullback check-grad tests/cli/programs/checks.pull off_at_zero 1e-6 0 --wrt x
exit 1
> direction 1: dot product holds: ⟨u, J v⟩ = -9.411723244886007e-8, ⟨Jᵀ u, v⟩ = -9.411723244886007e-8
> direction 1: Taylor FAILS: 1.3797193665407214e-7 by the engine, 5.831932738830364e-19 by differences of values
> direction 1: complex step FAILS: 1.3797193665407214e-7 by the engine, -3.4312721091921785e-203 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 1.3903401320953575e-7, ⟨Jᵀ u, v⟩ = 1.3903401320953575e-7
> direction 2: Taylor FAILS: -4.94352747096148e-7 by the engine, -1.6766063179599154e-18 by differences of values
> direction 2: complex step FAILS: -4.94352747096148e-7 by the engine, 1.5783151842221104e-201 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 2.5665726690487347e-8, ⟨Jᵀ u, v⟩ = 2.5665726690487347e-8
> direction 3: Taylor holds: the remainder shrinks like h^5.39
> direction 3: complex step FAILS: 2.517227519810512e-7 by the engine, -2.0837724522828215e-202 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = -5.705481503852788e-7, ⟨Jᵀ u, v⟩ = -5.705481503852788e-7
> direction 4: Taylor holds: the remainder shrinks like h^3.34
> direction 4: complex step FAILS: -8.678527888979951e-7 by the engine, 8.539276367731654e-201 by the complex step
> 12 checks in 4 directions: 6 hold, 6 FAIL
! error[E0821]: the derivative fails the Taylor check in direction 1: 1.3797193665407214e-7 by the engine, 5.831932738830364e-19 by differences of values
!   --> tests/cli/programs/checks.pull:47:3
!    |
! 47 |   custom_vjp cube (\x -> (cube x, \g -> (3.0 * x * x + (if x == 0.0 then by else 0.0)) * g)) x
!    |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this rule is wrong: without it the checks hold
!    |
!    = note: direction 1 is x = 0.13797193665407215
!    = help: compare the rule with the derivative of the function it is for
!

$ pullback check-grad tests/cli/programs/checks.pull off_at_zero 1e-90 0 --wrt x
exit 1
> direction 1: dot product holds: ⟨u, J v⟩ = -9.411723244886008e-92, ⟨Jᵀ u, v⟩ = -9.411723244886008e-92
> direction 1: Taylor holds: the remainder shrinks like h^3.00
> direction 1: complex step FAILS: 1.3797193665407216e-91 by the engine, -3.4312721091921785e-203 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 1.3903401320953575e-91, ⟨Jᵀ u, v⟩ = 1.3903401320953572e-91
> direction 2: Taylor holds: the remainder shrinks like h^3.00
> direction 2: complex step FAILS: -4.94352747096148e-91 by the engine, 1.5783151842221104e-201 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 2.566572669048735e-92, ⟨Jᵀ u, v⟩ = 2.566572669048735e-92
> direction 3: Taylor holds: the remainder shrinks like h^3.00
> direction 3: complex step FAILS: 2.517227519810512e-91 by the engine, -2.0837724522828215e-202 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = -5.705481503852789e-91, ⟨Jᵀ u, v⟩ = -5.705481503852789e-91
> direction 4: Taylor holds: the remainder shrinks like h^3.00
> direction 4: complex step FAILS: -8.678527888979952e-91 by the engine, 8.539276367731654e-201 by the complex step
> 12 checks in 4 directions: 8 hold, 4 FAIL
! error[E0821]: the derivative fails the complex step check in direction 1: 1.3797193665407216e-91 by the engine, -3.4312721091921785e-203 by the complex step
!   --> tests/cli/programs/checks.pull:47:3
!    |
! 47 |   custom_vjp cube (\x -> (cube x, \g -> (3.0 * x * x + (if x == 0.0 then by else 0.0)) * g)) x
!    |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this rule is wrong: without it the checks hold
!    |
!    = note: direction 1 is x = 0.13797193665407215
!    = help: compare the rule with the derivative of the function it is for
!

$ pullback check-grad tests/cli/programs/checks.pull off_near_zero 1e-9
exit 1
> direction 1: dot product holds: ⟨u, J v⟩ = -9.41171383320041e-17, ⟨Jᵀ u, v⟩ = -9.411713833200411e-17
> direction 1: Taylor not tried: rounding the argument changes the value as much as a step does
> direction 1: complex step FAILS: 1.3797179868268738e-16 by the engine, 4.139158099622165e-28 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 1.390338741760787e-16, ⟨Jᵀ u, v⟩ = 1.390338741760787e-16
> direction 2: Taylor not tried: rounding the argument changes the value as much as a step does
> direction 2: complex step FAILS: -4.943522527453784e-16 by the engine, -1.4830582412884443e-27 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 2.5665701024863323e-17, ⟨Jᵀ u, v⟩ = 2.5665701024863326e-17
> direction 3: Taylor not tried: rounding the argument changes the value as much as a step does
> direction 3: complex step FAILS: 2.5172250025930614e-16 by the engine, 7.551682559431538e-28 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = -5.705475798394107e-16, ⟨Jᵀ u, v⟩ = -5.705475798394107e-16
> direction 4: Taylor not tried: rounding the argument changes the value as much as a step does
> direction 4: complex step FAILS: -8.678519210486778e-16 by the engine, -2.603558366693986e-27 by the complex step
> 12 checks in 4 directions: 4 hold, 4 FAIL, 4 not tried
! error[E0821]: the derivative fails the complex step check in direction 1: 1.3797179868268738e-16 by the engine, 4.139158099622165e-28 by the complex step
!   --> tests/cli/programs/checks.pull:49:3
!    |
! 49 |   custom_jvp cube (\x dx -> (cube x, (3.0 * x * x + 1e-6 / (1.0 + 1e12 * x * x)) * dx)) x
!    |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ this rule is wrong: without it the checks hold
!    |
!    = note: direction 1 is x = 1.3797193665407215e-10
!    = help: compare the rule with the derivative of the function it is for
!

$ pullback check-grad tests/cli/programs/checks.pull off_where_zero '[0, 2, 4]'
exit 1
> direction 1: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 1: Taylor FAILS: -0.0 by the engine, 1.1037754738820438 by differences of values
> direction 1: complex step FAILS: -0.0 by the engine, 1.1037754932325772 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 2: Taylor FAILS: 0.0 by the engine, 2.0137819928657446 by differences of values
> direction 2: complex step FAILS: 0.0 by the engine, 2.0137820158484097 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 3: Taylor FAILS: 0.0 by the engine, -2.009916360512019 by differences of values
> direction 3: complex step FAILS: 0.0 by the engine, -2.0099163346016784 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 4: Taylor FAILS: -0.0 by the engine, 1.4006136656550057 by differences of values
> direction 4: complex step FAILS: -0.0 by the engine, 1.400613692814705 by the complex step
> 12 checks in 4 directions: 4 hold, 8 FAIL
! error[E0821]: the derivative fails the Taylor check in direction 1: -0.0 by the engine, 1.1037754738820438 by differences of values
!   --> tests/cli/programs/checks.pull:51:3
!    |
! 51 | /   custom_vjp
! 52 | |     (\xs -> product xs)
! 53 | |     (\xs -> (product xs, \g -> map (\x -> if x == 0.0 then 0.0 else g * product xs / x) xs))
! 54 | |     xs
!    | |______^ this rule is wrong: without it the checks hold
!    |
!    = note: direction 1 is xs = 0.13797193665407215, -1.364295301367465, -1.9774109883845918
!    = help: compare the rule with the derivative of the function it is for
!

$ pullback check-grad tests/cli/programs/checks.pull off_where_zero '[0, 2, 0, 4]'
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 1: Taylor holds: the remainder shrinks like h^2.00
> direction 1: complex step holds: -0.0 by the engine, -6.867579600688958e-201 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 2: Taylor holds: the remainder shrinks like h^2.00
> direction 2: complex step holds: -0.0 by the engine, 7.840001000794363e-201 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 3: Taylor holds: the remainder shrinks like h^2.00
> direction 3: complex step holds: -0.0 by the engine, 8.783497148531784e-201 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = 0.0, ⟨Jᵀ u, v⟩ = 0.0
> direction 4: Taylor holds: the remainder shrinks like h^2.00
> direction 4: complex step holds: 0.0 by the engine, 8.62652053138854e-201 by the complex step
> 12 checks in 4 directions: 12 hold

$ pullback check-grad tests/cli/programs/led_there.pull slope 2.0
exit 0
> direction 1: dot product holds: ⟨u, J v⟩ = -0.18823446489772017, ⟨Jᵀ u, v⟩ = -0.18823446489772017
> direction 1: Taylor holds: exact to rounding
> direction 1: complex step not tried: no complex numbers pass a derivative inside the program, at tests/cli/programs/led_there.pull:7:29
> direction 2: dot product holds: ⟨u, J v⟩ = 0.27806802641907147, ⟨Jᵀ u, v⟩ = 0.27806802641907147
> direction 2: Taylor holds: exact to rounding
> direction 2: complex step not tried: no complex numbers pass a derivative inside the program, at tests/cli/programs/led_there.pull:7:29
> direction 3: dot product holds: ⟨u, J v⟩ = 0.051331453380974695, ⟨Jᵀ u, v⟩ = 0.051331453380974695
> direction 3: Taylor holds: exact to rounding
> direction 3: complex step not tried: no complex numbers pass a derivative inside the program, at tests/cli/programs/led_there.pull:7:29
> direction 4: dot product holds: ⟨u, J v⟩ = -1.1410963007705577, ⟨Jᵀ u, v⟩ = -1.1410963007705577
> direction 4: Taylor holds: exact to rounding
> direction 4: complex step not tried: no complex numbers pass a derivative inside the program, at tests/cli/programs/led_there.pull:7:29
> 12 checks in 4 directions: 8 hold, 4 not tried

$ pullback check-grad tests/cli/programs/checks.pull stairs 2
exit 1
> direction 1: dot product holds: ⟨u, J v⟩ = -0.7529378595908807, ⟨Jᵀ u, v⟩ = -0.7529378595908807
> direction 1: Taylor holds: the remainder shrinks like h^2.00
> direction 1: complex step holds: 1.1037754932325772 by the engine, 1.1037754932325772 by the complex step
> direction 2: dot product holds: ⟨u, J v⟩ = 1.1122721056762859, ⟨Jᵀ u, v⟩ = 1.1122721056762859
> direction 2: Taylor FAILS: the value jumps by -0.9999999999999999 next to this point
> direction 2: complex step holds: -3.9548219767691837 by the engine, -3.9548219767691837 by the complex step
> direction 3: dot product holds: ⟨u, J v⟩ = 0.20532581352389878, ⟨Jᵀ u, v⟩ = 0.20532581352389878
> direction 3: Taylor holds: the remainder shrinks like h^2.00
> direction 3: complex step holds: 2.0137820158484097 by the engine, 2.0137820158484097 by the complex step
> direction 4: dot product holds: ⟨u, J v⟩ = -4.564385203082231, ⟨Jᵀ u, v⟩ = -4.564385203082231
> direction 4: Taylor FAILS: the value jumps by -0.9999999999999997 next to this point
> direction 4: complex step holds: -6.942822311183962 by the engine, -6.942822311183962 by the complex step
> 12 checks in 4 directions: 10 hold, 2 FAIL
! error[E0821]: the derivative fails the Taylor check in direction 2: the value jumps by -0.9999999999999999 next to this point
!   --> tests/cli/programs/checks.pull:57:30
!    |
! 57 | def stairs (x: Real): Real = floor x + x ^ 2
!    |                              ^^^^^^^ the first place without a derivative
!    |
!    = note: direction 2 is x = -0.9887054941922959
!    = note: `floor` has no derivative at 2.0
!    = help: at such a point the derivative follows docs/language.md's table of conventions; check next to it
!
