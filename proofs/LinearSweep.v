(** * The compiler's reverse sweep gives the paper's cotangents

    Code: crates/ad. Paper: Abadi and Plotkin, "A Simple Differentiable Programming Language", figure 6, theorem 6.1.

    Two ways lead from a trace to its cotangents. The paper makes a term for the derivative by each variable
    ([TraceTerms.reverse]). The compiler makes one linear part for all variables, by jvp and unzip, and transposes it
    ([Trace], [Unzip], [Transpose]).

    Modelled: [straight] writes a trace term as the compiler's trace, statement by statement. What a term names by a local
    definition is a place in scope. A pair's halves are parts of its place.

    Proved: [sweep_is_reverse]. Both ways give the same value, and the same cotangent for each variable. *)
From Coq Require Import Reals Psatz List.
From Pullback Require Import Ir Spaces Transpose Unzip Trace.
From Pullback Require TraceTerms.
Import ListNotations.
Open Scope R_scope.

(** ** Types of the paper are spaces *)
Fixpoint space_of (t : TraceTerms.ty) : space := match t with
  | TraceTerms.Real => Scalar
  | TraceTerms.Unit => Unit
  | TraceTerms.Pair a b => Pair (space_of a) (space_of b)
  end.

Fixpoint into (t : TraceTerms.ty) : TraceTerms.el t -> el (space_of t) := match t with
  | TraceTerms.Real => fun x => x
  | TraceTerms.Unit => fun x => x
  | TraceTerms.Pair a b => fun x => (into a (fst x), into b (snd x))
  end.

Fixpoint scope (g : list TraceTerms.ty) : space := match g with [] => Unit | t :: g => Pair (space_of t) (scope g) end.

Fixpoint into_scope (g : list TraceTerms.ty) : TraceTerms.env g -> el (scope g) := match g with
  | [] => fun r => r
  | t :: g => fun r => (into t (fst r), into_scope g (snd r))
  end.

Lemma into_zero t : into t (TraceTerms.zero t) = zero (space_of t).
Proof. induction t; simpl; congruence. Qed.

Lemma into_plus t : forall x y, into t (TraceTerms.plus t x y) = plus (space_of t) (into t x) (into t y).
Proof. induction t; simpl; intros; [reflexivity | reflexivity |]. now rewrite IHt1, IHt2. Qed.

Lemma into_dot t : forall x y, TraceTerms.dot t x y = dot (space_of t) (into t x) (into t y).
Proof. induction t; simpl; intros; [reflexivity | reflexivity |]. now rewrite IHt1, IHt2. Qed.

(** Spaces of terms have no arrays: an element is known by its products. *)
Lemma dot_determines t : forall x y : el (space_of t), (forall z, dot _ x (into t z) = dot _ y (into t z)) -> x = y.
Proof.
  induction t; simpl; intros x y H.
  - specialize (H 1). lra.
  - now destruct x, y.
  - destruct x as [x x'], y as [y y']. f_equal.
    + apply IHt1. intro z. specialize (H (z, TraceTerms.zero t2)). simpl in H. rewrite into_zero, !dot_zero_r in H. lra.
    + apply IHt2. intro z. specialize (H (TraceTerms.zero t1, z)). simpl in H. rewrite into_zero, !dot_zero_r in H. lra.
Qed.

(** ** Places *)

(** A part of a part. *)
Fixpoint within {t c} (p : place t c) : forall s, place s t -> place s c := match p with
  | Here => fun s q => q
  | First _ _ p => fun s q => First (within p s q)
  | Second _ _ p => fun s q => Second (within p s q)
  | At _ _ i inside p => fun s q => At i inside (within p s q)
  | Range _ _ lo len inside p => fun s q => Range lo len inside (within p s q)
  end.

Lemma read_within t c (p : place t c) : forall s (q : place s t) x, read (within p s q) x = read q (read p x).
Proof. induction p; simpl; auto. Qed.

(** [wider G H]: the scope [H] is [G] and what was bound after it. *)
Inductive wider (G : space) : space -> Type :=
  | Equal : wider G G
  | Bound s H (e : wider G H) : wider G (Pair s H).
Arguments Equal {G}. Arguments Bound {G}.

Fixpoint outer {G H} (e : wider G H) : el H -> el G := match e with
  | Equal => fun env => env
  | Bound _ _ e => fun env => outer e (snd env)
  end.

