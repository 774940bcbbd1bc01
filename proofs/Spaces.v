(** * The spaces that tangents and cotangents live in

    Modelled: a [space] is made of reals by pairs and by arrays of a size. An element of an array is the function from
    indices to elements; only the indices below the size count, and only they occur in the inner product [dot]. A
    [place] is a part of an element: a half of a pair, an element of an array, a range of an array. So a variable of an
    environment, an element [a[i]] and a range [a[lo:hi]] are all places.

    Proved: [dot] is an inner product, and [dot_change] says what it becomes when the element at a place changes. *)
From Coq Require Import Reals Psatz Arith Lia Bool.
From Pullback Require Import Ir.
Open Scope R_scope.

Inductive space := Unit | Scalar | Pair (a b : space) | Array (n : nat) (a : space).

Fixpoint el (s : space) : Type := match s with
  | Unit => unit
  | Scalar => R
  | Pair a b => (el a * el b)%type
  | Array _ a => nat -> el a
  end.

Fixpoint zero (s : space) : el s := match s with
  | Unit => tt
  | Scalar => 0
  | Pair a b => (zero a, zero b)
  | Array _ a => fun _ => zero a
  end.

Fixpoint plus (s : space) : el s -> el s -> el s := match s with
  | Unit => fun _ _ => tt
  | Scalar => Rplus
  | Pair a b => fun x y => (plus a (fst x) (fst y), plus b (snd x) (snd y))
  | Array _ a => fun x y i => plus a (x i) (y i)
  end.

Fixpoint dot (s : space) : el s -> el s -> R := match s with
  | Unit => fun _ _ => 0
  | Scalar => Rmult
  | Pair a b => fun x y => dot a (fst x) (fst y) + dot b (snd x) (snd y)
  | Array n a => fun x y => sum_below n (fun i => dot a (x i) (y i))
  end.

(** ** Finite sums *)
Lemma sum_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> sum_below n f = sum_below n g.
Proof. induction n; simpl; intro H; [reflexivity|]. rewrite IHn, H; auto. Qed.

Lemma sum_0 n : sum_below n (fun _ => 0) = 0.
Proof. induction n; simpl; [reflexivity|]. rewrite IHn. ring. Qed.

Lemma sum_plus n f g : sum_below n (fun i => f i + g i) = sum_below n f + sum_below n g.
Proof. induction n; simpl; [ring|]. rewrite IHn. ring. Qed.

Lemma sum_scale n k f : sum_below n (fun i => k * f i) = k * sum_below n f.
Proof. induction n; simpl; [ring|]. rewrite IHn. ring. Qed.

Lemma sum_split n m f : sum_below (n + m) f = sum_below n f + sum_below m (fun i => f (n + i)%nat).
Proof.
  induction m; simpl.
  - rewrite Nat.add_0_r. ring.
  - rewrite Nat.add_succ_r. simpl. rewrite IHm. ring.
Qed.

(* one summand changes *)
Lemma sum_at n i f g : (i < n)%nat ->
  sum_below n (fun j => if Nat.eqb j i then g j else f j) = sum_below n f + (g i - f i).
Proof.
  induction n; intro L; [lia|]. simpl. destruct (Nat.eqb_spec n i).
  - subst. rewrite (sum_ext i _ f); [ring|]. intros j J. destruct (Nat.eqb_spec j i); [lia | reflexivity].
  - rewrite IHn by lia. ring.
Qed.

(* the summands of a range change *)
Lemma sum_range n lo len f g : (lo + len <= n)%nat ->
  sum_below n (fun j => if (Nat.leb lo j && Nat.ltb j (lo + len))%bool then g (j - lo)%nat else f j)
  = sum_below n f + (sum_below len g - sum_below len (fun k => f (lo + k)%nat)).
Proof.
  intro L. set (h := fun j => if (Nat.leb lo j && Nat.ltb j (lo + len))%bool then g (j - lo)%nat else f j).
  replace n with (lo + len + (n - (lo + len)))%nat by lia. rewrite !sum_split.
  assert (A : sum_below lo h = sum_below lo f).
  { apply sum_ext. intros i I. unfold h. destruct (Nat.leb_spec lo i), (Nat.ltb_spec i (lo + len)); simpl; auto; lia. }
  assert (B : sum_below len (fun i => h (lo + i)%nat) = sum_below len g).
  { apply sum_ext. intros i I. unfold h.
    destruct (Nat.leb_spec lo (lo + i)), (Nat.ltb_spec (lo + i) (lo + len)); simpl; try lia. f_equal. lia. }
  assert (C : forall m, sum_below m (fun i => h (lo + len + i)%nat) = sum_below m (fun i => f (lo + len + i)%nat)).
  { intro m. apply sum_ext. intros i I. unfold h.
    destruct (Nat.leb_spec lo (lo + len + i)), (Nat.ltb_spec (lo + len + i) (lo + len)); simpl; auto; lia. }
  rewrite A, B, C. ring.
Qed.

