(** * The laws of the optimiser for arrays, sums and choices

    Code: crates/opt/src/local/simplify (array.rs, data.rs, sign.rs, and choices and strong products in scalar.rs),
    crates/opt/src/local (drop_strong_zeros.rs, if_conversion.rs), crates/opt/src/loops (guarded_reductions.rs,
    reductions.rs, unroll.rs, congruent_states.rs), crates/opt/src/accumulators.

    Continues [Rewrites]. The names of operations are those of [Ir]. An array is the function from its indices to its
    elements, so two arrays of size n are the same if they have the same elements below n. Laws of sizes are not here, as
    sizes are a premise of the model. That a law keeps every bit is left to tests, and so is the order of terms of a sum. *)
From Coq Require Import Reals Psatz Arith Lia List Bool.
From Coquelicot Require Import Coquelicot.
From Pullback Require Import Ir Spaces.
Import ListNotations.
Open Scope R_scope.

(** ** Choices *)
Theorem laws_of_choices A (p : bool) (x y : A) : select true x y = x /\ select false x y = y /\ select p x x = x /\
  select (negb p) x y = select p y x /\ select p true false = p /\ select p false true = negb p.
Proof. now destruct p. Qed.

(** A sum that a branch adds to, or not, is the sum with a term that may be neutral. *)
Theorem guarded_reduction (p : bool) s x : (if p then s + x else s) = s + (if p then x else 0) /\
  (if p then s - x else s) = s - (if p then x else 0).
Proof. destruct p; split; ring. Qed.

(** The guarded derivative of a logarithm is a quotient. *)
Theorem sign_law x : 0 < x -> (if Rlt_dec 0 x then 1 / x else exp (- ln x)) = 1 / x /\ exp (- ln x) = 1 / x.
Proof.
  intro P. rewrite exp_Ropp, exp_ln by exact P. split; [destruct (Rlt_dec 0 x)|]; unfold Rdiv; ring.
Qed.

(** ** Products with a tangent that may be absent *)
Theorem laws_of_strong_products t x : mul_zero 0 x = 0 /\ mul_zero t x = mul t x.
Proof. unfold mul_zero, mul. split; destruct (Req_EM_T _ 0); try lra. subst. ring. Qed.

(** ** Elements *)
Section Elements.
Context {A : Type}.
Implicit Types (a b u : nat -> A) (v : A).

Theorem reading_an_update a v i j : update1 a i v i = v /\ (i <> j -> update1 a i v j = a j).
Proof.
  unfold update1. split; [now rewrite Nat.eqb_refl|]. intro N. now destruct (Nat.eqb_spec j i) as [->|].
Qed.

Theorem updating_an_update a v w i j : update1 (update1 a i w) i v j = update1 a i v j.
Proof. unfold update1. now destruct (Nat.eqb j i). Qed.

Theorem updating_with_itself a i j : update1 a i (a i) j = a j.
Proof. unfold update1. now destruct (Nat.eqb_spec j i) as [->|]. Qed.

Theorem reading_a_slice a lo hi i : slice a lo hi i = a (lo + i)%nat.
Proof. reflexivity. Qed.

Theorem slicing_all a n i : slice a 0 n i = a i.
Proof. reflexivity. Qed.

Theorem slicing_a_slice a lo hi lo' hi' i : slice (slice a lo hi) lo' hi' i = slice a (lo + lo') (lo + hi') i.
Proof. unfold slice. f_equal. lia. Qed.

Theorem reading_both n a b i : ((i < n)%nat -> concat n a b i = a i) /\ concat n a b (n + i)%nat = b i.
Proof.
  unfold concat. split; [intro L; now rewrite (proj2 (Nat.ltb_lt i n) L)|].
  destruct (Nat.ltb_spec (n + i) n); [lia|]. f_equal. lia.
Qed.

Theorem slicing_both n m a b i : ((i < n)%nat -> slice (concat n a b) 0 n i = a i) /\
  slice (concat n a b) n (n + m) i = b i.
Proof. unfold slice. apply (reading_both n a b i). Qed.

(** Rows of rows: an element of a row, also of a new one. *)
Theorem reading_a_row (a : nat -> nat -> A) i j : index1 (index1 a i) j = index2 a i j.
Proof. reflexivity. Qed.

Theorem updating_a_row (a : nat -> nat -> A) v i j k l :
  update1 a i (update1 (a i) j v) k l = (if Nat.eqb k i then if Nat.eqb l j then v else a k l else a k l).
Proof. unfold update1. destruct (Nat.eqb_spec k i) as [->|]; reflexivity. Qed.

Theorem reading_flattened n m (a : nat -> nat -> A) i j : (i < n)%nat -> (j < m)%nat ->
  flatten m a (i * m + j)%nat = a i j.
Proof.
  intros _ L. unfold flatten. f_equal.
  - rewrite Nat.div_add_l, Nat.div_small by lia. lia.
  - rewrite Nat.add_comm, Nat.mod_add, Nat.mod_small by lia. reflexivity.
Qed.
End Elements.