Fixpoint weaken {G H} (e : wider G H) s (p : place s G) : place s H := match e with
  | Equal => p
  | Bound _ _ e => Second (weaken e s p)
  end.

Fixpoint chain {G H K} (d : wider G H) (e : wider H K) : wider G K := match e with
  | Equal => d
  | Bound s _ e => Bound s _ (chain d e)
  end.

Lemma read_weaken G H (e : wider G H) s p : forall env, read (weaken e s p) env = read p (outer e env).
Proof. induction e; simpl; auto. Qed.

Lemma outer_chain G H K (d : wider G H) (e : wider H K) : forall env, outer (chain d e) env = outer d (outer e env).
Proof. induction e; simpl; auto. Qed.

(** A place for each variable of a term. *)
Fixpoint places (g : list TraceTerms.ty) (G : space) : Type := match g with
  | [] => unit
  | t :: g => (place (space_of t) G * places g G)%type
  end.

Fixpoint place_of {g G t} (v : TraceTerms.var g t) : places g G -> place (space_of t) G := match v with
  | TraceTerms.VZ _ _ => fun ps => fst ps
  | TraceTerms.VS _ _ _ v => fun ps => place_of v (snd ps)
  end.

Fixpoint weaken_all {g G H} (e : wider G H) : places g G -> places g H := match g with
  | [] => fun ps => ps
  | t :: g => fun ps => (weaken e _ (fst ps), weaken_all e (snd ps))
  end.

(** The places hold these values. *)
Fixpoint holds {g G} (env : el G) : places g G -> TraceTerms.env g -> Prop := match g with
  | [] => fun _ _ => True
  | t :: g => fun ps r => read (fst ps) env = into t (fst r) /\ holds env (snd ps) (snd r)
  end.

Lemma holds_place g G t (v : TraceTerms.var g t) : forall (env : el G) ps r, holds env ps r ->
  read (place_of v ps) env = into t (TraceTerms.look v r).
Proof. induction v; simpl; intros env ps r [H K]; [exact H | exact (IHv _ _ _ K)]. Qed.

Lemma holds_weaken g G H (e : wider G H) : forall (env : el H) (ps : places g G) r, holds (outer e env) ps r ->
  holds env (weaken_all e ps) r.
Proof.
  induction g; simpl; intros env ps r; [trivial|]. intros [E K]. split; [now rewrite read_weaken | now apply IHg].
Qed.

(** The variables are the scope. *)
Fixpoint variables (g : list TraceTerms.ty) : places g (scope g) := match g with
  | [] => tt
  | t :: g => (First Here, weaken_all (Bound _ _ Equal) (variables g))
  end.

Lemma holds_variables g : forall r, holds (into_scope g r) (variables g) r.
Proof.
  induction g; simpl; intro r; [trivial|]. split; [reflexivity|]. apply holds_weaken. simpl. apply IHg.
Qed.

(** ** Terms as traces *)
Section Operations.
Variable op : Type.
Variable value : op -> R -> R.
Variable prime : op -> op.
Notation term := (TraceTerms.term op).
Notation meaning := (TraceTerms.meaning op value).
Notation tangent := (TraceTerms.tangent op value prime).

(** Statements for a term, and then what [next] does with the place of its result. *)
Fixpoint straight {g u} (c : term g u) : forall G D, places g G ->
  (forall H, wider G H -> place (space_of u) H -> trace H D) -> trace G D := match c with
  | TraceTerms.Var _ _ v => fun G D ps next => next G Equal (place_of v ps)
  | TraceTerms.Const _ k => fun G D ps next => TConst _ Scalar _ k (next _ (Bound _ _ Equal) (First Here))
  | TraceTerms.Zero _ t => fun G D ps next => TMove _ _ _ (Zero _ (space_of t)) (next _ (Bound _ _ Equal) (First Here))
  | TraceTerms.Plus _ t c d => fun G D ps next => straight c G D ps (fun H e x =>
      straight d H D (weaken_all e ps) (fun K f y =>
        TMove _ _ _ (Plus _ (space_of t) (Tangent (weaken f _ x)) (Tangent y))
          (next _ (Bound _ _ (chain e f)) (First Here))))
  | TraceTerms.Mul _ c d => fun G D ps next => straight c G D ps (fun H e x =>
      straight d H D (weaken_all e ps) (fun K f y =>
        TBinary _ _ Rmult (fun _ b => b) (fun a _ => a) (weaken f _ x) y (next _ (Bound _ _ (chain e f)) (First Here))))
  | TraceTerms.Op _ o c => fun G D ps next => straight c G D ps (fun H e x =>
      TUnary _ _ (value o) (value (prime o)) x (next _ (Bound _ _ e) (First Here)))
  | TraceTerms.Let _ _ _ c d => fun G D ps next => straight c G D ps (fun H e x =>
      straight d H D (x, weaken_all e ps) (fun K f y => next K (chain e f) y))
  | TraceTerms.Star _ => fun G D ps next => TMove _ _ _ (Zero _ Unit) (next _ (Bound _ _ Equal) (First Here))
  | TraceTerms.Both _ t u c d => fun G D ps next => straight c G D ps (fun H e x =>
      straight d H D (weaken_all e ps) (fun K f y =>
        TMove _ _ _ (Con _ (space_of t) (space_of u) (Tangent (weaken f _ x)) (Tangent y))
          (next _ (Bound _ _ (chain e f)) (First Here))))
  | TraceTerms.Fst _ _ _ c => fun G D ps next => straight c G D ps (fun H e x => next H e (within x _ (First Here)))
  | TraceTerms.Snd _ _ _ c => fun G D ps next => straight c G D ps (fun H e x => next H e (within x _ (Second Here)))
  end.

