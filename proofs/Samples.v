(** * The compiler transposes as the model does

    Code: [Pullbacks], which is what the compiler makes of samples, one function for a linear form each, and [Transpose].

    Proved for each sample but those of loops: the linear part that the compiler makes is what the model's block does, and
    the transpose that the compiler makes is the model's transpose of that block ([agrees]). So the two functions of the
    compiler are adjoint ([agrees_adjoint]), for arrays of all sizes and all indices inside them. Of loops that is proved
    as it is.

    An array has as many elements as its size says; elements beyond that do not count ([same]). *)
From Coq Require Import Reals Psatz List Arith Lia Bool.
From Pullback Require Import Ir Spaces Transpose Pullbacks.
Open Scope R_scope.

Fixpoint same (s : space) : el s -> el s -> Prop := match s with
  | Unit => fun _ _ => True
  | Scalar => eq
  | Pair a b => fun x y => same a (fst x) (fst y) /\ same b (snd x) (snd y)
  | Array n a => fun x y => forall i, (i < n)%nat -> same a (x i) (y i)
  end.

Lemma same_dot s : forall x y v, same s x y -> dot s x v = dot s y v.
Proof.
  induction s; simpl; intros x y v H; [reflexivity | now rewrite H | destruct H; f_equal; auto |].
  apply sum_ext. intros i L. apply IHs. auto.
Qed.

Definition agrees {G D} (b : block G D) (push : el G -> el D) (pull : el D -> el G) : Prop :=
  (forall v, same D (fst (run b v)) (push v)) /\ (forall u, same G (transpose_block b u (zero G)) (pull u)).

Theorem agrees_adjoint {G D} (b : block G D) push pull : agrees b push pull ->
  forall u v, dot G (pull u) v = dot D u (push v).
Proof.
  intros [H K] u v. rewrite <- (same_dot G _ _ v (K u)), transpose_adjoint.
  rewrite (dot_sym D u), (dot_sym D u). now apply same_dot.
Qed.

(** ** The samples *)

(** A function of one statement, whose operands are in scope, and that gives its result. *)
Definition statement {G s} (o : operation G s) : block G s := Let _ _ _ o (Yield _ _ (Value _ _ (Tangent (First Here)))).

Notation one := (Tangent Here).
Notation fst_of_two := (Tangent (First Here)).
Notation snd_of_two := (Tangent (Second Here)).

Ltac unfold_ir := unfold copy, neg, add, mul, select, zero1, zero2, array0, sized, index1, index2, update1, slice, sum,
  concat, flatten, new_acc, read_acc, add_at2_0, add_at1_0, add_at1_1, add_at0_0, add_at0_1, add_at0_2, plus1, plus2,
  add_to, int_add, int_mul, at_place, range_place in *.

Ltac by_cases := repeat match goal with
  | |- context [Nat.eqb ?i ?j] => destruct (Nat.eqb_spec i j); subst
  | |- context [Nat.leb ?i ?j] => destruct (Nat.leb_spec i j)
  | |- context [Nat.ltb ?i ?j] => destruct (Nat.ltb_spec i j)
  end; simpl; try lia; try ring.

Ltac unfold_samples := unfold push_copy, pull_copy, push_neg, pull_neg, push_add, pull_add, push_mul, pull_mul,
  push_mul_zero, pull_mul_zero, push_zero_mul, pull_zero_mul, push_select, pull_select, push_plus, pull_plus,
  push_array, pull_array, push_index, pull_index, push_index_row, pull_index_row, push_index_twice,
  pull_index_twice, push_update, pull_update, push_slice, pull_slice, push_sum, pull_sum, push_sized,
  pull_sized, push_concat, pull_concat, push_flatten, pull_flatten, push_accumulate, pull_accumulate,
  push_accumulate_part, pull_accumulate_part, push_branch, pull_branch, push_map, pull_map, push_fold,
  pull_fold, push_fold_down, pull_fold_down, push_call_inner0, push_call, pull_call_inner0, pull_call,
  push_accumulate_range, pull_accumulate_range, push_custom, push_custom_inner0, pull_custom, pull_custom_inner0,
  push_undefined, pull_undefined, push_zero, pull_zero, push_con, pull_con, push_match, pull_match in *.

