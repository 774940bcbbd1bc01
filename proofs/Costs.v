(** * Reverse mode costs a constant factor

    Paper: Krawiec and others, "Provably Correct, Asymptotically Efficient, Higher-Order Reverse-Mode AD"; lemmas 3 and 4,
    theorem 5.

    Modelled: steps. A run of a term takes one step for each form that it evaluates, as often as it does ([counted]). A
    binding has the size of its delta and one more. The evaluation of bindings takes one step for each node
    ([eval_binds_counted]).

    Proved: [lemma_3], that a run of the translated term adds bindings whose size is at most six times the steps of the
    term; [lemma_4], that the evaluation takes as many steps as the bindings are large; [theorem_5], both together. The
    steps that the translated term takes for the rest, at most as many more for each form, are not counted. *)
From Coq Require Import Reals List Arith Lia.
From Pullback Require Import ForwardMode DeltaTranslation Evaluation.

(** ** Steps of a term *)
Definition steps_then {A B} (x : A * nat) (f : A -> B * nat) : B * nat := let (y, n) := f (fst x) in (y, snd x + n)%nat.

Notation "'do' x <- e ; f" := (steps_then e (fun x => f)) (at level 200, x name, e at level 100, f at level 200).

Definition done {A} (x : A) : A * nat := (x, 1%nat).

(** Values; a function says how many steps a call takes. *)
Fixpoint counted_value (t : type) : Type := match t with
  | TR => R
  | TZ => Z
  | Prod a b => counted_value a * counted_value b
  | Sum a b => counted_value a + counted_value b
  | Arr a b => counted_value a -> counted_value b * nat
  | Vec n a => vec (counted_value a) n
  end.

Fixpoint counted_environment (g : list type) : Type := match g with
  | nil => unit
  | t :: g => counted_value t * counted_environment g
  end.

Fixpoint counted_lookup g t (v : var g t) : counted_environment g -> counted_value t := match v with
  | VZ _ _ => fun r => fst r
  | VS _ _ _ v => fun r => counted_lookup _ _ v (snd r)
  end.

Fixpoint counted_build {A} (f : Z -> A * nat) (n : nat) (i : Z) : vec A n * nat := match n with
  | O => done tt
  | S n => do x <- f i; do v <- counted_build f n (i + 1)%Z; done (x, v)
  end.

Fixpoint counted_fold {A B} (f : B -> A -> B * nat) (n : nat) : vec A n -> B -> B * nat := match n with
  | O => fun _ b => done b
  | S n => fun v b => do c <- f b (fst v); counted_fold f n (snd v) c
  end.

Fixpoint counted g t (e : term g t) : counted_environment g -> counted_value t * nat := match e with
  | Var _ _ v => fun r => done (counted_lookup _ _ v r)
  | Lam _ _ _ e => fun r => done (fun x => counted _ _ e (x, r))
  | App _ _ _ f e => fun r => do f <- counted _ _ f r; do x <- counted _ _ e r; do y <- f x; done y
  | Let _ _ _ e f => fun r => do x <- counted _ _ e r; do y <- counted _ _ f (x, r); done y
  | Pair _ _ _ e f => fun r => do x <- counted _ _ e r; do y <- counted _ _ f r; done (x, y)
  | Fst _ _ _ e => fun r => do x <- counted _ _ e r; done (fst x)
  | Snd _ _ _ e => fun r => do x <- counted _ _ e r; done (snd x)
  | Inl _ _ _ e => fun r => do x <- counted _ _ e r; done (inl x)
  | Inr _ _ _ e => fun r => do x <- counted _ _ e r; done (inr x)
  | Case _ _ _ _ e l k => fun r => do x <- counted _ _ e r;
      do y <- match x with inl x => counted _ _ l (x, r) | inr x => counted _ _ k (x, r) end; done y
  | Rlit _ k => fun _ => done k
  | Zlit _ z => fun _ => done z
  | Add _ e f => fun r => do x <- counted _ _ e r; do y <- counted _ _ f r; done (x + y)%R
  | Mul _ e f => fun r => do x <- counted _ _ e r; do y <- counted _ _ f r; done (x * y)%R
  | Sin _ e => fun r => do x <- counted _ _ e r; done (sin x)
  | Cos _ e => fun r => do x <- counted _ _ e r; done (cos x)
  | Build _ n _ e => fun r => counted_build (fun i => counted _ _ e (i, r)) n 0
  | Index _ n _ e i => fun r => do v <- counted _ _ e r; do i <- counted _ _ i r; done (element n v (Z.to_nat i))
  | Fold _ n _ _ f e v => fun r => do b <- counted _ _ e r; do v <- counted _ _ v r;
      counted_fold (fun b x => counted _ _ f (b, (x, r))) n v b
  end.

