(** * Unzipping a derivative keeps what it computes

    Code: crates/ad/src/jvp.rs gives what is unzipped; crates/ad/src/split.rs and unzip.rs unzip it.
    Papers: "Working notes on automatic differentiation", section 6.1 (the halves revf and revr).

    Modelled: what jvp makes, a [dual] program, in which statements about values and linear statements about tangents
    alternate. Values are of any type. A linear statement mentions values as factors, indices and conditions.
    [run_dual] runs both together, as forward mode does. [unzip] runs the values alone and gives, beside the values of
    the results, the linear part as a [block] of [Transpose]: its factors are what the values were. So what the
    compiler saves as residuals, or computes again, is here what a block mentions. A loop runs all its iterations for
    the values first and leaves a block for each.

    Proved: [unzip_values] and [unzip_tangents], that both halves together give what forward mode gives; and
    [reverse_adjoint], that the transpose of the linear part is adjoint to the tangents of forward mode: this is the
    path from [jvp] through [unzip] and [transpose]. *)
From Coq Require Import Reals Psatz Arith Lia Bool FunctionalExtensionality.
From Pullback Require Import Ir Spaces Transpose.
Open Scope R_scope.

(** [dual A G B D]: with values of type [A] and tangents [G] in scope, it gives values [B] and tangents [D].
    - [DYield]: results.
    - [DValue]: a statement about values.
    - [DLinear]: a linear statement, whose factors depend on the values.
    - [DIf] and [DMatch]: a branch on a value, of values and tangents.
    - [DLoop]: [n] iterations with states of both kinds; each also gives tangents to collect. What iterations collect
      of values is a state here.
    - [DCall]: a function of values and tangents.
    - [DCustom]: a function with the user's own derivative: its value is a [DValue] before, its tangent is the map whose
      transpose is the user's pullback at these values. *)
Inductive dual : Type -> space -> Type -> space -> Type :=
  | DYield (A : Type) G (B : Type) D (f : A -> B) (r : A -> results G D) : dual A G B D
  | DValue (A : Type) G (X B : Type) D (f : A -> X) (rest : dual (X * A) G B D) : dual A G B D
  | DLinear (A : Type) G s (B : Type) D (o : A -> operation G s) (rest : dual A (Pair s G) B D) : dual A G B D
  | DIf (A : Type) G (X : Type) T (B : Type) D (c : A -> bool) (yes no : dual A G X T)
      (rest : dual (X * A) (Pair T G) B D) : dual A G B D
  | DMatch (A : Type) G (X : Type) T (B : Type) D (tag : A -> nat) (arms : nat -> dual A G X T)
      (rest : dual (X * A) (Pair T G) B D) : dual A G B D
  | DCall (A : Type) G (P : Type) H (X : Type) T (B : Type) D (f : dual P H X T) (args : A -> P) (dargs : A -> results G H)
      (rest : dual (X * A) (Pair T G) B D) : dual A G B D
  | DCustom (A : Type) G H T (B : Type) D (pullback : A -> block T H) (dargs : A -> results G H)
      (rest : dual A (Pair T G) B D) : dual A G B D
  | DLoop (A : Type) G (X : Type) T C (B : Type) D (n : nat) (down : bool) (init : A -> X) (dinit : A -> results G T)
      (body : nat -> dual (X * A) (Pair T G) X (Pair T C))
      (rest : dual (X * A) (Pair (Pair T (Array n C)) G) B D) : dual A G B D.

(** Values and tangents together. *)
Fixpoint run_dual {A G B D} (p : dual A G B D) : A -> el G -> B * el D := match p with
  | DYield _ _ _ _ f r => fun a env => (f a, values (r a) env)
  | DValue _ _ _ _ _ f rest => fun a env => run_dual rest (f a, a) env
  | DLinear _ _ _ _ _ o rest => fun a env => run_dual rest a (apply (o a) env, env)
  | DIf _ _ _ _ _ _ c yes no rest => fun a env =>
      let (x, t) := if c a then run_dual yes a env else run_dual no a env in run_dual rest (x, a) (t, env)
  | DMatch _ _ _ _ _ _ tag arms rest => fun a env =>
      let (x, t) := run_dual (arms (tag a)) a env in run_dual rest (x, a) (t, env)
  | DCall _ _ _ _ _ _ _ _ f args dargs rest => fun a env =>
      let (x, t) := run_dual f (args a) (values (dargs a) env) in run_dual rest (x, a) (t, env)
  | DCustom _ _ _ T _ _ pullback dargs rest => fun a env =>
      run_dual rest a (transpose_block (pullback a) (values (dargs a) env) (zero T), env)
  | DLoop _ _ _ _ _ _ _ n down init dinit body rest => fun a env =>
      let step k (state : _ * _) := let (x, t) := state in run_dual (body (order n down k)) (x, a) (t, env) in
      let before k := loop_up k (fun k state => let (x, r) := step k state in (x, fst r))
        (init a, values (dinit a) env) in
      let collected i := let k := order n down i in snd (snd (step k (before k))) in
      run_dual rest (fst (before n), a) ((snd (before n), collected), env)
  end.

(** The values alone, and the linear part. *)
Fixpoint unzip {A G B D} (p : dual A G B D) : A -> B * block G D := match p with
  | DYield _ _ _ _ f r => fun a => (f a, Yield _ _ (r a))
  | DValue _ _ _ _ _ f rest => fun a => unzip rest (f a, a)
  | DLinear _ _ _ _ _ o rest => fun a => let (b, linear) := unzip rest a in (b, Let _ _ _ (o a) linear)
  | DIf _ _ _ _ _ _ c yes no rest => fun a =>
      let (x, yes_or_no) := if c a then unzip yes a else unzip no a in
      let (b, linear) := unzip rest (x, a) in
      (b, If _ _ _ (c a) yes_or_no yes_or_no linear)
  | DMatch _ _ _ _ _ _ tag arms rest => fun a =>
      let (x, arm) := unzip (arms (tag a)) a in
      let (b, linear) := unzip rest (x, a) in
      (b, Match _ _ _ (tag a) (fun _ => arm) linear)
  | DCall _ _ _ _ _ _ _ _ f args dargs rest => fun a =>
      let (x, called) := unzip f (args a) in
      let (b, linear) := unzip rest (x, a) in
      (b, Call _ _ _ _ called (dargs a) linear)
  | DCustom _ _ _ _ _ _ pullback dargs rest => fun a =>
      let (b, linear) := unzip rest a in (b, Custom _ _ _ _ (pullback a) (dargs a) linear)
  | DLoop _ _ _ _ _ _ _ n down init dinit body rest => fun a =>
      let before k := loop_up k (fun k x => fst (unzip (body (order n down k)) (x, a))) (init a) in
      let linear i := snd (unzip (body i) (before (order n down i), a)) in
      let (b, after) := unzip rest (before n, a) in
      (b, Loop _ _ _ _ n down (dinit a) linear after)
  end.

Lemma order_order n down k : order n down (order n down k) = k.
Proof.
  destruct down; [|reflexivity]. unfold order. simpl.
  destruct (Nat.ltb_spec k n) as [L | L]; [destruct (Nat.ltb_spec (n - 1 - k) n) | destruct (Nat.ltb_spec k n)]; lia.
Qed.

(** A linear part of this kind changes no accumulator. *)
Fixpoint pure {G D} (b : block G D) : Prop := match b with
  | Yield _ _ _ => True
  | Let _ _ _ _ rest => pure rest
  | AddAcc _ _ _ _ _ _ => False
  | If _ _ _ _ yes no rest => pure yes /\ pure no /\ pure rest
  | Match _ _ _ _ arms rest => (forall tag, pure (arms tag)) /\ pure rest
  | Loop _ _ _ _ _ _ _ body rest => (forall i, pure (body i)) /\ pure rest
  | Call _ _ _ _ _ _ rest => pure rest
  | Custom _ _ _ _ _ _ rest => pure rest
  end.

Lemma pure_scope G D (b : block G D) : pure b -> forall env, snd (run b env) = env.
Proof.
  induction b; simpl; intros P env.
  - reflexivity.
  - specialize (IHb P (apply o env, env)). destruct (run b (apply o env, env)) as [d inner]. simpl in *. now rewrite IHb.
  - contradiction.
  - destruct P as (P1 & P2 & P3).
    assert (E : snd (if c then run b1 env else run b2 env) = env) by (destruct c; auto).
    destruct (if c then run b1 env else run b2 env) as [t env']. simpl in E. subst env'.
    specialize (IHb3 P3 (t, env)). destruct (run b3 (t, env)) as [d inner]. simpl in *. now rewrite IHb3.
  - destruct P as (P1 & P2). specialize (H tag (P1 tag) env). destruct (run (arms tag) env) as [t env'].
    simpl in H. subst env'.
    specialize (IHb P2 (t, env)). destruct (run b (t, env)) as [d inner]. simpl in *. now rewrite IHb.
  - destruct P as (P1 & P2).
    set (step := fun k state => let (r, inner) := run (body (order n down k)) state in ((fst r, snd inner), snd r)).
    set (before := fun k => loop_up k (fun k state => fst (step k state)) (values init env, env)).
    assert (K : forall k state, snd (fst (step k state)) = snd state).
    { intros k state. pose proof (H (order n down k) (P1 _) state) as I. unfold step.
      destruct (run (body (order n down k)) state) as [r inner]. simpl in *. now subst inner. }
    assert (E : forall k, snd (before k) = env).
    { induction k; [reflexivity|]. change (before (S k)) with (fst (step k (before k))). now rewrite K. }
    match goal with |- context [run b ?e] => specialize (IHb P2 e); destruct (run b e) as [d inner] end.
    simpl in *. rewrite IHb. simpl. apply E.
  - destruct (run b1 (values args env)) as [t ?]. specialize (IHb2 P (t, env)).
    destruct (run b2 (t, env)) as [d inner]. simpl in *. now rewrite IHb2.
  - specialize (IHb2 P (transpose_block b1 (values args env) (zero T), env)).
    destruct (run b2 _) as [d inner]. simpl in *. now rewrite IHb2.
Qed.

Lemma unzip_pure A G B D (p : dual A G B D) : forall a, pure (snd (unzip p a)).
Proof.
  induction p; simpl; intro a.
  - exact I.
  - apply IHp.
  - specialize (IHp a). now destruct (unzip p a).
  - assert (E : pure (snd (if c a then unzip p1 a else unzip p2 a))) by (destruct (c a); auto).
    destruct (if c a then unzip p1 a else unzip p2 a) as [x block].
    specialize (IHp3 (x, a)). destruct (unzip p3 (x, a)). simpl in *. auto.
  - specialize (H (tag a) a). destruct (unzip (arms (tag a)) a) as [x block].
    specialize (IHp (x, a)). destruct (unzip p (x, a)). simpl in *. auto.
  - destruct (unzip p1 (args a)) as [x block]. specialize (IHp2 (x, a)). now destruct (unzip p2 (x, a)).
  - specialize (IHp a). now destruct (unzip p a).
  - specialize (IHp (loop_up n (fun k x => fst (unzip (body (order n down k)) (x, a))) (init a), a)).
    destruct (unzip p _) as [b after]. simpl in *. split; [intro i; apply H | exact IHp].
Qed.

(** Loops: two functions that agree below [n] collect the same. *)
Lemma loop_up_ext {A} n (f g : nat -> A -> A) x : (forall k y, (k < n)%nat -> f k y = g k y) -> loop_up n f x = loop_up n g x.
Proof. induction n; simpl; intro H; [reflexivity|]. rewrite IHn by auto. apply H. lia. Qed.

(** The values are those of forward mode. *)
Theorem unzip_values A G B D (p : dual A G B D) : forall a env, fst (unzip p a) = fst (run_dual p a env).
Proof.
  induction p; simpl; intros a env.
  - reflexivity.
  - apply IHp.
  - specialize (IHp a (apply (o a) env, env)). now destruct (unzip p a).
  - assert (E : fst (if c a then unzip p1 a else unzip p2 a) = fst (if c a then run_dual p1 a env else run_dual p2 a env))
      by (destruct (c a); auto).
    destruct (if c a then unzip p1 a else unzip p2 a) as [x block],
      (if c a then run_dual p1 a env else run_dual p2 a env) as [x' t]. simpl in E. subst x'.
    specialize (IHp3 (x, a) (t, env)). now destruct (unzip p3 (x, a)).
  - specialize (H (tag a) a env). destruct (unzip (arms (tag a)) a) as [x block], (run_dual (arms (tag a)) a env) as [x' t].
    simpl in H. subst x'. specialize (IHp (x, a) (t, env)). now destruct (unzip p (x, a)).
  - specialize (IHp1 (args a) (values (dargs a) env)).
    destruct (unzip p1 (args a)) as [x block], (run_dual p1 (args a) (values (dargs a) env)) as [x' t].
    simpl in IHp1. subst x'. specialize (IHp2 (x, a) (t, env)). now destruct (unzip p2 (x, a)).
  - specialize (IHp a (transpose_block (pullback a) (values (dargs a) env) (zero T), env)). now destruct (unzip p a).
  - set (step := fun k (state : X * el T) => let (x, t) := state in run_dual (body (order n down k)) (x, a) (t, env)).
    set (before := fun k => loop_up k (fun k state => let (x, r) := step k state in (x, fst r))
        (init a, values (dinit a) env)).
    assert (E : forall k, loop_up k (fun k x => fst (unzip (body (order n down k)) (x, a))) (init a) = fst (before k)).
    { induction k; [reflexivity|]. simpl. rewrite IHk.
      change (before (S k)) with (let (x, r) := step k (before k) in (x, fst r)).
      destruct (before k) as [x t]. unfold step. cbn [fst]. rewrite (H _ (x, a) (t, env)).
      now destruct (run_dual (body (order n down k)) (x, a) (t, env)). }
    rewrite E.
    match goal with |- _ = fst (run_dual p ?v ?e) => specialize (IHp v e) end.
    rewrite <- IHp. now destruct (unzip p _).
Qed.

(** The linear part gives the tangents of forward mode. *)
Theorem unzip_tangents A G B D (p : dual A G B D) : forall a env,
  fst (run (snd (unzip p a)) env) = snd (run_dual p a env).
Proof.
  induction p; simpl; intros a env.
  - reflexivity.
  - apply IHp.
  - specialize (IHp a (apply (o a) env, env)). destruct (unzip p a) as [b linear]. simpl in *.
    destruct (run linear (apply (o a) env, env)) as [d inner]. exact IHp.
  - assert (E : fst (if c a then unzip p1 a else unzip p2 a) = fst (if c a then run_dual p1 a env else run_dual p2 a env)
      /\ fst (run (snd (if c a then unzip p1 a else unzip p2 a)) env)
         = snd (if c a then run_dual p1 a env else run_dual p2 a env)
      /\ pure (snd (if c a then unzip p1 a else unzip p2 a))).
    { destruct (c a); repeat split; auto using unzip_values, unzip_pure. }
    destruct (if c a then unzip p1 a else unzip p2 a) as [x block],
      (if c a then run_dual p1 a env else run_dual p2 a env) as [x' t]. simpl in E. destruct E as (E1 & E2 & E3). subst x'.
    specialize (IHp3 (x, a) (t, env)). destruct (unzip p3 (x, a)) as [b linear]. simpl in *.
    pose proof (pure_scope _ _ block E3 env) as S.
    replace (if c a then run block env else run block env) with (run block env) by now destruct (c a).
    destruct (run block env) as [t' env']. simpl in E2, S. subst t' env'.
    destruct (run linear (t, env)) as [d inner]. exact IHp3.
  - pose proof (unzip_values _ _ _ _ (arms (tag a)) a env) as E1. pose proof (unzip_pure _ _ _ _ (arms (tag a)) a) as E3.
    specialize (H (tag a) a env).
    destruct (unzip (arms (tag a)) a) as [x block], (run_dual (arms (tag a)) a env) as [x' t]. simpl in E1, E3, H. subst x'.
    specialize (IHp (x, a) (t, env)). destruct (unzip p (x, a)) as [b linear]. simpl in *.
    pose proof (pure_scope _ _ block E3 env) as S. destruct (run block env) as [t' env']. simpl in H, S. subst t' env'.
    destruct (run linear (t, env)) as [d inner]. exact IHp.
  - pose proof (unzip_values _ _ _ _ p1 (args a) (values (dargs a) env)) as E1.
    specialize (IHp1 (args a) (values (dargs a) env)).
    destruct (unzip p1 (args a)) as [x block], (run_dual p1 (args a) (values (dargs a) env)) as [x' t].
    simpl in E1, IHp1. subst x'. specialize (IHp2 (x, a) (t, env)). destruct (unzip p2 (x, a)) as [b linear]. simpl in *.
    destruct (run block (values (dargs a) env)) as [t' env']. simpl in IHp1. subst t'.
    destruct (run linear (t, env)) as [d inner]. exact IHp2.
  - specialize (IHp a (transpose_block (pullback a) (values (dargs a) env) (zero T), env)).
    destruct (unzip p a) as [b linear]. simpl in *. destruct (run linear _) as [d inner]. exact IHp.
  - set (step := fun k (state : X * el T) => let (x, t) := state in run_dual (body (order n down k)) (x, a) (t, env)).
    set (before := fun k => loop_up k (fun k state => let (x, r) := step k state in (x, fst r))
        (init a, values (dinit a) env)).
    set (xs := fun k => loop_up k (fun k x => fst (unzip (body (order n down k)) (x, a))) (init a)).
    assert (X1 : forall k, xs k = fst (before k)).
    { induction k; [reflexivity|].
      change (xs (S k)) with (fst (unzip (body (order n down k)) (xs k, a))). rewrite IHk.
      change (before (S k)) with (let (x, r) := step k (before k) in (x, fst r)).
      destruct (before k) as [x t]. unfold step. cbn [fst]. rewrite (unzip_values _ _ _ _ (body (order n down k)) (x, a) (t, env)).
      now destruct (run_dual (body (order n down k)) (x, a) (t, env)). }
    set (linear := fun i => snd (unzip (body i) (xs (order n down i), a))).
    set (lstep := fun k (state : el T * el G) =>
      let (r, inner) := run (linear (order n down k)) state in ((fst r, snd inner), snd r)).
    set (lbefore := fun k => loop_up k (fun k state => fst (lstep k state)) (values (dinit a) env, env)).
    assert (L1 : forall k t, lstep k (t, env)
      = ((fst (snd (step k (xs k, t))), env), snd (snd (step k (xs k, t))))).
    { intros k t. unfold lstep, linear, step. rewrite (order_order n down k).
      rewrite <- (H (order n down k) (xs k, a) (t, env)).
      pose proof (pure_scope _ _ _ (unzip_pure _ _ _ _ (body (order n down k)) (xs k, a)) (t, env)) as S.
      destruct (run (snd (unzip (body (order n down k)) (xs k, a))) (t, env)) as [r inner]. simpl in *. now subst inner. }
    assert (L2 : forall k, lbefore k = (snd (before k), env)).
    { induction k; [reflexivity|].
      change (lbefore (S k)) with (fst (lstep k (lbefore k))). rewrite IHk, L1, X1.
      change (before (S k)) with (let (x, r) := step k (before k) in (x, fst r)).
      destruct (before k) as [x t]. simpl. now destruct (run_dual (body (order n down k)) (x, a) (t, env)). }
    change (loop_up n (fun k x => fst (unzip (body (order n down k)) (x, a))) (init a)) with (xs n).
    rewrite X1.
    specialize (IHp (fst (before n), a)
      ((snd (before n), fun i => snd (snd (step (order n down i) (before (order n down i))))), env)).
    destruct (unzip p (fst (before n), a)) as [b after]. simpl in *.
    change (run after _) with (run after ((fst (lbefore n), fun i => snd (lstep (order n down i) (lbefore (order n down i)))),
      snd (lbefore n))).
    rewrite L2. simpl.
    replace (fun i => snd (lstep (order n down i) (lbefore (order n down i))))
      with (fun i => snd (snd (step (order n down i) (before (order n down i))))).
    + destruct (run after _) as [d inner]. exact IHp.
    + extensionality i. rewrite L2, L1, X1. simpl. now destruct (before (order n down i)).
Qed.

(** ** Reverse mode: jvp, unzip, transpose *)
Theorem reverse_adjoint A G B D (p : dual A G B D) a (u : el D) (v : el G) :
  let (value, linear) := unzip p a in
  value = fst (run_dual p a v) /\ dot G (transpose_block linear u (zero G)) v = dot D u (snd (run_dual p a v)).
Proof.
  pose proof (unzip_values _ _ _ _ p a v) as V. pose proof (unzip_tangents _ _ _ _ p a v) as T.
  destruct (unzip p a) as [value linear]. simpl in *. split; [exact V|]. rewrite transpose_adjoint. now rewrite T.
Qed.
