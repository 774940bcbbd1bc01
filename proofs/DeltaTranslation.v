(** * The monadic reverse-mode translation is correct

    Paper: Krawiec and others, "Provably Correct, Asymptotically Efficient, Higher-Order Reverse-Mode AD";
    figures 9, 11 and 13, lemma 7, theorem 8; section 8.3 for arrays.

    Modelled: the terms of [ForwardMode]. [translate] is figure 9: a real becomes a pair of a value and a [delta],
    and each primitive adds one binding to a list, so that nothing is written twice. A binding is named by its place
    in that list, after the names of the inputs.

    Proved: [fundamental], which is theorem 8. Each term is related to its translation by the Kripke relation [V], [E]
    of figure 13. The worlds are lists of bindings that grow. The paper states the relation for functions of all inputs
    and Jacobians; here it is stated along each curve of the inputs and derivatives along it, which says the same. *)
From Coq Require Import Reals Psatz List Arith Lia.
From Coquelicot Require Import Coquelicot.
From Pullback Require Import ForwardMode.
Open Scope R_scope.

Inductive delta := DZero | DScale (k : R) (d : delta) | DAdd (d e : delta) | DVar (i : nat).

Definition binds := list delta.                       (* newest first;
  the i-th from the end has the name a + i *)

Definition M (A : Type) := binds -> A * binds.

Definition ret {A} (x : A) : M A := fun s => (x, s).

