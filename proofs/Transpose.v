(** * Transposition of the linear part is right

    Code: crates/ad/src/transpose.rs and transpose_blocks.rs, over the forms of crates/ir/src/program.rs.
    Papers: "Working notes on automatic differentiation", section 2.3 (a linear map and its transpose), for programs
    instead of terms.

    Modelled: the linear part of a derivative, as code of the array IR. A [block] is statements and then results. The
    tangents in scope are one element of a space, with a pair for each variable that is bound. What does not move is
    there as a number: factors, indices, sizes, conditions. So one block is the linear part of one run, and a loop
    gives a block for each index. [run] says what a block does with tangents; it also gives the environment back, in
    which accumulators have changed.

    [transpose_block] goes the other way, from cotangents of the results to cotangents of what is in scope: statements
    are taken last first; a statement takes the cotangent of what it binds and adds to the cotangents of its operands;
    a branch becomes the same branch; a loop runs backwards, with the cotangents of its states as states, and adds to
    the cotangents of what it reads from outside. [Samples] compares it with what the compiler makes.

    A function with the user's own derivative, [custom_vjp], is in the linear part as its pullback: the map that has
    this pullback as its transpose ([Custom]). A value that nothing looks at ([Undef]) is zero in the model;
    [undefined_is_any] says that it may be anything.

    Proved: [transpose_adjoint], for all blocks: <u, L v> = <L^T u, v>, where v has all tangents in scope.

    Not modelled: when the compiler makes an accumulator and when it adds values, which is one sum here; that it leaves
    out cotangents that are absent, which are zeros here; that it runs a loop without states forwards. Data tangents
    are pairs. A call is a call of a block, so recursion is there as deep as it runs. *)
From Coq Require Import Reals Psatz Arith Lia Bool.
From Pullback Require Import Ir Spaces.
Open Scope R_scope.

(** ** Statements *)

(** A tangent in scope, or a part of one; or no tangent: a structural zero. *)
Inductive operand (G : space) (s : space) := Tangent (p : place s G) | Absent.
Arguments Tangent {G s}.
Arguments Absent {G s}.

Definition value {G s} (x : operand G s) (env : el G) : el s := match x with
  | Tangent p => read p env
  | Absent => zero s
  end.

(** Adds to the cotangent of an operand. *)
Definition give {G s} (x : operand G s) (bar : el s) (bars : el G) : el G := match x with
  | Tangent p => add_to p bar bars
  | Absent => bars
  end.

Lemma give_adjoint {G s} (x : operand G s) bar bars env :
  dot G (give x bar bars) env = dot G bars env + dot s bar (value x env).
Proof. destruct x; simpl; [apply dot_add_to | rewrite dot_zero_r; ring]. Qed.

(** Operations with one result. [Copy] is also [sized], [new_acc] and [read_acc]. *)
Inductive operation (G : space) : space -> Type :=
  | Copy s (x : operand G s) : operation G s
  | Zero s : operation G s
  | Undef s : operation G s
  | Neg (x : operand G Scalar) : operation G Scalar
  | Mul (x : operand G Scalar) (p : R) : operation G Scalar
  | MulZero (x : operand G Scalar) (p : R) : operation G Scalar
  | ZeroMul (p : R) (x : operand G Scalar) : operation G Scalar
  | Plus s (x y : operand G s) : operation G s
  | Select s (c : bool) (x y : operand G s) : operation G s
  | Items n s (items : nat -> operand G s) : operation G (Array n s)
  | Index n s (a : operand G (Array n s)) (i : nat) (inside : (i < n)%nat) : operation G s
  | Update n s (a : operand G (Array n s)) (i : nat) (inside : (i < n)%nat) (x : operand G s) : operation G (Array n s)
  | Slice n s (a : operand G (Array n s)) (lo len : nat) (inside : (lo + len <= n)%nat) : operation G (Array len s)
  | Concat n m s (a : operand G (Array n s)) (b : operand G (Array m s)) : operation G (Array (n + m) s)
  | Flatten n m s (a : operand G (Array n (Array m s))) : operation G (Array (n * m) s)
  | Sum n (a : operand G (Array n Scalar)) : operation G Scalar
  | Con a b (x : operand G a) (y : operand G b) : operation G (Pair a b).