Ltac check :=
  split; unfold statement, add_to; simpl; unfold_samples; unfold_ir; simpl; intros; repeat split; intros;
  try reflexivity; try ring; try (by_cases; fail).

Example copy_agrees : agrees (statement (Copy _ Scalar one)) push_copy pull_copy.
Proof. check. Qed.

Example neg_agrees : agrees (statement (Neg _ one)) push_neg pull_neg.
Proof. check. Qed.

Example add_agrees : agrees (statement (Plus (Pair Scalar Scalar) Scalar fst_of_two snd_of_two))
  (fun v => push_add (fst v) (snd v)) pull_add.
Proof. check. Qed.

Example mul_agrees p : agrees (statement (Mul _ one p)) (push_mul p) (pull_mul p).
Proof. check. Qed.

Example mul_zero_agrees p : agrees (statement (MulZero _ one p)) (push_mul_zero p) (pull_mul_zero p).
Proof. split; simpl; intros; [reflexivity|]. unfold add_to; simpl. rewrite mul_zero_mul. unfold pull_mul_zero, mul. ring. Qed.

Example zero_mul_agrees p : agrees (statement (ZeroMul _ p one)) (push_zero_mul p) (pull_zero_mul p).
Proof. split; simpl; intros; [reflexivity|]. unfold add_to; simpl. unfold pull_zero_mul. now rewrite !mul_zero_mul, !Rplus_0_l. Qed.

Example select_agrees c : agrees (statement (Select (Pair Scalar Scalar) Scalar c fst_of_two snd_of_two))
  (fun v => push_select c (fst v) (snd v)) (pull_select c).
Proof. destruct c; check. Qed.

Example plus_agrees n : agrees (statement (Plus (Pair (Array n Scalar) (Array n Scalar)) _ fst_of_two snd_of_two))
  (fun v => push_plus (fst v) (snd v)) pull_plus.
Proof. check. Qed.