(** Arrays that are written out *)
Theorem laws_of_literals (xs ys : list R) v i : (array0 (xs ++ ys) i = concat (length xs) (array0 xs) (array0 ys) i) /\
  ((i < length xs)%nat -> forall j,
    update1 (array0 xs) i v j = array0 (firstn i xs ++ v :: skipn (S i) xs) j) /\
  slice (array0 xs) i (length xs) = array0 (skipn i xs).
Proof.
  unfold array0, concat, update1, slice. repeat split.
  - destruct (Nat.ltb_spec i (length xs)); [now apply app_nth1 | now apply app_nth2].
  - intros L j. assert (F : length (firstn i xs) = i) by (rewrite firstn_length; lia).
    destruct (Nat.eqb_spec j i) as [->|N].
    + rewrite app_nth2 by lia. now rewrite F, Nat.sub_diag.
    + destruct (Nat.lt_ge_cases j i) as [J|J].
      * rewrite app_nth1 by lia. symmetry. rewrite <- (firstn_skipn i xs) at 2. rewrite app_nth1 by lia. reflexivity.
      * rewrite app_nth2 by lia. rewrite F. destruct (j - i)%nat as [|k] eqn:K; [lia|]. simpl.
        rewrite <- (firstn_skipn (S i) xs) at 1. rewrite app_nth2; rewrite firstn_length, Nat.min_l by lia; [f_equal; lia | lia].
  - apply FunctionalExtensionality.functional_extensionality. intro k. rewrite <- (firstn_skipn i xs) at 1.
    destruct (Nat.lt_ge_cases i (length xs)) as [L|L].
    + rewrite app_nth2; rewrite firstn_length, Nat.min_l by lia; [f_equal; lia | lia].
    + rewrite (skipn_all2 xs) by lia. rewrite app_nil_r, firstn_all2 by lia. rewrite !nth_overflow; simpl; (reflexivity || lia).
Qed.

(** ** Sums of cotangents *)
Lemma plus_comm s : forall x y : el s, plus s x y = plus s y x.
Proof.
  induction s; simpl; intros; [reflexivity | ring | now rewrite IHs1, IHs2 |].
  apply FunctionalExtensionality.functional_extensionality. intro. apply IHs.
Qed.

Lemma plus_assoc s : forall x y z : el s, plus s (plus s x y) z = plus s x (plus s y z).
Proof.
  induction s; simpl; intros; [reflexivity | ring | now rewrite IHs1, IHs2 |].
  apply FunctionalExtensionality.functional_extensionality. intro. apply IHs.
Qed.

Lemma plus_zero s : forall x : el s, plus s x (zero s) = x.
Proof.
  induction s; simpl; intro x; [now destruct x | ring | destruct x; simpl; now rewrite IHs1, IHs2 |].
  apply FunctionalExtensionality.functional_extensionality. intro. apply IHs.
Qed.

Theorem laws_of_sums s (x : el s) : plus s x (zero s) = x /\ plus s (zero s) x = x /\ plus Scalar = Rplus.
Proof. split; [apply plus_zero | split; [rewrite plus_comm; apply plus_zero | reflexivity]]. Qed.

(** Tangents of rows are added element by element. *)
Theorem sum_of_rows n s (x y : el (Array n s)) i : plus (Array n s) x y i = plus s (x i) (y i).
Proof. reflexivity. Qed.