(** ** Steps of the evaluation *)
Fixpoint size (d : delta) : nat := match d with
  | DZero | DVar _ => 1
  | DScale _ d => S (size d)
  | DAdd d e => S (size d + size e)
  end.

Fixpoint total (s : binds) : nat := match s with nil => O | d :: s => (S (size d) + total s)%nat end.

Fixpoint eval_delta_counted (x : R) (d : delta) (u : nat -> R) : (nat -> R) * nat := match d with
  | DZero => done u
  | DScale k d => do u <- eval_delta_counted (x * k)%R d u; done u
  | DAdd d e => do u <- eval_delta_counted x d u; do u <- eval_delta_counted x e u; done u
  | DVar i => done (add_at i x u)
  end.

Fixpoint eval_binds_counted (a : nat) (s : binds) (u : nat -> R) : (nat -> R) * nat := match s with
  | nil => (u, O)
  | d :: s => do u <- eval_delta_counted (u (a + length s)%nat) d u; do u <- done u; eval_binds_counted a s u
  end.

Lemma eval_delta_steps d : forall x u, eval_delta_counted x d u = (eval_delta x d u, size d).
Proof.
  induction d; simpl; intros x u; auto; unfold steps_then, done.
  - rewrite IHd. simpl. f_equal. lia.
  - rewrite IHd1. simpl. rewrite IHd2. simpl. f_equal. lia.
Qed.

(** Lemma 4: the evaluation takes as many steps as the bindings are large. *)
Theorem lemma_4 a s : forall u, eval_binds_counted a s u = (eval_binds a s u, total s).
Proof.
  induction s as [|d s IH]; simpl; intro u; [reflexivity|]. unfold steps_then, done. rewrite eval_delta_steps. simpl.
  rewrite IH. simpl. f_equal. lia.
Qed.

(** ** Bindings of the translated term *)
Section Inputs.
Variable a : nat.

(** The run that counts gives the same values, and the translated run small deltas and few bindings. *)
Fixpoint agree (t : type) : value t -> counted_value t -> translated t -> Prop := match t with
  | TR => fun x y z => x = y /\ x = fst z /\ size (snd z) = 1%nat
  | TZ => fun x y z => x = y /\ x = z
  | Prod s t => fun x y z => agree s (fst x) (fst y) (fst z) /\ agree t (snd x) (snd y) (snd z)
  | Sum s t => fun x y z => match x, y, z with
      | inl x, inl y, inl z => agree s x y z
      | inr x, inr y, inr z => agree t x y z
      | _, _, _ => False
      end
  | Arr s t => fun f g h => forall x y z, agree s x y z -> forall b,
      agree t (f x) (fst (g y)) (fst (h z b)) /\ (total (snd (h z b)) <= total b + 6 * snd (g y))%nat
  | Vec n t => (fix go n : vec (value t) n -> vec (counted_value t) n -> vec (translated t) n -> Prop := match n with
      | O => fun _ _ _ => True
      | S n => fun x y z => agree t (fst x) (fst y) (fst z) /\ go n (snd x) (snd y) (snd z)
      end) n
  end.

Definition few t (x : value t) (y : counted_value t * nat) (m : M (translated t)) : Prop := forall b,
  agree t x (fst y) (fst (m b)) /\ (total (snd (m b)) <= total b + 6 * snd y)%nat.

Fixpoint agree_environment (g : list type) : environment g -> counted_environment g -> translated_environment g -> Prop :=
  match g with
  | nil => fun _ _ _ => True
  | t :: g => fun r s q => agree t (fst r) (fst s) (fst q) /\ agree_environment g (snd r) (snd s) (snd q)
  end.

Lemma few_done t x y z : agree t x y z -> few t x (done y) (ret z).
Proof. intros H b. simpl. split; [exact H | lia]. Qed.