Definition apply {G s} (o : operation G s) (env : el G) : el s := match o in operation _ s return el s with
  | Copy _ _ x => value x env
  | Zero _ s => zero s
  | Undef _ s => zero s
  | Neg _ x => neg (value x env)
  | Mul _ x p => mul (value x env) p
  | MulZero _ x p => mul_zero (value x env) p
  | ZeroMul _ p x => mul_zero p (value x env)
  | Plus _ s x y => plus s (value x env) (value y env)
  | Select _ _ c x y => select c (value x env) (value y env)
  | Items _ _ _ items => fun i => value (items i) env
  | Index _ _ _ a i _ => index1 (value a env) i
  | Update _ _ _ a i _ x => update1 (value a env) i (value x env)
  | Slice _ _ _ a lo len _ => slice (value a env) lo (lo + len)
  | Concat _ n _ _ a b => concat n (value a env) (value b env)
  | Flatten _ _ m _ a => flatten m (value a env)
  | Sum _ n a => sum n (value a env)
  | Con _ _ _ x y => (value x env, value y env)
  end.

(** Given the cotangent of the result, what is added to the cotangents of the operands. *)
Definition transpose {G s} (o : operation G s) : el s -> el G -> el G := match o in operation _ s return el s -> el G -> el G with
  | Copy _ _ x => fun bar => give x bar
  | Zero _ s => fun _ bars => bars
  | Undef _ s => fun _ bars => bars
  | Neg _ x => fun bar => give x (neg bar)
  | Mul _ x p => fun bar => give x (mul bar p)
  | MulZero _ x p => fun bar => give x (mul_zero bar p)
  | ZeroMul _ p x => fun bar => give x (mul_zero p bar)
  | Plus _ _ x y => fun bar bars => give y bar (give x bar bars)
  | Select _ s c x y => fun bar bars => give y (select c (zero s) bar) (give x (select c bar (zero s)) bars)
  | Items _ n _ items => fun bar bars => loop_up n (fun i => give (items i) (index1 bar i)) bars
  | Index _ n s a i _ => fun bar => give a (at_place i (fun old => plus s old bar) (zero (Array n s)))
  | Update _ _ s a i _ x => fun bar bars => give a (update1 bar i (zero s)) (give x (index1 bar i) bars)
  | Slice _ n s a lo len _ => fun bar =>
      give a (range_place lo (lo + len) (fun old => plus (Array len s) old bar) (zero (Array n s)))
  | Concat _ n m _ a b => fun bar bars => give b (slice bar n (n + m)) (give a (slice bar 0 n) bars)
  | Flatten _ n m _ a => fun bar => give a (fun i => slice bar (i * m) (i * m + m))
  | Sum _ n a => fun bar => give a (fun _ => bar)
  | Con _ _ _ x y => fun bar bars => give y (snd bar) (give x (fst bar) bars)
  end.

Lemma mul_zero_mul x p : mul_zero x p = x * p.
Proof. unfold mul_zero. destruct (Req_EM_T x 0); subst; ring. Qed.

Theorem operation_adjoint {G s} (o : operation G s) bar bars env :
  dot G (transpose o bar bars) env = dot G bars env + dot s bar (apply o env).