(** A literal's sum is written out; a loop of additions is a sum, from any number on. *)
Theorem sum_of_a_loop n e s : loop_up n (fun i s => s + e i) s = s + sum n e.
Proof. unfold sum. induction n; simpl; [ring|]. rewrite IHn. ring. Qed.

Theorem sum_of_both n m a b : sum (n + m) (concat n a b) = sum n a + sum m b.
Proof.
  unfold sum. rewrite sum_split. f_equal; apply sum_ext; intros i I; unfold concat.
  - now rewrite (proj2 (Nat.ltb_lt i n) I).
  - destruct (Nat.ltb_spec (n + i) n); [lia|]. f_equal. lia.
Qed.

(** ** Loops *)
Theorem unrolled A (b : nat -> A -> A) x : loop_up 3 b x = b 2%nat (b 1%nat (b 0%nat x)) /\
  loop_down 3 b x = b 0%nat (b 1%nat (b 2%nat x)).
Proof. split; reflexivity. Qed.

Theorem one_more_iteration A n (b : nat -> A -> A) x : loop_up (1 + n) b x = loop_up n (fun i => b (S i)) (b 0%nat x).
Proof. induction n; [reflexivity|]. simpl in *. now rewrite IHn. Qed.

(** States that begin alike and go on alike are one. *)
Theorem congruent_states A n (f g : nat -> A -> A -> A) a : (forall i z, f i z z = g i z z) ->
  loop_up n (fun i s => (f i (fst s) (snd s), g i (fst s) (snd s))) (a, a) =
  let x := loop_up n (fun i x => f i x x) a in (x, x).
Proof. intro H. induction n; simpl; [reflexivity|]. rewrite IHn. simpl. now rewrite <- H. Qed.

(** What the elements of an array are put in their places, and what a loop reads of it is what was put there. *)
Theorem fused A B n (e : nat -> A) (b : nat -> A -> B -> B) s :
  loop_up n (fun i => b i (e i)) s = loop_up n (fun i => b i (index1 (fun j => e j) i)) s.
Proof. reflexivity. Qed.

(** ** Accumulators *)
Section Accumulators.
Context {s : space}.

(** One addition is an update of what is there, *)
Theorem addition_is_an_update n (i : nat) (inside : (i < n)%nat) (x : el s) (acc : el (Array n s)) :
  add_to (At i inside Here) x acc = update1 acc i (plus s (acc i) x).
Proof.
  apply FunctionalExtensionality.functional_extensionality. intro j. unfold add_to, update1. simpl. unfold at_place.
  now destruct (Nat.eqb_spec j i) as [->|].
Qed.

(** and what an accumulator begins with may be added at the end. *)
Lemma add_after c (p : place s c) (x : el s) : forall a b, add_to p x (plus c a b) = plus c a (add_to p x b).
Proof.
  unfold add_to. induction p; simpl; intros u v.
  - apply plus_assoc.
  - now rewrite IHp.
  - now rewrite IHp.
  - apply FunctionalExtensionality.functional_extensionality. intro j. unfold at_place.
    destruct (Nat.eqb j i); [apply IHp | reflexivity].
  - apply FunctionalExtensionality.functional_extensionality. intro j. unfold range_place.
    destruct (Nat.leb_spec lo j) as [L|]; [|reflexivity]. destruct (Nat.ltb j (lo + len)); [|reflexivity]. simpl.
    replace (u j) with (u (lo + (j - lo))%nat) by (f_equal; lia).
    exact (f_equal (fun f => f (j - lo)%nat) (IHp (fun k => u (lo + k)%nat) (fun k => v (lo + k)%nat))).
Qed.

Theorem start_with_an_addend c n (p : nat -> place s c) (x : nat -> el s) a :
  plus c a (loop_up n (fun i => add_to (p i) (x i)) (zero c)) = loop_up n (fun i => add_to (p i) (x i)) a.
Proof. induction n; simpl; [apply plus_zero|]. now rewrite <- add_after, IHn. Qed.

(** Additions may change places. So loops around them may. *)
Theorem additions_commute c (p q : place s c) (x y : el s) acc :
  add_to p x (add_to q y acc) = add_to q y (add_to p x acc).
Proof.
  assert (Z : forall (p : place s c) x acc, add_to p x acc = plus c acc (add_to p x (zero c))).
  { intros r z a. rewrite <- add_after. now rewrite plus_zero. }
  rewrite (Z p x (add_to q y acc)), (Z q y acc), (Z q y (add_to p x acc)), (Z p x acc), !plus_assoc. f_equal. apply plus_comm.
Qed.

Lemma additions_and_loops c (p : place s c) (x : el s) n (q : nat -> place s c) y : forall acc,
  add_to p x (loop_up n (fun i => add_to (q i) (y i)) acc) = loop_up n (fun i => add_to (q i) (y i)) (add_to p x acc).
Proof. induction n; simpl; intro acc; [reflexivity|]. now rewrite additions_commute, IHn. Qed.

Lemma loops_and_loops c n m (p q : nat -> place s c) (x y : nat -> el s) : forall acc,
  loop_up n (fun i => add_to (p i) (x i)) (loop_up m (fun j => add_to (q j) (y j)) acc) =
  loop_up m (fun j => add_to (q j) (y j)) (loop_up n (fun i => add_to (p i) (x i)) acc).
Proof. induction n; simpl; intro acc; [reflexivity|]. now rewrite IHn, additions_and_loops. Qed.

Theorem interchanged_loops c n m (p : nat -> nat -> place s c) (x : nat -> nat -> el s) acc :
  loop_up n (fun i => loop_up m (fun j => add_to (p i j) (x i j))) acc =
  loop_up m (fun j => loop_up n (fun i => add_to (p i j) (x i j))) acc.
Proof.
  induction n; simpl.
  - induction m; simpl; [reflexivity | exact IHm].
  - rewrite IHn. clear IHn. revert acc. induction m; simpl; intro acc; [reflexivity|].
    f_equal. rewrite <- IHm.
    exact (loops_and_loops c m n (fun j => p n j) (fun i => p i m) (fun j => x n j) (fun i => x i m) _).
Qed.
End Accumulators.

(** A scatter to the places of a loop is a map. *)
Theorem scatter_to_a_map n (v x : nat -> R) i :
  loop_up n (fun i acc => update1 acc i (acc i + v i)) x i = if Nat.ltb i n then x i + v i else x i.
Proof.
  induction n; simpl; [reflexivity|]. unfold update1 at 1.
  destruct (Nat.eqb_spec i n) as [->|N]; rewrite IHn.
  - rewrite (proj2 (Nat.ltb_ge n n)) by lia. now rewrite (proj2 (Nat.ltb_lt n (S n))) by lia.
  - destruct (Nat.ltb_spec i n), (Nat.ltb_spec i (S n)); (reflexivity || lia).
Qed.