Lemma few_then s t x (y : counted_value s * nat) (m : M (translated s)) x' (f : counted_value s -> counted_value t * nat) k :
  few s x y m -> (forall y' z', agree s x y' z' -> few t x' (f y') (k z')) -> few t x' (steps_then y f) (bind m k).
Proof.
  intros H K b. unfold steps_then, bind. destruct (H b) as [X L], (m b) as [z b']. simpl in X, L.
  destruct (K _ _ X b') as [Y L']. destruct (f (fst y)) as [w n]. simpl in *. split; [exact Y | lia].
Qed.

(** A step more is no harm. *)
Lemma few_more t x y m : few t x y m -> few t x (do z <- y; done z) m.
Proof. intros H b. destruct (H b) as [X L]. unfold steps_then, done. simpl. split; [exact X | lia]. Qed.

(** One binding for one step. *)
Lemma few_let x y d : (size d <= 5)%nat -> x = y -> few TR x (done y) (bind (deltaLet a d) (fun u => ret (x, u))).
Proof. intros S -> b. simpl. repeat split. lia. Qed.

Lemma agree_lookup g t (v : var g t) : forall r s q, agree_environment g r s q ->
  agree t (lookup _ _ v r) (counted_lookup _ _ v s) (translated_lookup _ _ v q).
Proof. induction v; simpl; intros r s q H; [apply H | apply IHv, H]. Qed.

Lemma agree_element n t : forall (x : vec (value t) (S n)) y z i, agree (Vec (S n) t) x y z ->
  agree t (element n x i) (element n y i) (element n z i).
Proof. induction n; intros x y z i [H K]; [exact H|]. destruct i; [exact H|]. apply IHn. exact K. Qed.

Lemma few_build t n : forall i (f : Z -> value t) (g : Z -> counted_value t * nat) (h : Z -> M (translated t)),
  (forall i, few t (f i) (g i) (h i)) -> few (Vec n t) (tabulate f n i) (counted_build g n i) (build_all h n i).
Proof.
  induction n; intros i f g h H; simpl; [now apply few_done|].
  apply (few_then t (Vec (S n) t) (f i)); [apply H|]. intros y z X.
  apply (few_then (Vec n t) (Vec (S n) t) (tabulate f n (i + 1)%Z)); [now apply IHn|]. intros y' z' X'.
  apply (few_done (Vec (S n) t) (f i, tabulate f n (i + 1)%Z) (y, y') (z, z')). split; assumption.
Qed.

Lemma few_fold s t n : forall x y z (f : value t -> value s -> value t) g h v w u, agree t x y z -> agree (Vec n s) v w u ->
  (forall x y z v w u, agree t x y z -> agree s v w u -> few t (f x v) (g y w) (h z u)) ->
  few t (fold f n v x) (counted_fold g n w y) (fold_all h n u z).
Proof.
  induction n; intros x y z f g h v w u X V H; simpl; [now apply few_done|]. destruct V as [V V'].
  apply (few_then t t (f x (fst v))); [now apply H|]. intros y' z' X'. now apply IHn.
Qed.

Theorem few_bindings g t (e : term g t) : forall r s q, agree_environment g r s q ->
  few t (eval _ _ e r) (counted _ _ e s) (translate a _ _ e q).
Proof.
  induction e; intros r0 s0 q0 H; simpl.
  - apply few_done. now apply agree_lookup.
  - apply (few_done (Arr a0 b) (fun x => eval _ _ e (x, r0))). intros x y z X b1. apply (IHe (x, r0) (y, s0) (z, q0)).
    now split.
  - eapply (few_then (Arr a0 b)); [exact (IHe1 _ _ _ H)|]. intros f k F. eapply (few_then a0); [exact (IHe2 _ _ _ H)|].
    intros y z X.
    apply few_more. intro b1. apply (F _ _ _ X b1).
  - eapply (few_then a0); [exact (IHe1 _ _ _ H)|]. intros y z X. apply few_more. apply (IHe2 (_, r0) (y, s0) (z, q0)).
    now split.
  - eapply (few_then a0); [exact (IHe1 _ _ _ H)|]. intros y z X. eapply (few_then b); [exact (IHe2 _ _ _ H)|].
    intros y' z' X'.
    apply (few_done (Prod a0 b) (_, _) (y, y') (z, z')). now split.
  - eapply (few_then (Prod a0 b)); [exact (IHe _ _ _ H)|]. intros y z X. apply few_done. apply X.
  - eapply (few_then (Prod a0 b)); [exact (IHe _ _ _ H)|]. intros y z X. apply few_done. apply X.
  - eapply (few_then a0); [exact (IHe _ _ _ H)|]. intros y z X. apply (few_done (Sum a0 b) (inl _) (inl y) (inl z)). exact X.
  - eapply (few_then b); [exact (IHe _ _ _ H)|]. intros y z X. apply (few_done (Sum a0 b) (inr _) (inr y) (inr z)). exact X.
  - eapply (few_then (Sum a0 b)); [exact (IHe1 _ _ _ H)|]. intros y z X. apply few_more.
    destruct (eval _ _ e1 r0) as [x|x], y as [y|y], z as [z|z]; try contradiction.
    + apply (IHe2 (x, r0) (y, s0) (z, q0)). now split.
    + apply (IHe3 (x, r0) (y, s0) (z, q0)). now split.
  - now apply (few_done TR r r (r, DZero)).
  - now apply (few_done TZ z z z).
  - eapply (few_then TR); [exact (IHe1 _ _ _ H)|]. intros y z (-> & Z & D). eapply (few_then TR); [exact (IHe2 _ _ _ H)|].
    intros y' z' (-> & Z' & D'). rewrite <- Z, <- Z'. apply few_let; [simpl; lia | reflexivity].
  - eapply (few_then TR); [exact (IHe1 _ _ _ H)|]. intros y z (-> & Z & D). eapply (few_then TR); [exact (IHe2 _ _ _ H)|].
    intros y' z' (-> & Z' & D'). rewrite <- Z, <- Z'. apply few_let; [simpl; lia | reflexivity].
  - eapply (few_then TR); [exact (IHe _ _ _ H)|]. intros y z (-> & Z & D). unfold op1. rewrite <- Z.
    apply few_let; [simpl; lia | reflexivity].
  - eapply (few_then TR); [exact (IHe _ _ _ H)|]. intros y z (-> & Z & D). unfold op1. rewrite <- Z.
    apply few_let; [simpl; lia | reflexivity].
  - apply few_build. intro i. apply (IHe (i, r0) (i, s0) (i, q0)). now split.
  - eapply (few_then (Vec (S n) a0)); [exact (IHe1 _ _ _ H)|]. intros y z X. eapply (few_then TZ);
    [exact (IHe2 _ _ _ H)|]. intros y' z' [-> ->].
    apply few_done. now apply agree_element.
  - eapply (few_then b); [exact (IHe2 _ _ _ H)|]. intros y z X. eapply (few_then (Vec n a0)); [exact (IHe3 _ _ _ H)|].
    intros v w V.
    apply (few_fold a0 b n); auto. intros x' y' z' v' w' u' X' V'. apply (IHe1 (x', (v', r0)) (y', (w', s0)) (z', (u', q0))).
    simpl. auto.