(** The trace of a term whose variables are the inputs. *)
Definition trace_of {g u} (c : term g u) : trace (scope g) (space_of u) :=
  straight c (scope g) (space_of u) (variables g) (fun H _ x => TYield _ _ (Transpose.Value _ _ (Tangent x))).

(** It computes the value of the term, and forward mode of it the tangent. *)
Lemma straight_runs g u (c : term g u) : forall G D ps next (env denv : el G) r dr y dy,
  holds env ps r -> holds denv ps dr ->
  (forall H (e : wider G H) x (inner dinner : el H), outer e inner = env -> outer e dinner = denv ->
    read x inner = into u (meaning c r) -> read x dinner = into u (tangent c r dr) ->
    run_trace (next H e x) inner = y /\ snd (run_dual (jvp (next H e x)) inner dinner) = dy) ->
  run_trace (straight c G D ps next) env = y /\ snd (run_dual (jvp (straight c G D ps next)) env denv) = dy.
Proof.
  induction c; simpl; intros G D ps next env denv r dr y dy E DE N.
  - apply N; try reflexivity; now apply holds_place.
  - apply N; reflexivity.
  - apply N; simpl; try reflexivity; symmetry; apply into_zero.
  - apply (IHc1 _ _ _ _ _ _ r dr y dy E DE). intros H e x inner dinner O DO X DX. subst env denv.
    apply (IHc2 _ _ _ _ _ _ r dr y dy); try (now apply holds_weaken). intros K f z inner' dinner' O' DO' Z DZ.
    subst inner dinner. simpl. apply N; simpl; rewrite ?outer_chain, ?read_weaken; try reflexivity.
    + rewrite into_plus. congruence.
    + rewrite into_plus. congruence.
  - apply (IHc1 _ _ _ _ _ _ r dr y dy E DE). intros H e x inner dinner O DO X DX. subst env denv.
    apply (IHc2 _ _ _ _ _ _ r dr y dy); try (now apply holds_weaken). intros K f z inner' dinner' O' DO' Z DZ.
    subst inner dinner. simpl in *. apply N; simpl; rewrite ?outer_chain, ?read_weaken; try reflexivity.
    + congruence.
    + unfold mul. rewrite X, DX, Z, DZ. ring.
  - apply (IHc _ _ _ _ _ _ r dr y dy E DE). intros H e x inner dinner O DO X DX. subst env denv. simpl in *.
    apply N; simpl; try reflexivity.
    + congruence.
    + unfold mul. now rewrite X, DX.
  - apply (IHc1 _ _ _ _ _ _ r dr y dy E DE). intros H e x inner dinner O DO X DX. subst env denv.
    apply (IHc2 _ _ _ _ _ _ (meaning c1 r, r) (tangent c1 r dr, dr) y dy).
    + split; [exact X | now apply holds_weaken].
    + split; [exact DX | now apply holds_weaken].
    + intros K f z inner' dinner' O' DO' Z DZ. subst inner dinner. apply N; rewrite ?outer_chain; auto.
  - apply N; reflexivity.
  - apply (IHc1 _ _ _ _ _ _ r dr y dy E DE). intros H e x inner dinner O DO X DX. subst env denv.
    apply (IHc2 _ _ _ _ _ _ r dr y dy); try (now apply holds_weaken). intros K f z inner' dinner' O' DO' Z DZ.
    subst inner dinner. simpl. apply N; simpl; rewrite ?outer_chain, ?read_weaken; try reflexivity; congruence.
  - apply (IHc _ _ _ _ _ _ r dr y dy E DE). intros H e x inner dinner O DO X DX.
    simpl in x, X, DX. apply N; try assumption; rewrite read_within; simpl; [now rewrite X | now rewrite DX].
  - apply (IHc _ _ _ _ _ _ r dr y dy E DE). intros H e x inner dinner O DO X DX.
    simpl in x, X, DX. apply N; try assumption; rewrite read_within; simpl; [now rewrite X | now rewrite DX].