Proof.
  destruct o; simpl; rewrite ?give_adjoint; simpl; rewrite ?mul_zero_mul; unfold neg, mul; try ring.
  - rewrite dot_zero_r. ring.
  - rewrite dot_zero_r. ring.
  - rewrite dot_plus_r. ring.
  - destruct c; simpl; rewrite dot_zero_l; ring.
  - assert (H : forall k, dot G (loop_up k (fun i => give (items i) (index1 bar i)) bars) env
      = dot G bars env + sum_below k (fun i => dot s (bar i) (value (items i) env))).
    { induction k; simpl; [ring|]. rewrite give_adjoint, IHk. unfold index1. ring. }
    apply H.
  - assert (E := dot_change (At i inside Here) (fun old => plus s old bar) (zero (Array n s)) (value a env)).
    simpl in E. rewrite E.
    rewrite dot_plus_l, dot_zero_l. rewrite (sum_ext n _ (fun _ => 0)) by (intros; apply dot_zero_l).
    rewrite sum_0. unfold index1. ring.
  - assert (A : sum_below n (fun j => dot s (update1 bar i (zero s) j) (value a env j))
      = sum_below n (fun j => if Nat.eqb j i then (fun _ => 0) j else dot s (bar j) (value a env j))).
    { apply sum_ext. intros j _. unfold update1. destruct (Nat.eqb j i); [apply dot_zero_l | reflexivity]. }
    assert (B : sum_below n (fun j => dot s (bar j) (update1 (value a env) i (value x env) j))
      = sum_below n (fun j => if Nat.eqb j i then dot s (bar j) (value x env) else dot s (bar j) (value a env j))).
    { apply sum_ext. intros j _. unfold update1. now destruct (Nat.eqb j i). }
    rewrite A, B, (sum_at n i _ (fun _ => 0)), (sum_at n i _ (fun j => dot s (bar j) (value x env))) by exact inside.
    unfold index1. ring.
  - transitivity (dot G bars env + dot (Array n s)
      (change (Range lo len inside Here) (fun old => plus (Array len s) old bar) (zero (Array n s))) (value a env));
      [reflexivity|].
    rewrite dot_change. simpl.
    rewrite (sum_ext n _ (fun _ => 0)) by (intros; apply dot_zero_l).
    assert (A : sum_below len (fun k => dot s (plus s (zero s) (bar k)) (value a env (lo + k)%nat))
      = sum_below len (fun k => dot s (zero s) (value a env (lo + k)%nat))
        + sum_below len (fun k => dot s (bar k) (value a env (lo + k)%nat))).
    { rewrite <- sum_plus. apply sum_ext. intros k _. apply dot_plus_l. }
    rewrite A, sum_0. unfold slice. ring.
  - rewrite sum_split. unfold slice. simpl.
    assert (A : sum_below n (fun i => dot s (bar i) (concat n (value a env) (value b env) i))
      = sum_below n (fun i => dot s (bar i) (value a env i))).
    { apply sum_ext. intros i I. unfold concat. destruct (Nat.ltb_spec i n); [reflexivity | lia]. }
    assert (B : sum_below m (fun i => dot s (bar (n + i)%nat) (concat n (value a env) (value b env) (n + i)%nat))
      = sum_below m (fun i => dot s (bar (n + i)%nat) (value b env i))).
    { apply sum_ext. intros i I. unfold concat. destruct (Nat.ltb_spec (n + i) n); [lia|].
      now replace (n + i - n)%nat with i by lia. }
    rewrite A, B. ring.
  - unfold slice, flatten. destruct m.
    + simpl. rewrite Nat.mul_0_r, sum_0. simpl. ring.
    + rewrite sum_rows by lia. f_equal. apply sum_ext. intros i I. apply sum_ext. intros j J.
      rewrite Nat.div_add_l, Nat.div_small, Nat.add_0_r by lia.
      rewrite Nat.add_comm, Nat.mod_add, Nat.mod_small by lia. now rewrite Nat.add_comm.
  - unfold sum. rewrite sum_scale. ring.
Qed.

(** ** Blocks *)
Inductive results (G : space) : space -> Type :=
  | Nothing : results G Unit
  | Value s (x : operand G s) : results G s
  | Both a b (x : results G a) (y : results G b) : results G (Pair a b).

Fixpoint values {G s} (r : results G s) (env : el G) : el s := match r with
  | Nothing _ => tt
  | Value _ _ x => value x env
  | Both _ _ _ x y => (values x env, values y env)
  end.

Fixpoint give_all {G s} (r : results G s) : el s -> el G -> el G := match r with
  | Nothing _ => fun _ bars => bars
  | Value _ _ x => give x
  | Both _ _ _ x y => fun bar bars => give_all y (snd bar) (give_all x (fst bar) bars)
  end.

Lemma give_all_adjoint {G s} (r : results G s) : forall bar bars env,
  dot G (give_all r bar bars) env = dot G bars env + dot s bar (values r env).
Proof.
  induction r; simpl; intros; [ring | apply give_adjoint |]. rewrite IHr2, IHr1. ring.
Qed.

(** A block in the scope [G] with results [D]. What a statement binds comes before what is in scope.
    - [Let]: an operation.
    - [AddAcc]: [acc[i] += x], where the accumulator, or a part of it, is a place.
    - [If] and [Match]: one of two blocks, or of several, and what comes after with its results in scope.
    - [Loop]: [n] iterations with states [T]; each also gives an element of [C] to collect.
    - [Call]: a function, which sees only its arguments.
    - [Custom]: the map whose transpose is a pullback, from cotangents of results to cotangents of arguments. *)