Lemma sum_reverse n f : sum_below n (fun k => f (n - 1 - k)%nat) = sum_below n f.
Proof.
  induction n; [reflexivity|]. replace (S n) with (1 + n)%nat at 1 by lia. rewrite sum_split. simpl.
  rewrite <- IHn. rewrite (sum_ext n (fun i => f (n - 0 - S i)%nat) (fun k => f (n - 1 - k)%nat)).
  - rewrite !Nat.sub_0_r. ring.
  - intros i I. f_equal. lia.
Qed.

Lemma sum_rows n m (f : nat -> R) : (0 < m)%nat ->
  sum_below (n * m) f = sum_below n (fun i => sum_below m (fun j => f (i * m + j)%nat)).
Proof.
  intro M. induction n; [reflexivity|]. simpl. rewrite (Nat.add_comm m), sum_split, IHn. reflexivity.
Qed.

(** ** The inner product *)
Lemma dot_sym s : forall x y, dot s x y = dot s y x.
Proof. induction s; simpl; intros; [reflexivity | ring | now rewrite IHs1, IHs2 | apply sum_ext; auto]. Qed.

Lemma dot_zero_l s : forall x, dot s (zero s) x = 0.
Proof.
  induction s; simpl; intro x; [reflexivity | ring | rewrite IHs1, IHs2; ring |].
  rewrite (sum_ext n _ (fun _ => 0)) by auto. apply sum_0.
Qed.

Lemma dot_zero_r s x : dot s x (zero s) = 0.
Proof. rewrite dot_sym. apply dot_zero_l. Qed.

Lemma dot_plus_l s : forall x y z, dot s (plus s x y) z = dot s x z + dot s y z.
Proof.
  induction s; simpl; intros; [ring | ring | rewrite IHs1, IHs2; ring |].
  rewrite <- sum_plus. apply sum_ext. auto.
Qed.

Lemma dot_plus_r s x y z : dot s x (plus s y z) = dot s x y + dot s x z.
Proof. rewrite dot_sym, dot_plus_l. now rewrite (dot_sym s y), (dot_sym s z). Qed.

(** ** Places: [place s c] is a part in [s] of an element of [c] *)
Inductive place (s : space) : space -> Type :=
  | Here : place s s
  | First a b (p : place s a) : place s (Pair a b)
  | Second a b (p : place s b) : place s (Pair a b)
  | At n a (i : nat) (inside : (i < n)%nat) (p : place s a) : place s (Array n a)
  | Range n a (lo len : nat) (inside : (lo + len <= n)%nat) (p : place s (Array len a)) : place s (Array n a).
Arguments Here {s}.
Arguments First {s a b}.
Arguments Second {s a b}.
Arguments At {s n a}.
Arguments Range {s n a}.

Fixpoint read {s c} (p : place s c) : el c -> el s := match p with
  | Here => fun x => x
  | First p => fun x => read p (fst x)
  | Second p => fun x => read p (snd x)
  | At i _ p => fun x => read p (x i)
  | Range lo _ _ p => fun x => read p (fun k => x (lo + k)%nat)
  end.

Fixpoint change {s c} (p : place s c) (f : el s -> el s) : el c -> el c := match p with
  | Here => f
  | First p => fun x => (change p f (fst x), snd x)
  | Second p => fun x => (fst x, change p f (snd x))
  | At i _ p => at_place i (change p f)
  | Range lo len _ p => range_place lo (lo + len) (change p f)
  end.

(** [acc[p] += x] and [a with [p] = x] *)
Definition add_to {s c} (p : place s c) (x : el s) : el c -> el c := change p (fun y => plus s y x).
Definition set {s c} (p : place s c) (x : el s) : el c -> el c := change p (fun _ => x).

Lemma dot_change {s c} (p : place s c) f : forall b v,
  dot c (change p f b) v = dot c b v + (dot s (f (read p b)) (read p v) - dot s (read p b) (read p v)).
Proof.
  induction p; intros u v; simpl.
  - ring.
  - rewrite IHp. ring.
  - rewrite IHp. ring.
  - unfold at_place. rewrite (sum_ext n _
      (fun j => if Nat.eqb j i then dot a (change p f (u j)) (v j) else dot a (u j) (v j))).
    + rewrite sum_at by exact inside. rewrite IHp. ring.
    + intros j _. now destruct (Nat.eqb j i).
  - set (g := fun k => dot a (change p f (fun k => u (lo + k)%nat) k) (v (lo + k)%nat)).
    transitivity (sum_below n (fun j =>
      if (Nat.leb lo j && Nat.ltb j (lo + len))%bool then g (j - lo)%nat else dot a (u j) (v j))).
    + apply sum_ext. intros j _. unfold range_place, g.
      destruct (Nat.leb_spec lo j), (Nat.ltb_spec j (lo + len)); simpl; auto.
      now replace (lo + (j - lo))%nat with j by lia.
    + rewrite (sum_range n lo len (fun j => dot a (u j) (v j)) g) by exact inside.
      specialize (IHp (fun k => u (lo + k)%nat) (fun k => v (lo + k)%nat)). simpl in IHp.
      unfold g. rewrite IHp. ring.
Qed.

Lemma dot_add_to {s c} (p : place s c) x b v : dot c (add_to p x b) v = dot c b v + dot s x (read p v).
Proof. unfold add_to. rewrite dot_change, dot_plus_l. ring. Qed.