Definition bind {A B} (m : M A) (k : A -> M B) : M B := fun s => let (x, s') := m s in k x s'.

Section Inputs. Variable a : nat.                     (* how many inputs *)

Definition deltaLet (d : delta) : M delta := fun s => (DVar (a + length s), d :: s).

Fixpoint interpret (g : nat -> R) (d : delta) : R := match d with
  | DZero => 0
  | DScale k d => k * interpret g d
  | DAdd d e => interpret g d + interpret g e
  | DVar i => g i
  end.

Fixpoint interpret_all (g0 : nat -> R) (s : binds) : nat -> R := match s with
  | nil => g0
  | d :: s => fun i => if Nat.eqb i (a + length s) then interpret (interpret_all g0 s) d else interpret_all g0 s i
  end.

Fixpoint scoped (n : nat) (d : delta) : Prop := match d with
  | DZero => True
  | DScale _ d => scoped n d
  | DAdd d e => scoped n d /\ scoped n e
  | DVar i => (i < n)%nat
  end.

(* each binding names only inputs and older bindings *)
Fixpoint well_scoped (s : binds) : Prop := match s with
  | nil => True
  | d :: s => scoped (a + length s) d /\ well_scoped s
  end.

Lemma scoped_le n m d : (n <= m)%nat -> scoped n d -> scoped m d. Proof. induction d; simpl; intuition lia. Qed.

Lemma names_old g0 l s i : (i < a + length s)%nat -> interpret_all g0 (l ++ s) i = interpret_all g0 s i.
Proof. induction l as [|d l IH]; simpl; intros; auto. destruct (Nat.eqb_spec i (a + length (l ++ s))).
  rewrite app_length in e. lia. auto. Qed.

Lemma den_ext g h n d : scoped n d -> (forall i, (i < n)%nat -> g i = h i) -> interpret g d = interpret h d.
Proof. induction d; simpl; intros; auto. now rewrite IHd. rewrite IHd1, IHd2; tauto. Qed.

(* types and terms *)
Fixpoint translated (t : type) : Type := match t with
  | TR => R * delta
  | TZ => Z
  | Prod a b => translated a * translated b
  | Sum a b => translated a + translated b
  | Arr a b => translated a -> M (translated b)
  | Vec n a => vec (translated a) n
  end.

(* the elements one after the other: the paper's sequence after build; and a fold with effects *)
Fixpoint build_all {A} (f : Z -> M A) (n : nat) (i : Z) : M (vec A n) := match n with
  | O => ret tt
  | S n => bind (f i) (fun x => bind (build_all f n (i + 1)%Z) (fun v => ret (x, v)))
  end.

Fixpoint fold_all {A B} (f : B -> A -> M B) (n : nat) : vec A n -> B -> M B := match n with
  | O => fun _ b => ret b
  | S n => fun v b => bind (f b (fst v)) (fold_all f n (snd v))
  end.

Fixpoint translated_environment (g : list type) : Type := match g with nil => unit | t :: g => translated t * translated_environment g end.

Fixpoint translated_lookup g t (v : var g t) : translated_environment g -> translated t := match v with
  | VZ _ _ => fun e => fst e
  | VS _ _ _ v => fun e => translated_lookup _ _ v (snd e)
  end.

Definition op1 (f f' : R -> R) (x : R * delta) : M (R * delta) :=
  bind (deltaLet (DScale (f' (fst x)) (snd x))) (fun u => ret (f (fst x), u)).

Fixpoint translate g t (e : term g t) : translated_environment g -> M (translated t) := match e with
 | Var _ _ v => fun r => ret (translated_lookup _ _ v r)
 | Lam _ _ _ e => fun r => ret (fun x => translate _ _ e (x, r))
 | App _ _ _ f e => fun r => bind (translate _ _ f r) (fun f => bind (translate _ _ e r) (fun x => f x))
 | Let _ _ _ e f => fun r => bind (translate _ _ e r) (fun x => translate _ _ f (x, r))
 | Pair _ _ _ e f => fun r => bind (translate _ _ e r) (fun x => bind (translate _ _ f r) (fun y => ret (x, y)))
 | Fst _ _ _ e => fun r => bind (translate _ _ e r) (fun x => ret (fst x))
 | Snd _ _ _ e => fun r => bind (translate _ _ e r) (fun x => ret (snd x))
 | Inl _ _ _ e => fun r => bind (translate _ _ e r) (fun x => ret (inl x))
 | Inr _ _ _ e => fun r => bind (translate _ _ e r) (fun x => ret (inr x))
 | Case _ _ _ _ e l k => fun r => bind (translate _ _ e r) (fun x => match x with inl x => translate _ _ l (x, r) | inr y =>
    translate _ _ k (y, r) end)
 | Rlit _ k => fun _ => ret (k, DZero)
 | Zlit _ z => fun _ => ret z
 | Add _ e f => fun r => bind (translate _ _ e r) (fun x => bind (translate _ _ f r) (fun y =>
    bind (deltaLet (DAdd (snd x) (snd y))) (fun u => ret (fst x + fst y, u))))
 | Mul _ e f => fun r => bind (translate _ _ e r) (fun x => bind (translate _ _ f r) (fun y =>
    bind (deltaLet (DAdd (DScale (fst y) (snd x)) (DScale (fst x) (snd y)))) (fun u => ret (fst x * fst y,
   u))))
 | Sin _ e => fun r => bind (translate _ _ e r) (op1 sin cos)
 | Cos _ e => fun r => bind (translate _ _ e r) (op1 cos (fun x => - sin x))
 | Build _ n _ e => fun r => build_all (fun i => translate _ _ e (i, r)) n 0
 | Index _ n _ e i => fun r => bind (translate _ _ e r) (fun v => bind (translate _ _ i r) (fun i => ret (element n v (Z.to_nat i))))
 | Fold _ n _ _ f e v => fun r => bind (translate _ _ e r) (fun b => bind (translate _ _ v r) (fun v =>
    fold_all (fun b x => translate _ _ f (b, (x, r))) n v b))
 end.

(* worlds: families of bindings along a curve; g0 t i is the tangent of input i at t *)
Variable g0 : R -> nat -> R.

Definition world := R -> binds.

Definition later (w' w : world) :=
  forall t, (exists l, w' t = l ++ w t) /\ (well_scoped (w t) -> well_scoped (w' t)).

Lemma later_refl w : later w w. Proof. intro t. split; [now exists nil | auto]. Qed.

Lemma later_trans w3 w2 w1 : later w3 w2 -> later w2 w1 -> later w3 w1.
Proof.
  intros H K t. destruct (H t) as [[l L] S], (K t) as [[k Kt] S']. split; auto.
  exists (l ++ k). rewrite L, Kt. apply app_assoc.
Qed.

Definition good (w : world) (f f' : R -> R) (d : R -> delta) := forall t, is_derive f t (f' t)
  /\ scoped (a + length (w t)) (d t) /\ interpret (interpret_all (g0 t) (w t)) (d t) = f' t.

Lemma good_later w w' f f' d : later w' w -> good w f f' d -> good w' f f' d.
Proof. intros L G t. destruct (L t) as [[l E] _], (G t) as (P & Q & S). rewrite E. split; [exact P|]. split.
  apply (scoped_le (a + length (w t))). rewrite app_length; lia. exact Q.
 rewrite <- S. apply den_ext with (n := (a + length (w t))%nat). exact Q. intros; now apply names_old. Qed.

Fixpoint V (t : type) (w : world) : (R -> value t) -> (R -> translated t) -> Prop := match t with
 | TR => fun f g => (forall t, fst (g t) = f t) /\ exists f', good w f f' (fun t => snd (g t))
 | TZ => fun f g => exists z, forall t, f t = z /\ g t = z
 | Prod a b => fun f g => V a w (fun t => fst (f t)) (fun t => fst (g t)) /\ V b w (fun t => snd (f t)) (fun t =>
    snd (g t))
 | Sum a b => fun f g => (exists h k, V a w h k /\ (forall t, f t = inl (h t)) /\ forall t, g t = inl (k t))
   \/ (exists h k, V b w h k /\ (forall t, f t = inr (h t)) /\ forall t, g t = inr (k t))
 | Arr a b => fun f g => forall w', later w' w -> forall x y, V a w' x y ->
     exists w'' r, later w'' w' /\ (forall t, g t (y t) (w' t) = (r t, w'' t)) /\ V b w'' (fun t => f t (x t)) r
 | Vec n a => vec_rel (V a w) n
 end.

Definition E (t : type) (w : world) (f : R -> value t) (m : R -> M (translated t)) := exists w' r, later w' w /\ (forall t,
  m t (w t) = (r t, w' t)) /\ V t w' f r.

Lemma V_later t : forall w w' f g, later w' w -> V t w f g -> V t w' f g.
Proof. induction t; intros w w' f g L H.
 - destruct H as [P [f' G]]. split; [exact P|]. exists f'. eapply good_later; eauto.
 - exact H.
 - destruct H. split; eauto.
 - destruct H as [(h & k & A & B) | (h & k & A & B)]; [left | right]; exists h, k; split; eauto.
 - intros w2 L2. apply H. eapply later_trans; eauto.
 - revert f g H. induction n; simpl; intros f g H; [exact I|]. destruct H as [H K].
   split; [exact (IHt _ _ _ _ L H) | exact (IHn _ _ K)]. Qed.

Lemma V_ext t : forall w f g f' g', V t w f g -> (forall t, f t = f' t) -> (forall t, g t = g' t)
  -> V t w f' g'.
Proof. induction t; intros w f g f1 g1 H A B.
 - destruct H as [P [f' G]]. split. intro; now rewrite <- A, <- B. exists f'. intro t.
     destruct (G t) as (X & Y & Z). rewrite <- B. split; [eapply is_derive_ext;
     [exact A | exact X] | now split].
 - destruct H as [z Z]. exists z. intro. now rewrite <- A, <- B.
 - destruct H. split; [eapply IHt1 | eapply IHt2]; eauto; intro; simpl; now rewrite ?A, ?B.
 - destruct H as [(h & k & X & Y & Z) | (h & k & X & Y & Z)]; [left | right]; exists h, k; (split; [exact X|]);
     split; intro; now rewrite <- ?A, <- ?B.
 - intros w' L x y X. destruct (H w' L x y X) as (w2 & r & P & Q & S). exists w2, r. split; [exact P|]. split.
     intro; now rewrite <- B. eapply IHt2; [exact S| |reflexivity]. intro; simpl; now rewrite A.
 - exact (vec_rel_ext _ _ _ (fun f f' g g' H F G => IHt w f f' g g' H F G) n f g f1 g1 H A B). Qed.

Fixpoint V_context (g : list type) (w : world) : (R -> environment g) -> (R -> translated_environment g) -> Prop := match g with nil => fun _ _ =>
    True
 | t :: g => fun r s => V t w (fun t => fst (r t)) (fun t => fst (s t)) /\ V_context g w (fun t => snd (r t)) (fun t =>
    snd (s t)) end.

Lemma Venv_later g : forall w w' r s, later w' w -> V_context g w r s -> V_context g w' r s.
Proof. induction g; simpl; intuition eauto using V_later. Qed.

Lemma V_lookup g t (v : var g t) : forall w r s, V_context g w r s -> V t w (fun t => lookup _ _ v (r t)) (fun t =>
    translated_lookup _ _ v (s t)).
Proof. induction v; simpl; intros w r s H; [tauto|]. apply (IHv w (fun t => snd (r t)) (fun t => snd (s t))).
  tauto. Qed.

Lemma E_bind t u w f m (h : (R -> value u)) (k : R -> translated t -> M (translated u)) : E t w f m ->
  (forall w' r, later w' w -> V t w' f r -> E u w' h (fun t => k t (r t))) -> E u w h (fun t =>
    bind (m t) (k t)).
Proof. intros (w1 & r & L & Q & X) K. destruct (K w1 r L X) as (w2 & r2 & L2 & Q2 & X2). exists w2, r2. split;
  [eapply later_trans; eauto|]. split; auto.
 intro x. unfold bind. rewrite Q. apply Q2. Qed.

Lemma E_ret t w f r : V t w f r -> E t w f (fun t => ret (r t)).
Proof. exists w, r. split. apply later_refl. now split. Qed.

Lemma E_let w f f' v d : (forall t, v t = f t) -> good w f f' d -> E TR w f (fun t =>
    bind (deltaLet (d t)) (fun u => ret (v t, u))).
Proof. intros VF G. exists (fun t => d t :: w t), (fun t => (v t, DVar (a + length (w t)))). split;
    [intro t; destruct (G t) as (_ & Q & _); split; [now exists (d t :: nil) | intro W; split; [exact Q | exact W]]|]. split; [reflexivity|]. split; auto.
 exists f'. intro t. destruct (G t) as (X & Y & Z). split; [exact X|]. split. simpl. apply Nat.add_lt_mono_l.
   auto. simpl. now rewrite Nat.eqb_refl. Qed.

Theorem fundamental g t (e : term g t) : forall w r s, V_context g w r s -> E t w (fun t => eval _ _ e (r t)) (fun t =>
    translate _ _ e (s t)).
Proof. induction e; simpl; intros w r0 s0 H.
 - apply (E_ret _ _ _ _ (V_lookup _ _ v _ _ _ H)).
 - apply (E_ret (Arr a0 b) w (fun t x => eval _ _ e (x, r0 t)) (fun t x => translate _ _ e (x, s0 t))).
     intros w' L x y X. destruct (IHe w' (fun t => (x t, r0 t)) (fun t => (y t, s0 t))) as (w2 & r & P & Q & S).
     split; auto. eapply Venv_later; eauto. exists w2, r. auto.
 - eapply (E_bind (Arr a0 b)). apply (IHe1 _ _ _ H). intros w1 r L X. eapply (E_bind a0). apply (IHe2 w1 r0 s0).
     eapply Venv_later; eauto. intros w2 r2 L2 X2. apply (X w2 L2 _ _ X2).
 - eapply (E_bind a0). apply (IHe1 _ _ _ H). intros w1 r L X.
     apply (IHe2 w1 (fun t => (eval _ _ e1 (r0 t), r0 t)) (fun t => (r t, s0 t))). split; auto. eapply Venv_later;
     eauto.
 - eapply (E_bind a0). apply (IHe1 _ _ _ H). intros w1 r L X. eapply (E_bind b). apply (IHe2 w1 r0 s0).
     eapply Venv_later; eauto. intros w2 r2 L2 X2.
     apply (E_ret (Prod a0 b) w2 (fun t => (eval _ _ e1 (r0 t), eval _ _ e2 (r0 t))) (fun t => (r t, r2 t))). split;
     auto. eapply V_later; eauto.
 - eapply (E_bind (Prod a0 b)). apply (IHe _ _ _ H). intros w1 r L X.
     apply (E_ret a0 w1 _ (fun t => fst (r t))). apply X.
 - eapply (E_bind (Prod a0 b)). apply (IHe _ _ _ H). intros w1 r L X. apply (E_ret b w1 _ (fun t => snd (r t))).
     apply X.
 - eapply (E_bind a0). apply (IHe _ _ _ H). intros w1 r L X.
     apply (E_ret (Sum a0 b) w1 (fun t => inl (eval _ _ e (r0 t))) (fun t => inl (r t))). left. eauto 6.
 - eapply (E_bind b). apply (IHe _ _ _ H). intros w1 r L X.
     apply (E_ret (Sum a0 b) w1 (fun t => inr (eval _ _ e (r0 t))) (fun t => inr (r t))). right. eauto 6.
 - eapply (E_bind (Sum a0 b)). apply (IHe1 _ _ _ H). intros w1 r L [(h & k & X & Y & Z) | (h & k & X & Y & Z)].
   + destruct (IHe2 w1 (fun t => (h t, r0 t)) (fun t => (k t, s0 t))) as (w2 & q & P & Q & S). split; auto.
       eapply Venv_later; eauto. exists w2, q. split; [exact P|]. split. intro x. rewrite Z. apply Q. eapply V_ext;
       eauto. intro x; simpl. now rewrite Y.
   + destruct (IHe3 w1 (fun t => (h t, r0 t)) (fun t => (k t, s0 t))) as (w2 & q & P & Q & S). split; auto.
       eapply Venv_later; eauto. exists w2, q. split; [exact P|]. split. intro x. rewrite Z. apply Q. eapply V_ext;
       eauto. intro x; simpl. now rewrite Y.
 - apply (E_ret TR w (fun _ => r) (fun _ => (r, DZero))). split; auto. exists (fun _ => 0). intro t. split;
     [apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule) r t)|]. now split.
 - apply (E_ret TZ w (fun _ => z) (fun _ => z)). exists z; auto.
 - eapply (E_bind TR). apply (IHe1 _ _ _ H). intros w1 r L [A [f' X]]. eapply (E_bind TR).
     apply (IHe2 w1 r0 s0). eapply Venv_later; eauto. intros w2 r2 L2 [A2 [f2 X2]].
   eapply (E_let w2 _ (fun t => f' t + f2 t)). intro; now rewrite A, A2. intro t.
     destruct (good_later _ _ _ _ _ L2 X t) as (P & Q & S), (X2 t) as (P2 & Q2 & S2). split;
     [apply @is_derive_plus; auto|]. simpl. split; auto. now rewrite S, S2.
 - eapply (E_bind TR). apply (IHe1 _ _ _ H). intros w1 r L [A [f' X]]. eapply (E_bind TR).
     apply (IHe2 w1 r0 s0). eapply Venv_later; eauto. intros w2 r2 L2 [A2 [f2 X2]].
   eapply (E_let w2 _ (fun t => fst (r2 t) * f' t + fst (r t) * f2 t)). intro; now rewrite A, A2. intro t.
     destruct (good_later _ _ _ _ _ L2 X t) as (P & Q & S), (X2 t) as (P2 & Q2 & S2).
   split; [|simpl; split; auto; now rewrite S, S2]. rewrite A, A2. evar_last.
     apply (is_derive_mult (fun t => eval _ _ e1 (r0 t)) (fun t => eval _ _ e2 (r0 t)) t _ _ P P2). intros;
     apply Rmult_comm. unfold plus, mult; simpl. ring.
 - eapply (E_bind TR). apply (IHe _ _ _ H). intros w1 r L [A [f' X]].
     eapply (E_let w1 _ (fun t => cos (fst (r t)) * f' t)). intro; now rewrite A. intro t.
     destruct (X t) as (P & Q & S). split; [|simpl; split; auto; now rewrite S]. rewrite A.
   evar_last. apply (is_derive_comp sin (fun t => eval _ _ e (r0 t))); eauto.
     apply is_derive_Reals, derivable_pt_lim_sin. unfold scal; simpl; unfold mult; simpl; ring.
 - eapply (E_bind TR). apply (IHe _ _ _ H). intros w1 r L [A [f' X]].
     eapply (E_let w1 _ (fun t => - sin (fst (r t)) * f' t)). intro; now rewrite A. intro t.
     destruct (X t) as (P & Q & S). split; [|simpl; split; auto; now rewrite S]. rewrite A.
   evar_last. apply (is_derive_comp cos (fun t => eval _ _ e (r0 t))); eauto.
     apply is_derive_Reals, derivable_pt_lim_cos. unfold scal; simpl; unfold mult; simpl; ring.
 - generalize 0%Z. revert w H. induction n as [|n IHn]; simpl; intros w H i.
   + apply (E_ret (Vec 0 a0) w (fun _ => tt) (fun _ => tt)). exact I.
   + eapply (E_bind a0). { apply (IHe w (fun t => (i, r0 t)) (fun t => (i, s0 t))). split; [now exists i | exact H]. }
     intros w1 r L X. eapply (E_bind (Vec n a0)). { apply (IHn w1). eapply Venv_later; eauto. }
     intros w2 v L2 Y. apply (E_ret (Vec (S n) a0) w2 _ (fun t => (r t, v t))). split; [eapply V_later; eauto | exact Y].
 - eapply (E_bind (Vec (S n) a0)). apply (IHe1 _ _ _ H). intros w1 r L X. eapply (E_bind TZ).
     apply (IHe2 w1 r0 s0). eapply Venv_later; eauto. intros w2 r2 L2 [z Z].
   apply (E_ret a0 w2 _ (fun t => element n (r t) (Z.to_nat (r2 t)))). eapply V_ext.
   + exact (vec_rel_element _ _ _ n _ _ (Z.to_nat z) (V_later (Vec (S n) a0) _ _ _ _ L2 X)).
   + intro t. exact (f_equal (fun z => element n _ (Z.to_nat z)) (eq_sym (proj1 (Z t)))).
   + intro t. exact (f_equal (fun z => element n _ (Z.to_nat z)) (eq_sym (proj2 (Z t)))).
 - eapply (E_bind b). apply (IHe2 _ _ _ H). intros w1 r L X. eapply (E_bind (Vec n a0)).
     apply (IHe3 w1 r0 s0). eapply Venv_later; eauto. intros w2 r2 L2 Y.
   assert (K : forall m w x r v v', V b w x r -> vec_rel (V a0 w) m v v' -> V_context g w r0 s0 ->
     E b w (fun t => fold (fun y z => eval _ _ e1 (y, (z, r0 t))) m (v t) (x t))
       (fun t => fold_all (fun y z => translate _ _ e1 (y, (z, s0 t))) m (v' t) (r t))).
   { induction m as [|m IHm]; simpl; intros w3 x q v v' Q V C; [now apply (E_ret b w3 x q)|]. destruct V as [V V'].
     eapply (E_bind b).
     - apply (IHe1 w3 (fun t => (x t, (fst (v t), r0 t))) (fun t => (q t, (fst (v' t), s0 t)))). simpl. auto.
     - intros w4 p L4 P. apply (IHm w4 _ p (fun t => snd (v t)) (fun t => snd (v' t)) P).
       + exact (V_later (Vec m a0) _ _ _ _ L4 V').
       + exact (Venv_later g _ _ _ _ L4 C). }
   exact (K n w2 _ r _ r2 (V_later b _ _ _ _ L2 X) Y (Venv_later g _ _ _ _ (later_trans _ _ _ L2 L) H)).
Qed.
End Inputs.
