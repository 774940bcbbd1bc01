(** * Inputs and results of any first-order type

    Paper: Krawiec and others, "Provably Correct, Asymptotically Efficient, Higher-Order Reverse-Mode AD"; section 9 with
    figure 16.

    Modelled: main expressions from [S] to [T], which are data without functions ([data]): reals, integers, pairs and
    sums. The translations are those of [ForwardMode] and [DeltaTranslation]; only what is around them changes. [zip] and
    [delta_of] are those of figure 16, and [dualise] is its [initVars]: it names the reals of an input from left to right.

    Proved: [forward_general], that the forward derivative is the derivative, part by part; [reverse_general_correct], that
    the reverse derivative is adjoint to it, for a curve of inputs that keeps its shape. *)
From Coq Require Import Reals Psatz List Arith Lia.
From Coquelicot Require Import Coquelicot.
From Pullback Require Import ForwardMode DeltaTranslation Evaluation.
Open Scope R_scope.

Inductive data := Real | Discrete | Both (a b : data) | Either (a b : data).

Fixpoint ty (d : data) : type := match d with
  | Real => TR
  | Discrete => TZ
  | Both a b => Prod (ty a) (ty b)
  | Either a b => Sum (ty a) (ty b)
  end.

(** The curve [x] keeps its shape, and the reals of [x'] are the derivatives of its reals. *)
Fixpoint derives (d : data) : (R -> value (ty d)) -> (R -> value (ty d)) -> Prop := match d with
  | Real => fun x x' => forall t, is_derive x t (x' t)
  | Discrete => fun x _ => exists z, forall t, x t = z
  | Both a b => fun x x' =>
      derives a (fun t => fst (x t)) (fun t => fst (x' t)) /\ derives b (fun t => snd (x t)) (fun t => snd (x' t))
  | Either a b => fun x x' =>
      (exists u u', derives a u u' /\ (forall t, x t = inl (u t)) /\ forall t, x' t = inl (u' t)) \/
      (exists u u', derives b u u' /\ (forall t, x t = inr (u t)) /\ forall t, x' t = inr (u' t))
  end.

(** ** Forward mode *)
Fixpoint zip (d : data) : value (ty d) -> value (ty d) -> value (dual (ty d)) := match d with
  | Real => fun x dx => (x, dx)
  | Discrete => fun x _ => x
  | Both a b => fun x dx => (zip a (fst x) (fst dx), zip b (snd x) (snd dx))
  | Either a b => fun x dx => match x, dx with
      | inl x, inl dx => inl (zip a x dx)
      | inr x, inr dx => inr (zip b x dx)
      | inl x, inr _ => inl (zip a x x)
      | inr x, inl _ => inr (zip b x x)
      end
  end.

Fixpoint delta_of (d : data) : value (dual (ty d)) -> value (ty d) := match d with
  | Real => fun x => snd x
  | Discrete => fun x => x
  | Both a b => fun x => (delta_of a (fst x), delta_of b (snd x))
  | Either a b => fun x => match x with inl x => inl (delta_of a x) | inr x => inr (delta_of b x) end
  end.

