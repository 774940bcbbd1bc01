(** * The main statements, on one page

    Each is proved in the file that it is taken from; this page repeats what it says. [make check] compares what these
    statements assume with assumptions.txt. *)
From Coq Require Import Reals ZArith List.
From Coquelicot Require Import Coquelicot.
From Pullback Require ForwardMode DeltaTranslation Evaluation GeneralTypes Costs Levels TraceTerms Adequacy LinearMaps LinearMapLaws RepFunctions Erasure CurryLists LinearSweep.
From Pullback Require Reference Related Simulation ReferenceCorrect Rules Runs Frechet Powers ArrayLaws.
From Pullback Require Import Ir Spaces Transpose Unzip Trace Samples Table Values Rows RowsOfTwo RowsTogether Rewrites.
Import ListNotations.
Open Scope R_scope.

(** ** The compiler *)

(** Transposition: <L^T u, v> = <u, L v>, for all linear blocks: statements, branches, loops, calls. *)
Theorem transposition : forall G D (linear : block G D) (u : el D) (v : el G),
  dot G (transpose_block linear u (zero G)) v = dot D u (fst (run linear v)).
Proof. exact transpose_adjoint. Qed.

(** What is undefined in linear code, and nothing looks at, may be anything. *)
Theorem undefined : forall G s D (rest : block (Pair s G) D), looks_away rest -> forall (x : el s) u v,
  dot G (transpose_block (Let _ _ _ (Undef G s) rest) u (zero G)) v = dot D u (fst (run rest (x, v))).
Proof. exact undefined_is_any. Qed.

(** Unzip, then the linear part, is forward mode. *)
Theorem unzipping : forall A G B D (p : dual A G B D) a v,
  fst (unzip p a) = fst (run_dual p a v) /\ fst (run (snd (unzip p a)) v) = snd (run_dual p a v).
Proof. split; [apply unzip_values | apply unzip_tangents]. Qed.

(** Reverse mode as the compiler makes it is adjoint to forward mode. *)
Theorem reverse_mode : forall A G B D (p : dual A G B D) a (u : el D) (v : el G),
  let (value, linear) := unzip p a in
  value = fst (run_dual p a v) /\ dot G (transpose_block linear u (zero G)) v = dot D u (snd (run_dual p a v)).
Proof. exact reverse_adjoint. Qed.

(** A trace of smooth primitives: jvp, unzip and transpose give its value, and its derivative in each direction. *)
Theorem reverse_mode_of_a_trace : forall G D (p : trace G D) (env : R -> el G) t denv (u : el D),
  smooth p (env t) -> derives G env t denv ->
  let (value, linear) := unzip (jvp p) (env t) in
  value = run_trace p (env t) /\
  is_derive (fun t => dot D u (run_trace p (env t))) t (dot G (transpose_block linear u (zero G)) denv).
Proof. exact gradient. Qed.

(** The compiler's sweep and the paper's terms of figure 6 give the same value and cotangents for a trace term. *)
Theorem linear_sweep : forall op value prime g u (c : TraceTerms.term op g u) (r : TraceTerms.env g) (w : TraceTerms.el u),
  let (result, linear) := unzip (jvp (LinearSweep.trace_of op value prime c)) (LinearSweep.into_scope g r) in
  result = LinearSweep.into u (TraceTerms.meaning op value c r) /\
  forall t (v : TraceTerms.var g t),
    read (LinearSweep.place_of v (LinearSweep.variables g))
      (transpose_block linear (LinearSweep.into u w) (zero (LinearSweep.scope g))) =
    LinearSweep.into t (TraceTerms.meaning op value (TraceTerms.reverse op prime v c) (w, r)).
Proof. exact LinearSweep.sweep_is_reverse. Qed.