Inductive block : space -> space -> Type :=
  | Yield G D (r : results G D) : block G D
  | Let G s D (o : operation G s) (rest : block (Pair s G) D) : block G D
  | AddAcc G s D (acc : place s G) (x : operand G s) (rest : block G D) : block G D
  | If G T D (c : bool) (yes no : block G T) (rest : block (Pair T G) D) : block G D
  | Match G T D (tag : nat) (arms : nat -> block G T) (rest : block (Pair T G) D) : block G D
  | Loop G T C D (n : nat) (down : bool) (init : results G T) (body : nat -> block (Pair T G) (Pair T C))
      (rest : block (Pair (Pair T (Array n C)) G) D) : block G D
  | Call G A T D (f : block A T) (args : results G A) (rest : block (Pair T G) D) : block G D
  | Custom G A T D (pullback : block T A) (args : results G A) (rest : block (Pair T G) D) : block G D.

(** The index of the [k]-th iteration, and which iteration has the index [k]. *)
Definition order (n : nat) (down : bool) (k : nat) : nat := if (down && Nat.ltb k n)%bool then (n - 1 - k)%nat else k.

(** [run]: the results, and what is in scope afterwards: accumulators have changed.
    [transpose_block]: from cotangents of the results, and what is known already of the cotangents in scope. Each takes
    the other for a pullback. *)
Fixpoint run {G D} (b : block G D) : el G -> el D * el G := match b with
  | Yield _ _ r => fun env => (values r env, env)
  | Let _ _ _ o rest => fun env => let (d, inner) := run rest (apply o env, env) in (d, snd inner)
  | AddAcc _ _ _ acc x rest => fun env => run rest (add_to acc (value x env) env)
  | If _ _ _ c yes no rest => fun env =>
      let (s, env) := if c then run yes env else run no env in
      let (d, inner) := run rest (s, env) in (d, snd inner)
  | Match _ _ _ tag arms rest => fun env =>
      let (s, env) := run (arms tag) env in
      let (d, inner) := run rest (s, env) in (d, snd inner)
  | Loop _ _ _ _ n down init body rest => fun env =>
      let step k state := let (r, inner) := run (body (order n down k)) state in ((fst r, snd inner), snd r) in
      let before k := loop_up k (fun k state => fst (step k state)) (values init env, env) in
      let collected i := let k := order n down i in snd (step k (before k)) in
      let (d, inner) := run rest ((fst (before n), collected), snd (before n)) in (d, snd inner)
  | Call _ _ _ _ f args rest => fun env =>
      let (s, _) := run f (values args env) in
      let (d, inner) := run rest (s, env) in (d, snd inner)
  | Custom _ _ T _ pullback args rest => fun env =>
      let (d, inner) := run rest (transpose_block pullback (values args env) (zero T), env) in (d, snd inner)
  end

with transpose_block {G D} (b : block G D) : el D -> el G -> el G := match b with
  | Yield _ _ r => fun bar bars => give_all r bar bars
  | Let _ s _ o rest => fun bar bars =>
      let (y_bar, bars) := transpose_block rest bar (zero s, bars) in transpose o y_bar bars
  | AddAcc _ _ _ acc x rest => fun bar bars =>
      let bars := transpose_block rest bar bars in give x (read acc bars) bars
  | If _ T _ c yes no rest => fun bar bars =>
      let (s_bar, bars) := transpose_block rest bar (zero T, bars) in
      if c then transpose_block yes s_bar bars else transpose_block no s_bar bars
  | Match _ T _ tag arms rest => fun bar bars =>
      let (s_bar, bars) := transpose_block rest bar (zero T, bars) in
      transpose_block (arms tag) s_bar bars
  | Loop _ T C _ n down init body rest => fun bar bars =>
      let '((s_bar, rows), bars) := transpose_block rest bar (zero (Pair T (Array n C)), bars) in
      let '(s_bar, bars) := loop_down n (fun k '(s_bar, bars) =>
        transpose_block (body (order n down k)) (s_bar, index1 rows (order n down k)) (zero T, bars)) (s_bar, bars) in
      give_all init s_bar bars
  | Call _ A T _ f args rest => fun bar bars =>
      let (s_bar, bars) := transpose_block rest bar (zero T, bars) in
      give_all args (transpose_block f s_bar (zero A)) bars
  | Custom _ _ T _ pullback args rest => fun bar bars =>
      let (s_bar, bars) := transpose_block rest bar (zero T, bars) in
      give_all args (fst (run pullback s_bar)) bars
  end.