Qed.

Lemma trace_runs g u (c : term g u) r dr :
  run_trace (trace_of c) (into_scope g r) = into u (meaning c r) /\
  snd (run_dual (jvp (trace_of c)) (into_scope g r) (into_scope g dr)) = into u (tangent c r dr).
Proof.
  apply straight_runs with (r := r) (dr := dr); try apply holds_variables. simpl. auto.
Qed.

(** ** The two sweeps *)

(** The cotangents by the paper's terms, one for each variable, as an element of the scope. *)
Fixpoint all_of (g : list TraceTerms.ty) : (forall t, TraceTerms.var g t -> TraceTerms.el t) -> TraceTerms.env g :=
  match g with
  | [] => fun _ => tt
  | t :: g => fun f => (f t (TraceTerms.VZ _ _), all_of g (fun u v => f u (TraceTerms.VS _ _ _ v)))
  end.

Lemma over_dot g : forall f dr, TraceTerms.over g f dr = dot (scope g) (into_scope g (all_of g f)) (into_scope g dr).
Proof. induction g; simpl; intros f dr; [reflexivity|]. now rewrite IHg, into_dot. Qed.

Lemma look_all g t (v : TraceTerms.var g t) : forall f, TraceTerms.look v (all_of g f) = f t v.
Proof. induction v; simpl; intro f; [reflexivity|]. apply (IHv (fun u v => f u (TraceTerms.VS _ _ _ v))). Qed.

Lemma scope_determines g : forall x y : el (scope g),
  (forall z, dot _ x (into_scope g z) = dot _ y (into_scope g z)) -> x = y.
Proof.
  induction g; simpl; intros x y H.
  - now destruct x, y.
  - assert (Z : exists z, into_scope g z = zero (scope g)).
    { clear. induction g as [|t g [z E]]; [now exists tt|]. exists (TraceTerms.zero t, z). simpl.
      now rewrite into_zero, E. }
    destruct x as [x x'], y as [y y']. f_equal.
    + apply dot_determines. intro z. destruct Z as [w W]. specialize (H (z, w)). simpl in H.
      rewrite W, !dot_zero_r in H. lra.
    + apply IHg. intro z. specialize (H (TraceTerms.zero a, z)). simpl in H. rewrite into_zero, !dot_zero_r in H. lra.
Qed.

Theorem sweep_is_reverse g u (c : term g u) r w :
  let (result, linear) := unzip (jvp (trace_of c)) (into_scope g r) in
  result = into u (meaning c r) /\
  forall t (v : TraceTerms.var g t),
    read (place_of v (variables g)) (transpose_block linear (into u w) (zero (scope g))) =
    into t (meaning (TraceTerms.reverse op prime v c) (w, r)).
Proof.
  pose proof (fun dr => reverse_adjoint _ _ _ _ (jvp (trace_of c)) (into_scope g r) (into u w) (into_scope g dr)) as A.
  destruct (unzip (jvp (trace_of c)) (into_scope g r)) as [result linear].
  set (f := fun t (v : TraceTerms.var g t) => meaning (TraceTerms.reverse op prime v c) (w, r)).
  assert (E : transpose_block linear (into u w) (zero (scope g)) = into_scope g (all_of g f)).
  { apply scope_determines. intro dr. destruct (A dr) as [_ K]. destruct (trace_runs g u c r dr) as [_ T].
    rewrite K, T, <- into_dot, <- over_dot. symmetry. apply TraceTerms.reverse_adjoint. }
  split.
  - destruct (A r) as [V _]. rewrite V, jvp_value. exact (proj1 (trace_runs g u c r r)).
  - intros t v. rewrite E, (holds_place g _ t v _ _ _ (holds_variables g _)), look_all. reflexivity.
Qed.
End Operations.