(** What the compiler made of a form is the model's transpose, so it is adjoint; [Samples] has one such line a form. *)
Theorem compiler_agrees : forall G D (b : block G D) push pull, agrees b push pull ->
  forall u v, dot G (pull u) v = dot D u (push v).
Proof. exact @agrees_adjoint. Qed.

(** The reference implementation. Its run with curves stops at ties, at edges of domains, and at rules of the program that
    are not trusted. What is trusted has to be right: where the function has a curve as its result, the rule gives its
    value and slope. Where the run gives a result, dual numbers give the value and the slope of that result; so do all
    runs close by, and the slope is the derivative. The program may have derivatives inside. *)
Theorem reference_implementation : forall lgamma polygamma (gamma : polygamma_derivatives lgamma polygamma) t0 globals
  trusted, ReferenceCorrect.rules_right lgamma polygamma gamma t0 globals trusted -> forall n e env f,
  let curves := Reference.Ground (ReferenceCorrect.strict lgamma polygamma gamma t0) trusted in
  let machine := Reference.ground (Reference.plain (ReferenceCorrect.reals lgamma polygamma)) in
  let value := ReferenceCorrect.at_point t0 f in
  Reference.eval globals curves n e env = Some (Reference.VReal f) ->
  (forall env', Forall2 (Related.related (ReferenceCorrect.as_dual t0) t0) env env' ->
    Reference.eval globals (Reference.Above machine) n e env' =
      Some (Reference.VReal (value t0, ReferenceCorrect.slope t0 f))) /\
  locally t0 (fun t => forall env', Forall2 (Related.related (ReferenceCorrect.as_number t0) t) env env' ->
    Reference.eval globals machine n e env' = Some (Reference.VReal (value t))) /\
  is_derive value t0 (ReferenceCorrect.slope t0 f).
Proof.
  intros lgamma polygamma gamma t0 globals trusted right n e env f.
  apply (ReferenceCorrect.reference_derivative lgamma polygamma gamma t0 globals trusted right).
Qed.

(** A program without rules has nothing to trust; and an example of a rule that is right. *)
Theorem reference_without_rules : forall lgamma polygamma gamma t0 globals,
  ReferenceCorrect.rules_right lgamma polygamma gamma t0 globals (fun _ _ _ _ _ => false).
Proof. exact Rules.no_rules. Qed.

Theorem rule_of_squares : forall lgamma polygamma gamma t0 globals,
  ReferenceCorrect.rules_right lgamma polygamma gamma t0 globals (Rules.trusts_square t0).
Proof. exact Rules.squares_right. Qed.

(** A strict run: the derivative of [x ^ 3.0] at -2. *)
Theorem cube_of_two : ltac:(let t := type of Runs.cube_of_two in exact t).
Proof. exact Runs.cube_of_two. Qed.

(** A derivative inside a program, [jvp] of a function [e] of one Real, is that of the function, whatever is inside it. *)
Theorem reference_inside : forall lgamma polygamma (gamma : polygamma_derivatives lgamma polygamma) globals trusted,
  ReferenceCorrect.rules_right lgamma polygamma gamma 0 globals trusted -> forall n e captured x dx f,
  let curves := Reference.Ground (ReferenceCorrect.strict lgamma polygamma gamma 0) trusted in
  let machine := Reference.ground (Reference.plain (ReferenceCorrect.reals lgamma polygamma)) in
  let value := ReferenceCorrect.at_point 0 f in
  Reference.eval globals curves n e
    (Reference.VReal (ReferenceCorrect.line x dx) :: map ReferenceCorrect.still captured) = Some (Reference.VReal f) ->
  Reference.eval globals machine (S (S n)) (Reference.EJvp (Reference.EVar 0) (Reference.EVar 1) (Reference.EVar 2))
    [Reference.VFun e captured; Reference.VReal x; Reference.VReal dx] =
    Some (Reference.VTuple [Reference.VReal (value 0); Reference.VReal (ReferenceCorrect.slope 0 f)]) /\
  locally 0 (fun t => Reference.eval globals machine n e (Reference.VReal (x + t * dx) :: captured) =
    Some (Reference.VReal (value t))) /\
  is_derive value 0 (ReferenceCorrect.slope 0 f).
Proof. exact ReferenceCorrect.inner_derivative. Qed.

Theorem reference_inside_reverse : ltac:(let t := type of ReferenceCorrect.inner_gradient in exact t).
Proof. exact ReferenceCorrect.inner_gradient. Qed.

(** An integer power is the products that the optimiser makes of it. Its other laws are in [Rewrites]. *)
Theorem repeated_squaring : forall polygamma x n, value2 polygamma PowInt x (IZR n) = by_squaring x n /\
  value2 polygamma PowSlope x (IZR n) = IZR n * by_squaring x (n - 1).
Proof. exact Rewrites.repeated_squaring. Qed.

(** Laws of the optimiser for arrays, sums and choices: those of most use; [ArrayLaws] has all. *)
Theorem reading_an_update : forall A (a : nat -> A) v i j,
  update1 a i v i = v /\ (i <> j -> update1 a i v j = a j).
Proof. exact @ArrayLaws.reading_an_update. Qed.

Theorem guarded_reduction : forall (p : bool) s x, (if p then s + x else s) = s + (if p then x else 0) /\
  (if p then s - x else s) = s - (if p then x else 0).
Proof. exact ArrayLaws.guarded_reduction. Qed.

Theorem sum_of_a_loop : forall n e s, loop_up n (fun i s => s + e i) s = s + sum n e.
Proof. exact ArrayLaws.sum_of_a_loop. Qed.

Theorem interchanged_loops : forall s c n m (p : nat -> nat -> place s c) (x : nat -> nat -> el s) acc,
  loop_up n (fun i => loop_up m (fun j => add_to (p i j) (x i j))) acc =
  loop_up m (fun j => loop_up n (fun i => add_to (p i j) (x i j))) acc.
Proof. exact @ArrayLaws.interchanged_loops. Qed.

(** ** The primitive table *)

(** A term of the table is the derivative, inside the domain of its row. *)
Theorem table_of_one : forall lgamma polygamma p x, polygamma_derivatives lgamma polygamma -> no_pole p x ->
  match row p with
  | Some (d, [Some t]) => inside lgamma polygamma true x 0 d ->
      is_derive (value1 lgamma polygamma p) x (term_value lgamma polygamma x 0 (value1 lgamma polygamma p x) t)
  | _ => True
  end.
Proof. exact rows_of_one. Qed.

Theorem table_of_two : forall lgamma polygamma p x y,
  match row p with
  | Some (d, [Some t; Some u]) =>
      (inside lgamma polygamma true x y d ->
       is_derive (fun x => value2 polygamma p x y) x (term_value lgamma polygamma x y (value2 polygamma p x y) t)) /\
      (inside lgamma polygamma false x y d ->
       is_derive (fun y => value2 polygamma p x y) y (term_value lgamma polygamma x y (value2 polygamma p x y) u))
  | _ => True
  end.
Proof. exact rows_of_two. Qed.

(** Both arguments move along curves: the chain rule, with the terms of the table. *)
Theorem table_of_two_together : forall lgamma polygamma p x y, covered p x ->
  match row p with
  | Some (d, [Some t; Some u]) => inside lgamma polygamma true x y d -> inside lgamma polygamma false x y d ->
      Trace.partials (value2 polygamma p) x y (term_value lgamma polygamma x y (value2 polygamma p x y) t)
        (term_value lgamma polygamma x y (value2 polygamma p x y) u)
  | _ => True
  end.
Proof. exact rows_together. Qed.

(** The same as a point of the plane: Fréchet differentiable, which Coquelicot calls [filterdiff]. *)
Theorem table_of_two_differentiable : forall lgamma polygamma p x y, covered p x ->
  match row p with
  | Some (d, [Some t; Some u]) => inside lgamma polygamma true x y d -> inside lgamma polygamma false x y d ->
      filterdiff (fun q : R * R => value2 polygamma p (fst q) (snd q)) (locally (x, y))
        (fun h => fst h * term_value lgamma polygamma x y (value2 polygamma p x y) t
          + snd h * term_value lgamma polygamma x y (value2 polygamma p x y) u)
  | _ => True
  end.
Proof. exact Frechet.rows_differentiable. Qed.

(** Powers whose base is not positive: what holds among the points that have a power, and of curves through them. *)
Theorem table_of_powers : ltac:(let t := type of Powers.power_differentiable in exact t).
Proof. exact Powers.power_differentiable. Qed.

Theorem powers_along_curves : forall lgamma polygamma x y,
  match row Pow with
  | Some (_, [Some t; Some u]) => Powers.goes_on x y ->
      forall (v w : R -> R) s dv dw, v s = x -> w s = y -> is_derive v s dv -> is_derive w s dw ->
      locally s (fun s => Powers.has_power (v s) (w s)) ->
      is_derive (fun s => pow (v s) (w s)) s
        (dv * term_value lgamma polygamma x y (pow x y) t + dw * term_value lgamma polygamma x y (pow x y) u)
  | _ => False
  end.
Proof. exact Powers.power_along. Qed.

Theorem negative_base_holds_the_exponent : forall x y, x < 0 -> y = floor y ->
  locally (x, y) (fun q => Powers.has_power (fst q) (snd q) -> fst q < 0 /\ snd q = y).
Proof. exact Powers.exponent_stays. Qed.

Theorem table_with_an_integer : forall lgamma polygamma p x n, polygamma_derivatives lgamma polygamma ->
  match row p with
  | Some (d, [Some t; None]) => inside lgamma polygamma true x (IZR n) d ->
      is_derive (fun x => value2 polygamma p x (IZR n)) x
        (term_value lgamma polygamma x (IZR n) (value2 polygamma p x (IZR n)) t)
  | Some (d, [None; Some u]) => (0 <= n)%Z -> inside lgamma polygamma false (IZR n) x d ->
      is_derive (fun x => value2 polygamma p (IZR n) x) x
        (term_value lgamma polygamma (IZR n) x (value2 polygamma p (IZR n) x) u)
  | _ => True
  end.
Proof. exact rows_with_an_integer. Qed.

(** ** Provably correct, asymptotically efficient, higher-order reverse-mode AD *)

Import ForwardMode DeltaTranslation Evaluation.

(** Proposition 2, for one input: the tangent of the translated term is the derivative. *)
Theorem proposition_2 : forall (e : ForwardMode.term (TR :: nil) TR) x,
  is_derive (fun t => ForwardMode.eval _ _ e (t, tt)) x (snd (ForwardMode.eval _ _ (forward _ _ e) ((x, 1), tt))).
Proof. exact forward_correct. Qed.

(** Theorem 8: a term and its monadic translation are related. *)
Theorem theorem_8 : forall a g0 g t (e : ForwardMode.term g t) w r s, V_context a g0 g w r s ->
  E a g0 t w (fun t => ForwardMode.eval _ _ e (r t)) (fun t => translate a _ _ e (s t)).
Proof. exact DeltaTranslation.fundamental. Qed.

(** Lemma 10: evaluating a delta, scaled by [x], adds [x] times its meaning. *)
Theorem lemma_10 : forall n v d, scoped n d -> forall x u,
  sum_below n (eval_delta x d u) v = sum_below n u v + x * interpret v d.
Proof. exact Evaluation.lemma_10. Qed.

(** Theorem 6: reverse mode gives the cotangent times each partial derivative. *)
Theorem theorem_6 : forall a (e : ForwardMode.term (reals a) TR) (x : nat -> R) (y_bar : R) (i : nat), (i < a)%nat ->
  is_derive (fun t => y_bar * ForwardMode.eval _ _ e (point a 0 (with_input i t x))) (x i) (reverse a e x y_bar i).
Proof. exact Evaluation.theorem_6. Qed.

(** Lemmas 3 and 4, theorem 5: bindings are at most six times as large as the run of the term has steps, and their
    evaluation takes one step for each of their nodes. *)
Theorem lemma_3 : forall a (e : ForwardMode.term (reals a) TR) x,
  let (y, n) := Costs.counted _ _ e (Costs.counted_point a 0 x) in
  y = ForwardMode.eval _ _ e (point a 0 x) /\ (Costs.total (snd (translate a _ _ e (dual_point a 0 x) nil)) <= 6 * n)%nat.
Proof. exact Costs.lemma_3. Qed.

Theorem lemma_4 : forall a s u, Costs.eval_binds_counted a s u = (eval_binds a s u, Costs.total s).
Proof. exact Costs.lemma_4. Qed.

Theorem theorem_5 : ltac:(let t := type of Costs.theorem_5 in exact t).
Proof. exact Costs.theorem_5. Qed.

(** Section 9: the same for inputs and results of any type without functions. *)
Theorem section_9_forward : forall S T (e : ForwardMode.term (GeneralTypes.ty S :: nil) (GeneralTypes.ty T)) x x',
  GeneralTypes.derives S x x' ->
  GeneralTypes.derives T (fun t => ForwardMode.eval _ _ e (x t, tt))
    (fun t => GeneralTypes.forward_derivative S T e (x t) (x' t)).
Proof. exact GeneralTypes.forward_general. Qed.

Theorem section_9_reverse : forall S T (e : ForwardMode.term (GeneralTypes.ty S :: nil) (GeneralTypes.ty T)) x x' dt,
  GeneralTypes.derives S x x' -> forall t,
  is_derive (fun t => GeneralTypes.dot T (ForwardMode.eval _ _ e (x t, tt)) dt) t
    (GeneralTypes.dot S (GeneralTypes.reverse_general S T e (x t) dt) (x' t)).
Proof. exact GeneralTypes.reverse_general_correct. Qed.

(** ** A simple differentiable programming language *)

(** Theorem 6.1: the term of figure 6 means the reverse derivative of a trace term, by any of its variables. *)
Theorem theorem_6_1 : forall op value prime, (forall o x, is_derive (value o) x (value (prime o) x)) ->
  forall g u t (v : TraceTerms.var g t) (c : TraceTerms.term op g u) r w,
  TraceTerms.gradient t u (fun x => TraceTerms.meaning op value c (TraceTerms.set v x r)) (TraceTerms.look v r) w
    (TraceTerms.meaning op value (TraceTerms.reverse op prime v c) (w, r)).
Proof. exact TraceTerms.theorem_6_1. Qed.

(** Proposition 3.5: ordinary evaluation goes by way of symbolic evaluation, *)
Theorem proposition_3_5 : ltac:(let t := type of Adequacy.interpolation in exact t).
Proof. exact Adequacy.interpolation. Qed.

(** theorem 6.2 (2): whose trace term means the same as the program on a neighbourhood. *)
Theorem theorem_6_2 : ltac:(let t := type of Adequacy.symbolic_correct in exact t).
Proof. exact Adequacy.symbolic_correct. Qed.

(** Theorems 6.2 (1) and 6.7: a program evaluates to a value if and only if it means that value. *)
Theorem adequacy : forall op value prime, (forall o x, is_derive (value o) x (value (prime o) x)) ->
  forall name parameter result body n g t (m : Adequacy.exp op name parameter result g t) r z,
  Adequacy.ordinary op value prime name parameter result body n m r = Some z <->
  Adequacy.means op value name parameter result body n m r z.
Proof. exact Adequacy.adequacy. Qed.

(** Nested derivatives: levels give the derivatives of mathematics. *)
Theorem no_confusion : forall e env, Levels.eval 0 e env = Levels.meaning e env.
Proof. exact Levels.no_confusion. Qed.

(** ** Working notes on automatic differentiation *)

(** Definition 2.1: the transpose by the laws of figure 5 is adjoint. *)
Theorem linear_maps : forall a b (m : LinearMaps.lm a b) t s,
  LinearMaps.dot a (LinearMaps.app b a (LinearMaps.tr a b m) t) s = LinearMaps.dot b t (LinearMaps.app a b m s).
Proof. exact LinearMaps.adjoint. Qed.

(** Theorem 2.2: a map is known by its products with all tangents. *)
Theorem theorem_2_2 : forall a b (m n : LinearMaps.lm a b),
  (forall s t, LinearMaps.dot b (LinearMaps.app a b m s) t = LinearMaps.dot b (LinearMaps.app a b n s) t) ->
  LinearMapLaws.same m n.
Proof. exact LinearMapLaws.theorem_2_2. Qed.

(** Section 2.2, figure 4, and two laws that it lacks. *)
Theorem vector_spaces : ltac:(let t := type of LinearMapLaws.vector_space in exact t).
Proof. exact LinearMapLaws.vector_space. Qed.

Theorem figure_4 : ltac:(let t := type of LinearMapLaws.figure_4 in exact t).
Proof. exact LinearMapLaws.figure_4. Qed.

Theorem more_laws : ltac:(let t := type of LinearMapLaws.more_laws in exact t).
Proof. exact LinearMapLaws.more_laws. Qed.

(** Figure 5: transposing twice, and accumulating before a map is applied. *)
Theorem figure_5 : forall a b (m : LinearMaps.lm a b),
  LinearMapLaws.same (LinearMaps.tr b a (LinearMaps.tr a b m)) m /\
  forall r s, LinearMaps.plus a (LinearMaps.rapp a b m r) (LinearMaps.rapp a b m s) = LinearMaps.rapp a b m (LinearMaps.plus b r s).
Proof. intros a b m. split; [apply LinearMapLaws.transpose_twice | apply LinearMapLaws.accumulate]. Qed.

(** ** The differentiable curry *)

(** Figure 5: curry and then eval give the value of the function and its cotangents. *)
Theorem curry_eval : ltac:(let t := type of RepFunctions.beta in exact t).
Proof. exact RepFunctions.beta. Qed.

(** Erasure: without the types of environment tangents, with casts, the run is the same; so no cast fails. *)
Theorem erasure : forall a b (e : Erasure.comb a b), Erasure.same_rep a b (Erasure.typed e) (Erasure.run e).
Proof. exact Erasure.erasure. Qed.

Theorem erasure_of_a_number : forall (e : Erasure.comb Erasure.real Erasure.real) (x g : R),
  let y := projT2 (Erasure.typed e) x in
  fst (Erasure.run e x) = projT1 y /\ exists env, snd (Erasure.run e x) g = Some (env, snd (projT2 y g)).
Proof. exact Erasure.erasure_of_a_number. Qed.

(** Figures 3 and 4: with lists of calls as tangents, curry and eval are inverse up to the equivalence of lists, *)
Theorem curry_lists : forall a b c, (forall f : CurryLists.rep (CurryLists.pair a b) c,
    CurryLists.same_rep (CurryLists.comp (CurryLists.fork (CurryLists.comp (CurryLists.first a b) (CurryLists.curry f))
      (CurryLists.second a b)) (CurryLists.eval b c)) f) /\
  (forall f : CurryLists.rep a (CurryLists.function b c),
    CurryLists.same_rep (CurryLists.curry (CurryLists.comp (CurryLists.fork (CurryLists.comp (CurryLists.first a b) f)
      (CurryLists.second a b)) (CurryLists.eval b c))) f).
Proof. split; intro f; [apply CurryLists.beta | apply CurryLists.eta]. Qed.

(** and programs that should be equal have equal pullbacks. *)
Theorem partial_application : ltac:(let t := type of CurryLists.partial_application in exact t).
Proof. exact CurryLists.partial_application. Qed.

Theorem forgetting : ltac:(let t := type of CurryLists.forgetting in exact t).
Proof. exact CurryLists.forgetting. Qed.

Theorem summing : ltac:(let t := type of CurryLists.summing in exact t).
Proof. exact CurryLists.summing. Qed.