Qed.
End Inputs.

(** ** Both together *)
Fixpoint counted_point (a i : nat) (x : nat -> R) : counted_environment (reals a) := match a with
  | O => tt
  | S a => (x i, counted_point a (S i) x)
  end.

Lemma points_agree n : forall i x, agree_environment (reals n) (point n i x) (counted_point n i x) (dual_point n i x).
Proof. induction n; simpl; intros i x; [exact I|]. split; [simpl; auto | apply IHn]. Qed.

(** The run that counts gives the value; the bindings of the translated run are at most six times as large as it has steps. *)
Theorem lemma_3 a (e : term (reals a) TR) x :
  let (y, n) := counted _ _ e (counted_point a 0 x) in
  y = eval _ _ e (point a 0 x) /\ (total (snd (translate a _ _ e (dual_point a 0 x) nil)) <= 6 * n)%nat.
Proof.
  destruct (few_bindings a _ _ e _ _ _ (points_agree a 0 x) nil) as [X L].
  destruct (counted _ _ e _) as [y n]. simpl in X, L. split; [symmetry; apply X | exact L].
Qed.

(** Theorem 5: the evaluation of the bindings takes at most six times the steps of the term, and a few for its result. *)
Theorem theorem_5 a (e : term (reals a) TR) x y_bar :
  let (y, bindings) := translate a _ _ e (dual_point a 0 x) nil in
  let run := do u <- eval_delta_counted y_bar (snd y) (fun _ => 0%R); eval_binds_counted a bindings u in
  fst run = reverse a e x y_bar /\ (snd run <= 1 + 6 * snd (counted _ _ e (counted_point a 0 x)))%nat.
Proof.
  unfold reverse. destruct (few_bindings a _ _ e _ _ _ (points_agree a 0 x) nil) as [(_ & _ & S) L].
  destruct (translate a _ _ e (dual_point a 0 x) nil) as [y b]. simpl in S, L |- *.
  unfold steps_then. rewrite eval_delta_steps. simpl. rewrite lemma_4. simpl. split; [reflexivity | lia].
Qed.