(** A loop of adjoint iterations is adjoint. *)
Lemma loop_adjoint (G C : space) (step : nat -> el G -> el G * el C) (back : nat -> el G -> el G) (rows : nat -> el C) :
  (forall k bars env, dot G (back k bars) env = dot G bars (fst (step k env)) + dot C (rows k) (snd (step k env))) ->
  forall env n bars, let before k := loop_up k (fun k env => fst (step k env)) env in
  dot G (loop_down n back bars) env
  = dot G bars (before n) + sum_below n (fun k => dot C (rows k) (snd (step k (before k)))).
Proof.
  intros H env. induction n; simpl; intro bars; [ring|]. simpl in IHn. rewrite IHn, H. ring.
Qed.

Lemma sum_order n down f : sum_below n (fun k => f (order n down k) k) = sum_below n (fun i => f i (order n down i)).
Proof.
  destruct down; [|reflexivity].
  assert (O : forall k, (k < n)%nat -> order n true k = (n - 1 - k)%nat).
  { intros k K. unfold order. simpl. destruct (Nat.ltb_spec k n); [reflexivity | lia]. }
  rewrite (sum_ext n _ (fun k => f (n - 1 - k)%nat k)) by (intros k K; now rewrite O).
  rewrite (sum_ext n (fun i => f i (order n true i)) (fun i => f i (n - 1 - i)%nat)) by (intros k K; now rewrite O).
  rewrite <- (sum_reverse n (fun i => f i (n - 1 - i)%nat)). apply sum_ext. intros k K. f_equal. lia.
Qed.

Theorem block_adjoint G D (b : block G D) : forall bar bars env,
  dot G (transpose_block b bar bars) env = dot D bar (fst (run b env)) + dot G bars (snd (run b env)).