Lemma zip_related d : forall x x', derives d x x' -> rel (ty d) x (fun t => zip d (x t) (x' t)).
Proof.
  induction d; simpl; intros x x' H.
  - auto.
  - destruct H as [z Z]. exists z. auto.
  - destruct H as [H K]. split; [now apply (IHd1 (fun t => fst (x t)) (fun t => fst (x' t)))|].
    now apply (IHd2 (fun t => snd (x t)) (fun t => snd (x' t))).
  - destruct H as [(u & u' & U & X & X') | (u & u' & U & X & X')]; [left | right]; exists u.
    + exists (fun t => zip d1 (u t) (u' t)). repeat split; auto. intro t. now rewrite X, X'.
    + exists (fun t => zip d2 (u t) (u' t)). repeat split; auto. intro t. now rewrite X, X'.
Qed.

Lemma delta_of_related d : forall x y, rel (ty d) x y -> derives d x (fun t => delta_of d (y t)).
Proof.
  induction d; simpl; intros x y H.
  - intro t. apply H.
  - destruct H as [z Z]. exists z. intro t. apply Z.
  - destruct H as [H K]. split; [now apply (IHd1 (fun t => fst (x t)) (fun t => fst (y t)))|].
    now apply (IHd2 (fun t => snd (x t)) (fun t => snd (y t))).
  - destruct H as [(u & u' & U & X & Y) | (u & u' & U & X & Y)]; [left | right]; exists u.
    + exists (fun t => delta_of d1 (u' t)). repeat split; auto. intro t. now rewrite Y.
    + exists (fun t => delta_of d2 (u' t)). repeat split; auto. intro t. now rewrite Y.
Qed.

Definition forward_derivative S T (e : term (ty S :: nil) (ty T)) (x dx : value (ty S)) : value (ty T) :=
  delta_of T (eval _ _ (forward _ _ e) (zip S x dx, tt)).

Theorem forward_general S T (e : term (ty S :: nil) (ty T)) x x' : derives S x x' ->
  derives T (fun t => eval _ _ e (x t, tt)) (fun t => forward_derivative S T e (x t) (x' t)).
Proof.
  intro H. apply (delta_of_related T _ (fun t => eval _ _ (forward _ _ e) (zip S (x t) (x' t), tt))).
  apply (ForwardMode.fundamental _ _ e (fun t => (x t, tt)) (fun t => (zip S (x t) (x' t), tt))).
  split; [now apply zip_related | exact I].
Qed.

(** ** Dot products *)
Fixpoint dot (d : data) : value (ty d) -> value (ty d) -> R := match d with
  | Real => Rmult
  | Discrete => fun _ _ => 0
  | Both a b => fun x y => dot a (fst x) (fst y) + dot b (snd x) (snd y)
  | Either a b => fun x y => match x, y with inl x, inl y => dot a x y | inr x, inr y => dot b x y | _, _ => 0 end
  end.

Notation v0 := (Var _ _ (VZ _ _)).
Notation v1 := (Var _ _ (VS _ _ _ (VZ _ _))).

(** The same as a function of the language. *)
Fixpoint dot_function (d : data) : forall g, term g (Arr (ty d) (Arr (ty d) TR)) :=
  match d return forall g, term g (Arr (ty d) (Arr (ty d) TR)) with
  | Real => fun g => Lam _ _ _ (Lam _ _ _ (Mul _ v1 v0))
  | Discrete => fun g => Lam _ _ _ (Lam _ _ _ (Rlit _ 0))
  | Both a b => fun g => Lam _ _ _ (Lam _ _ _ (Add _
      (App _ _ _ (App _ _ _ (dot_function a _) (Fst _ _ _ v1)) (Fst _ _ _ v0))
      (App _ _ _ (App _ _ _ (dot_function b _) (Snd _ _ _ v1)) (Snd _ _ _ v0))))
  | Either a b => fun g => Lam _ _ _ (Lam _ _ _ (Case _ _ _ _ v1
      (Case _ _ _ _ v1 (App _ _ _ (App _ _ _ (dot_function a _) v1) v0) (Rlit _ 0))
      (Case _ _ _ _ v1 (Rlit _ 0) (App _ _ _ (App _ _ _ (dot_function b _) v1) v0))))
  end.

Lemma dot_function_correct d : forall g r x y, eval g _ (dot_function d g) r x y = dot d x y.
Proof.
  induction d; simpl; intros; auto.
  - now rewrite IHd1, IHd2.
  - destruct x, y; auto.
Qed.

Definition dot_term (d : data) : term (ty d :: ty d :: nil) TR := App _ _ _ (App _ _ _ (dot_function d _) v0) v1.

(** ** Reverse mode *)

(** How many reals there are. *)
Fixpoint count (d : data) : value (ty d) -> nat := match d with
  | Real => fun _ => 1%nat
  | Discrete => fun _ => O
  | Both a b => fun x => (count a (fst x) + count b (snd x))%nat
  | Either a b => fun x => match x with inl x => count a x | inr x => count b x end
  end.

(** Each real gets the next name, from [k] on. *)
Fixpoint dualise (d : data) : value (ty d) -> nat -> translated (ty d) := match d with
  | Real => fun x k => (x, DVar k)
  | Discrete => fun x _ => x
  | Both a b => fun x k => (dualise a (fst x) k, dualise b (snd x) (k + count a (fst x))%nat)
  | Either a b => fun x k => match x with inl x => inl (dualise a x k) | inr x => inr (dualise b x k) end
  end.

Fixpoint init_zeros (d : data) : value (ty d) -> translated (ty d) := match d with
  | Real => fun x => (x, DZero)
  | Discrete => fun x => x
  | Both a b => fun x => (init_zeros a (fst x), init_zeros b (snd x))
  | Either a b => fun x => match x with inl x => inl (init_zeros a x) | inr x => inr (init_zeros b x) end
  end.

(** What the final map [u] has for each real. *)
Fixpoint look_up (d : data) (u : nat -> R) : value (ty d) -> nat -> value (ty d) := match d with
  | Real => fun _ k => u k
  | Discrete => fun x _ => x
  | Both a b => fun x k => (look_up a u (fst x) k, look_up b u (snd x) (k + count a (fst x))%nat)
  | Either a b => fun x k => match x with inl x => inl (look_up a u x k) | inr x => inr (look_up b u x k) end
  end.

Definition reverse_general S T (e : term (ty S :: nil) (ty T)) (x : value (ty S)) (dt : value (ty T)) : value (ty S) :=
  let a := count S x in
  let (y, bindings) := bind (translate a _ _ e (dualise S x 0, tt))
    (fun y => translate a _ _ (dot_term T) (y, (init_zeros T dt, tt))) nil in
  look_up S (eval_binds a bindings (eval_delta 1 (snd y) (fun _ => 0))) x 0.

(** The names from [k] on stand for the reals of [x]. *)
Fixpoint names (d : data) (g : nat -> R) : value (ty d) -> nat -> Prop := match d with
  | Real => fun x k => g k = x
  | Discrete => fun _ _ => True
  | Both a b => fun x k => names a g (fst x) k /\ names b g (snd x) (k + count a (fst x))%nat
  | Either a b => fun x k => match x with inl x => names a g x k | inr x => names b g x k end
  end.

Fixpoint numbers_of (d : data) : value (ty d) -> list R := match d with
  | Real => fun x => x :: nil
  | Discrete => fun _ => nil
  | Both a b => fun x => numbers_of a (fst x) ++ numbers_of b (snd x)
  | Either a b => fun x => match x with inl x => numbers_of a x | inr x => numbers_of b x end
  end.

Lemma numbers_count d : forall x, length (numbers_of d x) = count d x.
Proof. induction d; simpl; intro x; auto; [now rewrite app_length, IHd1, IHd2 | destruct x; auto]. Qed.

Lemma names_numbers d g : forall x k, (forall i, (i < count d x)%nat -> g (k + i)%nat = nth i (numbers_of d x) 0) ->
  names d g x k.
Proof.
  induction d; simpl; intros x k H; auto.
  - rewrite <- (Nat.add_0_r k). apply H. lia.
  - split.
    + apply IHd1. intros i L. rewrite H by lia. apply app_nth1. now rewrite numbers_count.
    + apply IHd2. intros i L. rewrite <- Nat.add_assoc, H by lia.
      rewrite app_nth2; rewrite numbers_count; [f_equal; lia | lia].
  - destruct x; auto.
Qed.

(** A curve that has a derivative keeps its shape. *)
Lemma count_constant d : forall x x', derives d x x' -> exists n, forall t, count d (x t) = n /\ count d (x' t) = n.
Proof.
  induction d; simpl; intros x x' H; eauto.
  - destruct H as [H K]. destruct (IHd1 _ _ H) as [n N], (IHd2 _ _ K) as [m M]. exists (n + m)%nat. intro t.
    destruct (N t) as [-> ->], (M t) as [-> ->]. auto.
  - destruct H as [(u & u' & U & X & X') | (u & u' & U & X & X')].
    + destruct (IHd1 _ _ U) as [n N]. exists n. intro t. rewrite X, X'. apply N.
    + destruct (IHd2 _ _ U) as [n N]. exists n. intro t. rewrite X, X'. apply N.
Qed.

Lemma inputs_related a g0 w d : forall x x' k, derives d x x' -> (forall t, names d (g0 t) (x' t) k) ->
  (forall t, (k + count d (x t) <= a)%nat) -> V a g0 (ty d) w x (fun t => dualise d (x t) k).
Proof.
  induction d; simpl; intros x x' k H N L.
  - split; [reflexivity|]. exists x'. intro t. specialize (L t). split; [apply H|]. split; [simpl; lia|]. simpl.
    rewrite <- (N t). generalize (w t). induction b as [|e b IH]; simpl; auto.
    destruct (Nat.eqb_spec k (a + length b)); [lia | exact IH].
  - destruct H as [z Z]. exists z. auto.
  - destruct H as [H K]. destruct (count_constant _ _ _ H) as [n C]. split.
    + apply (IHd1 _ _ k H); intro t; [apply N | specialize (L t); lia].
    + apply V_ext with (f := fun t => snd (x t)) (g := fun t => dualise d2 (snd (x t)) (k + n)); auto.
      * apply (IHd2 _ _ (k + n)%nat K); intro t; destruct (C t) as [C1 C2].
        -- rewrite <- C2. apply N.
        -- specialize (L t). lia.
      * intro t. destruct (C t) as [-> _]. reflexivity.
  - destruct H as [(u & u' & U & X & X') | (u & u' & U & X & X')]; [left | right]; exists u.
    + exists (fun t => dualise d1 (u t) k). split; [|split; [exact X | intro t; now rewrite X]].
      apply (IHd1 u u' k U); intro t; [specialize (N t); now rewrite X' in N | specialize (L t); now rewrite X in L].
    + exists (fun t => dualise d2 (u t) k). split; [|split; [exact X | intro t; now rewrite X]].
      apply (IHd2 u u' k U); intro t; [specialize (N t); now rewrite X' in N | specialize (L t); now rewrite X in L].
Qed.

Lemma zeros_related a g0 w d : forall x, V a g0 (ty d) w (fun _ => x) (fun _ => init_zeros d x).
Proof.
  induction d; simpl; intro x.
  - split; [reflexivity|]. exists (fun _ => 0). intro t. split; [|now split].
    apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule) x t).
  - now exists x.
  - split; [apply IHd1 | apply IHd2].
  - destruct x as [x | x]; [left | right]; exists (fun _ => x); [exists (fun _ => init_zeros d1 x) | exists
    (fun _ => init_zeros d2 x)];
      repeat split; auto.
Qed.

(** Where the shapes are the same, adding over names is the dot product. *)
Lemma sum_names d u g : forall x x' k, derives d x x' -> forall t, names d g (x' t) k ->
  sum_below (k + count d (x t)) u g = sum_below k u g + dot d (look_up d u (x t) k) (x' t).
Proof.
  induction d; simpl; intros x x' k H t N.
  - rewrite Nat.add_1_r. simpl. now rewrite N.
  - now rewrite Nat.add_0_r, Rplus_0_r.
  - destruct H as [H K], N as [N M]. destruct (count_constant _ _ _ H) as [n C]. destruct (C t) as [C1 C2].
    rewrite C2, <- C1 in M. rewrite Nat.add_assoc, <- Rplus_assoc.
    etransitivity; [exact (IHd2 (fun t => snd (x t)) (fun t => snd (x' t)) _ K t M)|]. cbv beta. f_equal.
    exact (IHd1 (fun t => fst (x t)) (fun t => fst (x' t)) k H t N).
  - destruct H as [(v & v' & U & X & X') | (v & v' & U & X & X')]; rewrite X' in N |- *; rewrite X.
    + now apply (IHd1 v v' k U t).
    + now apply (IHd2 v v' k U t).
Qed.

Theorem reverse_general_correct S T (e : term (ty S :: nil) (ty T)) x x' (dt : value (ty T)) : derives S x x' ->
  forall t, is_derive (fun t => dot T (eval _ _ e (x t, tt)) dt) t (dot S (reverse_general S T e (x t) dt) (x' t)).
Proof.
  intros H t. destruct (count_constant _ _ _ H) as [a A].
  set (g0 := fun t i => nth i (numbers_of S (x' t)) 0).
  assert (N : forall t, names S (g0 t) (x' t) 0) by (intro s; now apply names_numbers).
  assert (X := inputs_related a g0 (fun _ => nil) S x x' 0%nat H N ltac:(intro s; destruct (A s); simpl; lia)).
  assert (P : E a g0 TR (fun _ => nil) (fun t => dot T (eval _ _ e (x t, tt)) dt)
    (fun t => bind (translate a _ _ e (dualise S (x t) 0, tt))
      (fun y => translate a _ _ (dot_term T) (y, (init_zeros T dt, tt))))).
  { apply (E_bind a g0 (ty T) TR (fun _ => nil) (fun t => eval _ _ e (x t, tt))
    (fun t => translate a _ _ e (dualise S (x t) 0, tt)) _
      (fun _ y => translate a _ _ (dot_term T) (y, (init_zeros T dt, tt)))).
    - apply (fundamental a g0 _ _ e (fun _ => nil) (fun t => (x t, tt)) (fun t => (dualise S (x t) 0, tt))). now split.
    - intros w' r L Rel.
      destruct (fundamental a g0 _ _ (dot_term T) w' (fun t => (eval _ _ e (x t, tt), (dt, tt)))
        (fun t => (r t, (init_zeros T dt, tt)))) as (w'' & q & L' & Q & Y).
      + simpl. split; [exact Rel|]. split; [exact (zeros_related a g0 w' T dt) | exact I].
      + exists w'', q. split; [exact L'|]. split; [exact Q|]. eapply V_ext; [exact Y | | reflexivity].
        intro s. simpl. apply dot_function_correct. }
  destruct P as (w & r & L & Q & [F [f' G]]). specialize (Q t). destruct (G t) as (D & Sc & Z), (L t) as [_ W].
  unfold reverse_general. destruct (A t) as [At At']. rewrite At, Q.
  generalize (sum_names S (eval_binds a (w t) (eval_delta 1 (snd (r t)) (fun _ => 0)))
    (g0 t) x x' 0%nat H t (N t)).
  rewrite At. simpl. rewrite Rplus_0_l. intros <-.
  rewrite eval_correct, lemma_10, sum_below_0, Rplus_0_l, Rmult_1_l by (try apply W; auto; exact I). now rewrite Z.
Qed.