(** [[x, y, z]] *)
Example array_agrees : agrees
  (statement (Items (Pair Scalar (Pair Scalar Scalar)) 3 Scalar (fun i => match i with
    | O => Tangent (First Here)
    | 1%nat => Tangent (Second (First Here))
    | _ => Tangent (Second (Second Here))
    end)))
  (fun v => push_array (fst v) (fst (snd v)) (snd (snd v)))
  (fun u => let '(x, y, z) := pull_array u in (x, (y, z))).
Proof.
  split; simpl; intros; [|unfold_ir; repeat split; simpl; ring].
  destruct i as [|[|[|i]]]; [reflexivity | reflexivity | reflexivity | lia].
Qed.

Example index_agrees n i (inside : (i < n)%nat) :
  agrees (statement (Index (Array n Scalar) n Scalar one i inside)) (push_index i) (pull_index i).
Proof. check. Qed.

Example index_row_agrees n m i (inside : (i < n)%nat) :
  agrees (statement (Index (Array n (Array m Scalar)) n _ one i inside)) (push_index_row i) (pull_index_row i).
Proof. check. Qed.

(** [a[i, j]] is an element of a row. *)
Example index_twice_agrees n m i j (inside : (i < n)%nat) (inside' : (j < m)%nat) : agrees
  (Let _ _ _ (Index (Array n (Array m Scalar)) n _ one i inside) (statement (Index _ m Scalar (Tangent (First Here)) j inside')))
  (push_index_twice i j) (pull_index_twice i j).
Proof. check. Qed.

Example update_agrees n i (inside : (i < n)%nat) :
  agrees (statement (Update (Pair (Array n Scalar) Scalar) n Scalar fst_of_two i inside snd_of_two))
    (fun v => push_update i (fst v) (snd v)) (pull_update i).
Proof. check. Qed.

Example slice_agrees n lo len (inside : (lo + len <= n)%nat) :
  agrees (statement (Slice (Array n Scalar) n Scalar one lo len inside))
    (push_slice lo (lo + len)) (pull_slice lo (lo + len)).
Proof. check. Qed.

Example sum_agrees n : agrees (statement (Sum (Array n Scalar) n one)) (fun v => push_sum v n) (pull_sum n).
Proof. check. Qed.

Example sized_agrees k n :
  agrees (statement (Copy (Array n Scalar) _ one)) (push_sized k) pull_sized.
Proof. check. Qed.

Example concat_agrees n m :
  agrees (statement (Concat (Pair (Array n Scalar) (Array m Scalar)) n m Scalar fst_of_two snd_of_two))
    (fun v => push_concat (fst v) (snd v) n) (pull_concat n m).
Proof. check. Qed.

(** Adding at each index once is the same as taking what is added; [seen] is what is looked at. *)
Lemma loop_scatter {A} (seen : A -> R) (plus : A -> A -> A) (zero : A) (rows : nat -> A) n :
  (forall x, seen (plus zero x) = seen x) -> forall i, (i < n)%nat ->
  seen (loop_up n (fun i => at_place i (fun old => plus old (rows i))) (fun _ => zero) i) = seen (rows i).
Proof.
  intros Z.
  assert (H : forall k i, (k <= i)%nat ->
    loop_up k (fun i => at_place i (fun old => plus old (rows i))) (fun _ => zero) i = zero).
  { induction k; simpl; intros i L; [reflexivity|]. unfold at_place at 1.
    destruct (Nat.eqb_spec i k); [lia|]. apply IHk. lia. }
  induction n; intros i L; [lia|]. simpl. unfold at_place at 1. destruct (Nat.eqb_spec i n).
  - subst. rewrite H by lia. apply Z.
  - apply IHn. lia.
Qed.

Example flatten_agrees n m :
  agrees (statement (Flatten (Array n (Array m Scalar)) n m Scalar one)) (fun v => push_flatten v m) (pull_flatten n m).
Proof.
  split; simpl; intros; [reflexivity|].
  transitivity (slice u (i * m) (i * m + m) i0); [unfold add_to, slice; simpl; now rewrite !Rplus_0_l|]. symmetry.
  apply (loop_scatter (fun row => row i0) plus1 zero1 (fun i => slice u (i * m) (i * m + m))); [|assumption].
  intro x. apply Rplus_0_l.
Qed.

(** [acc = new_acc(a); acc[i] += x; read_acc(acc)] *)
Example accumulate_agrees n i (inside : (i < n)%nat) : agrees
  (Let (Pair (Array n Scalar) Scalar) _ _ (Copy _ _ fst_of_two)
    (AddAcc _ _ _ (First (At i inside Here)) (Tangent (Second (Second Here)))
      (statement (Copy _ _ (Tangent (First Here))))))
  (fun v => push_accumulate i (fst v) (snd v)) (pull_accumulate i).
Proof. check. Qed.

Example accumulate_part_agrees n m i j (inside : (i < n)%nat) (inside' : (j < m)%nat) : agrees
  (Let (Pair (Array n (Array m Scalar)) Scalar) _ _ (Copy _ _ fst_of_two)
    (AddAcc _ _ _ (First (At i inside (At j inside' Here))) (Tangent (Second (Second Here)))
      (statement (Copy _ _ (Tangent (First Here))))))
  (fun v => push_accumulate_part i j (fst v) (snd v)) (pull_accumulate_part i j).
Proof. check. Qed.

(** [if c { x + y } else { -y }] *)
Example branch_agrees c : agrees
  (If (Pair Scalar Scalar) Scalar Scalar c
    (statement (Plus _ _ fst_of_two snd_of_two)) (statement (Neg _ snd_of_two))
    (Yield _ _ (Value _ _ (Tangent (First Here)))))
  (fun v => push_branch c (fst v) (snd v)) (pull_branch c).
Proof. destruct c; check. Qed.

(** [if c { x } else { undef }]: what is undefined does not move *)
Example undefined_agrees c : agrees
  (If Scalar Scalar Scalar c (Yield _ _ (Value _ _ one)) (statement (Undef _ _)) (Yield _ _ (Value _ _ (Tangent (First Here)))))
  (push_undefined c) (pull_undefined c).
Proof. destruct c; check. Qed.

(** [if c { a } else { [1, 2] }]: neither does a constant *)
Example zero_agrees c k n : agrees
  (If (Array n Scalar) (Array n Scalar) (Array n Scalar) c (Yield _ _ (Value _ _ one)) (statement (Zero _ _))
    (Yield _ _ (Value _ _ (Tangent (First Here)))))
  (push_zero c k) (pull_zero c).
Proof. destruct c; check. Qed.

(** [f(x, y) + x], where [f(x, y) = -x + y] *)
Example call_agrees : agrees
  (Call (Pair Scalar Scalar) (Pair Scalar Scalar) Scalar Scalar
    (Let _ _ _ (Neg _ fst_of_two) (statement (Plus _ _ (Tangent (First Here)) (Tangent (Second (Second Here))))))
    (Both _ _ _ (Value _ _ fst_of_two) (Value _ _ snd_of_two))
    (statement (Plus _ _ (Tangent (First Here)) (Tangent (Second (First Here))))))
  (fun v => push_call (fst v) (snd v)) pull_call.
Proof. check. Qed.

(** [part = acc[lo:hi]; part[j] += x] *)
Example accumulate_range_agrees n lo len j (inside : (lo + len <= n)%nat) (inside' : (j < len)%nat) : agrees
  (Let (Pair (Array n Scalar) Scalar) _ _ (Copy _ _ fst_of_two)
    (AddAcc _ _ _ (First (Range lo len inside (At j inside' Here))) (Tangent (Second (Second Here)))
      (statement (Copy _ _ (Tangent (First Here))))))
  (fun v => push_accumulate_range lo (lo + len) j (fst v) (snd v)) (pull_accumulate_range lo (lo + len) j).
Proof. check. Qed.

(** [f(x, y) + x], where the user's pullback of [f] takes [bar] to [-bar] and [bar * x]. In forward mode the compiler
    has transposed the pullback; in reverse mode it calls it. *)
Example custom_agrees x y z : agrees
  (Custom (Pair Scalar Scalar) (Pair Scalar Scalar) Scalar Scalar
    (Let _ _ _ (Neg _ one) (Let _ _ _ (Mul _ (Tangent (Second Here)) x)
      (Yield _ _ (Both _ _ _ (Value _ _ (Tangent (Second (First Here)))) (Value _ _ (Tangent (First Here)))))))
    (Both _ _ _ (Value _ _ fst_of_two) (Value _ _ snd_of_two))
    (statement (Plus _ _ (Tangent (First Here)) (Tangent (Second (First Here))))))
  (fun v => push_custom x (fst v) (snd v)) (pull_custom x y z).
Proof. check. Qed.

(** ** Data

    A tangent of data is the tangents of the fields of the constructor that the value has: here a pair. The zero of all
    shapes is a constructor too. *)
Definition con_fields (t : con_T_Shape) : R * R := match t with con_T_Shape_Box x y => (x, y) | _ => (0, 0) end.

Example con_agrees :
  agrees (statement (Con (Pair Scalar Scalar) _ _ fst_of_two snd_of_two))
    (fun v => con_fields (push_con (fst v) (snd v))) (fun u => pull_con (con_T_Shape_Box (fst u) (snd u))) /\
  pull_con con_T_Shape_Zero = (0, 0).
Proof. split; [check | reflexivity]. Qed.

Definition match_fields (t : match_T_Shape) : R * R := match t with match_T_Shape_Box x y => (x, y) | _ => (0, 0) end.

(** [match s { Box(a, b) => a + x - b, else => -x }]: each of the two arms *)
Example match_box_agrees a b : agrees
  (Match (Pair (Pair Scalar Scalar) Scalar) Scalar Scalar 0 (fun _ =>
      Let _ _ _ (Plus _ _ (Tangent (First (First Here))) (Tangent (Second Here)))
        (Let _ _ _ (Neg _ (Tangent (Second (First (Second Here)))))
          (statement (Plus _ _ (Tangent (Second (First Here))) (Tangent (First Here))))))
    (Yield _ _ (Value _ _ (Tangent (First Here)))))
  (fun v => push_match (match_Shape_Box a b) (match_T_Shape_Box (fst (fst v)) (snd (fst v))) (snd v))
  (fun u => let (t, x) := pull_match (match_Shape_Box a b) u in (match_fields t, x)).
Proof. check. Qed.

Example match_disc_agrees a t : agrees
  (Match Scalar Scalar Scalar 1 (fun _ => statement (Neg _ one)) (Yield _ _ (Value _ _ (Tangent (First Here)))))
  (fun v => push_match (match_Shape_Disc a) t v) (fun u => snd (pull_match (match_Shape_Disc a) u)) /\
  forall u, fst (pull_match (match_Shape_Disc a) u) = match_T_Shape_Zero.
Proof. split; [check | reflexivity]. Qed.

(** ** Loops

    What the compiler makes of loops is adjoint. The adjoint is unique, so it is the transpose of the model. *)
Lemma adjoint_unique s : forall x y, (forall v, dot s x v = dot s y v) -> same s x y.
Proof.
  induction s; simpl; intros x y H.
  - exact I.
  - specialize (H 1). lra.
  - split.
    + apply IHs1. intro v. specialize (H (v, zero s2)). simpl in H. rewrite !dot_zero_r in H. lra.
    + apply IHs2. intro v. specialize (H (zero s1, v)). simpl in H. rewrite !dot_zero_r in H. lra.
  - intros i L. apply IHs. intro v. specialize (H (fun j => if Nat.eqb j i then v else zero s)).
    assert (A : forall x : nat -> el s,
      sum_below n (fun j => dot s (x j) (if Nat.eqb j i then v else zero s)) = dot s (x i) v).
    { intro z. rewrite (sum_ext n _ (fun j => if Nat.eqb j i then dot s (z j) v else 0)).
      - rewrite (sum_at n i (fun _ => 0) (fun j => dot s (z j) v)) by exact L. rewrite sum_0. ring.
      - intros j _. destruct (Nat.eqb j i); [reflexivity | apply dot_zero_r]. }
    rewrite !A in H. exact H.
Qed.

(** [for i < n { collect a[i] + x }] *)
Theorem map_adjoint n (u a : nat -> R) (x : R) :
  dot (Pair (Array n Scalar) Scalar) (pull_map n u) (a, x) = dot (Array n Scalar) u (push_map n a x).
Proof.
  set (step := fun i '(acc_x, acc_a) => (add_at0_0 (u i) acc_x, add_at1_0 i (u i) acc_a) : R * (nat -> R)).
  assert (H : forall m, (m <= n)%nat -> let (acc_x, acc_a) := loop_up m step (0, zero1) in
    sum_below n (fun j => acc_a j * a j) + acc_x * x = sum_below m (fun i => u i * (a i + x))).
  { induction m; intro L; simpl.
    - rewrite (sum_ext n _ (fun _ => 0)) by (intros; unfold zero1; ring). rewrite sum_0. ring.
    - specialize (IHm ltac:(lia)). destruct (loop_up m step (0, zero1)) as [acc_x acc_a]. simpl.
      rewrite (sum_ext n _ (fun j => if Nat.eqb j m then (acc_a j + u j) * a j else acc_a j * a j)).
      + rewrite (sum_at n m (fun j => acc_a j * a j) (fun j => (acc_a j + u j) * a j)) by lia.
        rewrite <- IHm. unfold add_at0_0. ring.
      + intros j _. unfold add_at1_0, at_place, add_at0_0. destruct (Nat.eqb_spec j m); subst; reflexivity. }
  specialize (H n (le_n n)). unfold pull_map, new_acc, read_acc. fold step.
  change (loop_up n _ (0, zero1)) with (loop_up n step (0, zero1)).
  destruct (loop_up n step (0, zero1)) as [acc_x acc_a]. exact H.
Qed.

(** A loop of adjoint iterations is adjoint to the loop the other way round. *)
Lemma loop_reversed G (step back : nat -> el G -> el G) n :
  (forall k bars env, (k < n)%nat -> dot G (back k bars) env = dot G bars (step k env)) -> forall bars env,
  dot G (loop_down n back bars) env = dot G bars (loop_up n step env) /\
  dot G (loop_up n back bars) env = dot G bars (loop_down n step env).
Proof.
  induction n; simpl; intros H bars env; [now split|].
  destruct (IHn ltac:(intros; apply H; lia) (back n bars) env) as [A _].
  destruct (IHn ltac:(intros; apply H; lia) bars (step n env)) as [_ B].
  split; [rewrite A | rewrite H by lia; rewrite B]; [apply H; lia | reflexivity].
Qed.

(** [for i < n with t = x { yield -t + a[i] }]: one iteration, and its transpose *)
Definition fold_step (i : nat) (env : R * (nat -> R)) : R * (nat -> R) := (add (neg (fst env)) (snd env i), snd env).
Definition fold_back (i : nat) (bars : R * (nat -> R)) : R * (nat -> R) :=
  (neg (fst bars), add_at1_0 i (fst bars) (snd bars)).

Lemma fold_step_adjoint n k bars env : (k < n)%nat ->
  dot (Pair Scalar (Array n Scalar)) (fold_back k bars) env = dot (Pair Scalar (Array n Scalar)) bars (fold_step k env).
Proof.
  intro L. destruct bars as [t_bar acc], env as [t a]. simpl.
  rewrite (sum_ext n _ (fun j => if Nat.eqb j k then (acc j + t_bar) * a j else acc j * a j)).
  - rewrite (sum_at n k (fun j => acc j * a j) (fun j => (acc j + t_bar) * a j)) by exact L. unfold add, neg. ring.
  - intros j _. unfold add_at1_0, at_place, add_at0_0. now destruct (Nat.eqb j k).
Qed.

Theorem fold_adjoint n (u : R) (a : nat -> R) (x : R) :
  dot (Pair (Array n Scalar) Scalar) (pull_fold n u) (a, x) = u * push_fold n a x.
Proof.
  destruct (loop_reversed (Pair Scalar (Array n Scalar)) fold_step fold_back n
    (fun k b e => fold_step_adjoint n k b e) (u, zero1) (x, a)) as [H _].
  assert (P : forall m, loop_up m fold_step (x, a)
    = (loop_up m (fun i t => add (neg t) (index1 a i)) x, a)).
  { induction m; simpl; [reflexivity|]. now rewrite IHm. }
  assert (B : forall m s, loop_down m fold_back s = loop_down m (fun i '(t_bar, acc) =>
    (neg t_bar, add_at1_0 i t_bar acc)) s).
  { induction m; simpl; [reflexivity|]. intros [t_bar acc]. apply IHm. }
  simpl in H. rewrite P, B in H. unfold pull_fold, push_fold, new_acc, read_acc. simpl in *.
  change (loop_down n _ (u, zero1)) with (loop_down n (fun i '(t_bar, acc) =>
    (neg t_bar, add_at1_0 i t_bar acc)) (u, zero1)).
  destruct (loop_down n _ (u, zero1)) as [t_bar acc]. simpl in *.
  rewrite (sum_ext n (fun i => zero1 i * a i) (fun _ => 0)), sum_0 in H by (intros; unfold zero1; ring).
  rewrite Rplus_0_r in H. rewrite <- H. ring.
Qed.

Theorem fold_down_adjoint n (u : R) (a : nat -> R) (x : R) :
  dot (Pair (Array n Scalar) Scalar) (pull_fold_down n u) (a, x) = u * push_fold_down n a x.
Proof.
  destruct (loop_reversed (Pair Scalar (Array n Scalar)) fold_step fold_back n
    (fun k b e => fold_step_adjoint n k b e) (u, zero1) (x, a)) as [_ H].
  assert (P : forall m x, loop_down m fold_step (x, a)
    = (loop_down m (fun i t => add (neg t) (index1 a i)) x, a)).
  { induction m; simpl; [reflexivity|]. intro y. apply IHm. }
  assert (B : forall m, loop_up m fold_back (u, zero1) = loop_up m (fun i '(t_bar, acc) =>
    (neg t_bar, add_at1_0 i t_bar acc)) (u, zero1)).
  { induction m; simpl; [reflexivity|]. rewrite IHm.
    match goal with |- fold_back m ?s = _ => now destruct s end. }
  simpl in H. rewrite P, B in H. unfold pull_fold_down, push_fold_down, new_acc, read_acc. simpl in *.
  change (loop_up n _ (u, zero1)) with (loop_up n (fun i '(t_bar, acc) =>
    (neg t_bar, add_at1_0 i t_bar acc)) (u, zero1)).
  destruct (loop_up n _ (u, zero1)) as [t_bar acc]. simpl in *.
  rewrite (sum_ext n (fun i => zero1 i * a i) (fun _ => 0)), sum_0 in H by (intros; unfold zero1; ring).
  rewrite Rplus_0_r in H. rewrite <- H. ring.
Qed.