Proof.
  induction b; intros bar bars env; simpl.
  - rewrite give_all_adjoint. ring.
  - specialize (IHb bar (zero s, bars) (apply o env, env)). simpl in IHb.
    destruct (transpose_block b bar (zero s, bars)) as [y_bar bars'], (run b (apply o env, env)) as [d [y env']].
    simpl in *. rewrite operation_adjoint. rewrite dot_zero_l in IHb. lra.
  - rewrite give_adjoint. rewrite <- IHb, (dot_sym G _ (add_to acc (value x env) env)), dot_add_to.
    rewrite (dot_sym G env), (dot_sym s (value x env)). ring.
  - set (chosen := if c then run b1 env else run b2 env).
    destruct chosen as [s env'] eqn:E.
    specialize (IHb3 bar (zero T, bars) (s, env')). simpl in IHb3.
    destruct (transpose_block b3 bar (zero T, bars)) as [s_bar bars'], (run b3 (s, env')) as [d [t env2]].
    simpl in *. rewrite dot_zero_l in IHb3.
    destruct c; unfold chosen in E; [specialize (IHb1 s_bar bars' env) | specialize (IHb2 s_bar bars' env)];
      rewrite E in *; simpl in *; lra.
  - specialize (H tag). destruct (run (arms tag) env) as [s env'] eqn:E.
    specialize (IHb bar (zero T, bars) (s, env')). simpl in IHb.
    destruct (transpose_block b bar (zero T, bars)) as [s_bar bars'], (run b (s, env')) as [d [t env2]].
    simpl in *. rewrite dot_zero_l in IHb. specialize (H s_bar bars' env). rewrite E in H. simpl in H. lra.
  - set (step := fun k state => let (r, inner) := run (body (order n down k)) state in ((fst r, snd inner), snd r)).
    set (before := fun k => loop_up k (fun k state => fst (step k state)) (values init env, env)).
    set (collected := fun i => snd (step (order n down i) (before (order n down i)))).
    assert (I := IHb bar (zero (Pair T (Array n C)), bars) ((fst (before n), collected), snd (before n))).
    change (fst (values init env, env)) with (values init env). simpl in I.
    destruct (transpose_block b bar (zero T, (fun _ : nat => zero C), bars)) as [[s_bar rows] bars'].
    change (run b _) with (run b ((fst (before n), collected), snd (before n))).
    destruct (run b ((fst (before n), collected), snd (before n))) as [d [t env2]].
    set (back := fun k (x : el T * el G) => let '(s_bar, bars) := x in
        transpose_block (body (order n down k)) (s_bar, index1 rows (order n down k)) (zero T, bars)).
    assert (A : forall k bars env, dot (Pair T G) (back k bars) env
      = dot (Pair T G) bars (fst (step k env)) + dot C (rows (order n down k)) (snd (step k env))).
    { intros k [s_bar0 bars0] env0. unfold back, step. rewrite H.
      destruct (run (body (order n down k)) env0) as [r inner]. simpl. rewrite dot_zero_l. unfold index1. ring. }
    assert (L : dot (Pair T G) (loop_down n back (s_bar, bars')) (values init env, env)
      = dot (Pair T G) (s_bar, bars') (before n)
        + sum_below n (fun k => dot C (rows (order n down k)) (snd (step k (before k)))))
      by exact (loop_adjoint (Pair T G) C step back (fun k => rows (order n down k)) A
        (values init env, env) n (s_bar, bars')).
    rewrite (sum_order n down (fun i k => dot C (rows i) (snd (step k (before k))))) in L.
    change (loop_down n _ (s_bar, bars')) with (loop_down n back (s_bar, bars')).
    destruct (loop_down n back (s_bar, bars')) as [s_bar2 bars2].
    simpl in *. rewrite give_all_adjoint.
    assert (Z : forall t : el T * (nat -> el C), sum_below n (fun i => dot C (zero C) (snd t i)) = 0).
    { intro u. rewrite (sum_ext n _ (fun _ => 0)) by (intros; apply dot_zero_l). apply sum_0. }
    specialize (Z t). rewrite dot_zero_l in I. fold el in *.
    unfold collected in I. lra.
  - specialize (IHb1). destruct (run b1 (values args env)) as [s env'] eqn:E.
    specialize (IHb2 bar (zero T, bars) (s, env)). simpl in IHb2.
    destruct (transpose_block b2 bar (zero T, bars)) as [s_bar bars'], (run b2 (s, env)) as [d [t env2]].
    simpl in *. rewrite dot_zero_l in IHb2. rewrite give_all_adjoint, IHb1, E, dot_zero_l. simpl. lra.
  - set (s := transpose_block b1 (values args env) (zero T)).
    specialize (IHb2 bar (zero T, bars) (s, env)). simpl in IHb2.
    destruct (transpose_block b2 bar (zero T, bars)) as [s_bar bars'], (run b2 (s, env)) as [d [t env2]].
    simpl in *. rewrite give_all_adjoint. specialize (IHb1 (values args env) (zero T) s_bar). fold s in IHb1.
    rewrite !dot_zero_l in *. rewrite (dot_sym T s), (dot_sym A (values args env)) in IHb1. lra.
Qed.

(** ** The law of transpose: <L^T u, v> = <u, L v> *)
Theorem transpose_adjoint G D (b : block G D) (u : el D) (v : el G) :
  dot G (transpose_block b u (zero G)) v = dot D u (fst (run b v)).
Proof. rewrite block_adjoint, dot_zero_l. ring. Qed.

(** What comes after an [Undef] and does not look at it: then its value may be anything. *)
Definition looks_away {G s D} (rest : block (Pair s G) D) : Prop :=
  forall x y env, fst (run rest (x, env)) = fst (run rest (y, env)).

Theorem undefined_is_any G s D (rest : block (Pair s G) D) : looks_away rest -> forall (x : el s) u v,
  dot G (transpose_block (Let _ _ _ (Undef G s) rest) u (zero G)) v = dot D u (fst (run rest (x, v))).
Proof.
  intros H x u v. rewrite transpose_adjoint. etransitivity; [|exact (f_equal (dot D u) (H (zero s) x v))].
  assert (K : forall p : el D * el (Pair s G), fst (let (d, inner) := p in (d, snd inner)) = fst p) by now intros [].
  exact (f_equal (dot D u) (K _)).
Qed.
