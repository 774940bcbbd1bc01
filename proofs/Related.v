(** * Two kinds of numbers that are related

    Of [Reference]. [related]: values that have related numbers at the same places. [similar]: two kinds of numbers whose
    operations give related results. The second kind may depend on a point [t], and operations need to agree at nearly
    all points only: for a filter [F] of points.

    Proved: primitives of related values are related, and [similar_dual]: dual numbers over similar numbers are similar,
    part by part. So what holds of a program holds of derivatives inside it. [Inside] goes on from here. *)
From Coquelicot Require Import Coquelicot.
From Coq Require Import ZArith List Bool Lia.
From Pullback Require Import Table Reference.
Import ListNotations.

(** Values by induction, with what is inside them. *)
Lemma value_induction {L N} (P : value L N -> Prop) :
  (forall x, P (VReal x)) -> (forall z, P (VInt z)) -> (forall b, P (VBool b)) -> (forall s, P (VStr s)) ->
  (forall vs, Forall P vs -> P (VTuple vs)) -> (forall tag vs, Forall P vs -> P (VCon tag vs)) ->
  (forall vs, Forall P vs -> P (VArray vs)) -> (forall e vs, Forall P vs -> P (VFun e vs)) ->
  (forall es i vs, Forall P vs -> P (VRec es i vs)) -> (forall x vs, P x -> Forall P vs -> P (VPull x vs)) ->
  (forall f x, P f -> P x -> P (VPush f x)) -> forall v, P v.
Proof.
  intros R I B Q T C A U E D O. fix IH 1.
  assert (K : forall vs, Forall P vs). { fix K 1. destruct vs; constructor; [apply IH | apply K]. }
  destruct v; [apply R | apply I | apply B | apply Q | apply T | apply C | apply A | apply U | apply E | apply D | apply O]; auto.
Qed.

Section Related.
Context {L A B T : Type} (rel : T -> A -> B -> Prop).

(** Related values have related numbers at the same places. *)
Inductive related (t : T) : value L A -> value L B -> Prop :=
  | related_real x y : rel t x y -> related t (VReal x) (VReal y)
  | related_int z : related t (VInt z) (VInt z)
  | related_bool b : related t (VBool b) (VBool b)
  | related_str s : related t (VStr s) (VStr s)
  | related_tuple vs ws : Forall2 (related t) vs ws -> related t (VTuple vs) (VTuple ws)
  | related_con tag vs ws : Forall2 (related t) vs ws -> related t (VCon tag vs) (VCon tag ws)
  | related_array vs ws : Forall2 (related t) vs ws -> related t (VArray vs) (VArray ws)
  | related_fun e vs ws : Forall2 (related t) vs ws -> related t (VFun e vs) (VFun e ws)
  | related_rec es i vs ws : Forall2 (related t) vs ws -> related t (VRec es i vs) (VRec es i ws)
  | related_pull x y vs ws : related t x y -> Forall2 (related t) vs ws -> related t (VPull x vs) (VPull y ws)
  | related_push f g x y : related t f g -> related t x y -> related t (VPush f x) (VPush g y).

Definition all_related t := Forall2 (related t).

(** Dual numbers are related part by part. *)
Definition pairwise (t : T) (x : A * A) (y : B * B) : Prop := rel t (fst x) (fst y) /\ rel t (snd x) (snd y).
End Related.

(** Where the first kind of numbers has a result, the second has a related one at nearly all points. *)
Record similar {L A B T : Type} (SA : numbers L A) (SB : T -> numbers L B) (F : (T -> Prop) -> Prop)
  (rel : T -> A -> B -> Prop) : Prop := {
  literals : forall l t, rel t (literal SA l) (literal (SB t) l);
  constants : forall c t, rel t (of_constant SA c) (of_constant (SB t) c);
  integers : forall z t, rel t (of_int SA z) (of_int (SB t) z);
  ones : forall p x y, one SA p x = Some y ->
    F (fun t => forall b, rel t x b -> exists c, one (SB t) p b = Some c /\ rel t y c);
  twos : forall p x y z, two SA p x y = Some z ->
    F (fun t => forall b c, rel t x b -> rel t y c -> exists d, two (SB t) p b c = Some d /\ rel t z d);
  powers : forall p x z y, power SA p x z = Some y ->
    F (fun t => forall b, rel t x b -> exists c, power (SB t) p b z = Some c /\ rel t y c);
  orders : forall p z x y, order SA p z x = Some y ->
    F (fun t => forall b, rel t x b -> exists c, order (SB t) p z b = Some c /\ rel t y c);
  decisions : forall p x y r, decide SA p x y = Some r ->
    F (fun t => forall b c, rel t x b -> rel t y c -> decide (SB t) p b c = Some r);
  stops : forall x y, stopped SA x = Some y -> forall t b, rel t x b ->
    exists c, stopped (SB t) b = Some c /\ rel t y c }.

Section Similar.
Context {L A B T : Type} (SA : numbers L A) (SB : T -> numbers L B).
Context (F : (T -> Prop) -> Prop) {FF : Filter F} (rel : T -> A -> B -> Prop).
Notation related := (related (L := L) rel).
Notation all_related := (all_related (L := L) rel).
Variable numbers_similar : similar SA SB F rel.
Let literals' := literals _ _ _ _ numbers_similar.
Let constants' := constants _ _ _ _ numbers_similar.
Let integers' := integers _ _ _ _ numbers_similar.
Let ones' := ones _ _ _ _ numbers_similar.
Let twos' := twos _ _ _ _ numbers_similar.
Let powers' := powers _ _ _ _ numbers_similar.
Let orders' := orders _ _ _ _ numbers_similar.
Let decisions' := decisions _ _ _ _ numbers_similar.

(** ** Lists *)
Lemma nth_related t vs ws i v : all_related t vs ws -> nth_error vs i = Some v ->
  exists w, nth_error ws i = Some w /\ related t v w.
Proof.
  intro H. revert i. induction H; destruct i; simpl; intro E; try discriminate; eauto.
  injection E as <-. eauto.
Qed.

Lemma length_related t vs ws : all_related t vs ws -> length vs = length ws.
Proof. induction 1; simpl; congruence. Qed.

Lemma app_related t us vs ws xs : all_related t us vs -> all_related t ws xs -> all_related t (us ++ ws) (vs ++ xs).
Proof. apply Forall2_app. Qed.

Lemma rev_related t vs ws : all_related t vs ws -> all_related t (rev vs) (rev ws).
Proof. induction 1; simpl; [constructor|]. apply Forall2_app; [assumption | repeat constructor; assumption]. Qed.

Lemma firstn_related t n : forall vs ws, all_related t vs ws -> all_related t (firstn n vs) (firstn n ws).
Proof. induction n; intros vs ws H; destruct H; simpl; constructor; auto. now apply IHn. Qed.

Lemma skipn_related t n : forall vs ws, all_related t vs ws -> all_related t (skipn n vs) (skipn n ws).
Proof. induction n; intros vs ws H; destruct H; simpl; auto; constructor; auto. Qed.

Lemma functions_related t es vs ws : all_related t vs ws -> all_related t (functions es vs) (functions es ws).
Proof.
  intro H. unfold functions. apply rev_related. induction (seq 0 (length es)); simpl; constructor; auto.
  now constructor.
Qed.

Lemma rows_related t vs ws : all_related t vs ws -> forall us us' found, all_related t us us' ->
  steps (fun v found => match v with VArray row => Some (found ++ row) | _ => None end) vs us = Some found ->
  exists found', steps (fun v found => match v with VArray row => Some (found ++ row) | _ => None end) ws us' = Some found'
    /\ all_related t found found'.
Proof.
  induction 1 as [|v w vs ws V _ IH]; simpl; intros us us' found U E.
  - injection E as <-. eauto.
  - destruct V; try discriminate. eapply IH; [|exact E]. now apply Forall2_app.
Qed.

Lemma sum_related : forall vs x z,
  steps (fun v total => match v with VReal x => two SA Add total x | _ => None end) vs x = Some z ->
  F (fun t => forall ws y, all_related t vs ws -> rel t x y -> exists z',
    steps (fun v total => match v with VReal x => two (SB t) Add total x | _ => None end) ws y = Some z' /\ rel t z z').
Proof.
  induction vs as [|v vs IH]; simpl; intros x z E.
  - injection E as <-. apply filter_forall. intros t ws y W X. inversion W; subst. simpl. eauto.
  - destruct v; try discriminate. destruct (two SA Add x x0) as [c|] eqn:C; [|discriminate].
    generalize (filter_and _ _ (twos' _ _ _ _ C) (IH _ _ E)). apply filter_imp. intros t [K K'] ws y W X.
    inversion W as [|? w ? ws' V W']; subst. inversion V; subst. simpl.
    match goal with R : rel t x0 ?b |- _ => destruct (K y b X R) as (d & -> & D) end. now apply K'.
Qed.

(** ** Sorting *)
Definition same_place t (p : A * Z) (q : B * Z) : Prop := rel t (fst p) (fst q) /\ snd p = snd q.

Lemma insert_related x i : forall s r, insert SA x i s = Some r -> F (fun t => forall x' s', rel t x x' ->
  Forall2 (same_place t) s s' -> exists r', insert (SB t) x' i s' = Some r' /\ Forall2 (same_place t) r r').
Proof.
  induction s as [|[y j] s IH]; simpl; intros r E.
  - injection E as <-. apply filter_forall. intros t x' s' X S. inversion S; subst. eexists. split; [reflexivity|].
    repeat constructor. exact X.
  - destruct (decide SA Lt x y) as [less|] eqn:D; [|discriminate]. destruct less.
    + injection E as <-. generalize (decisions' _ _ _ _ D). apply filter_imp. intros t K x' s' X S.
      inversion S as [|p [y' j'] s1 s2 Y S']; subst. destruct Y as [Y J]. simpl in Y, J. subst j'. simpl. rewrite (K _ _ X Y).
      eexists. split; [reflexivity|]. repeat (constructor; [split; simpl; auto|]). exact S'.
    + destruct (insert SA x i s) as [more|] eqn:M; [|discriminate]. injection E as <-.
      generalize (filter_and _ _ (decisions' _ _ _ _ D) (IH _ eq_refl)). apply filter_imp. intros t [K K'] x' s' X S.
      inversion S as [|p [y' j'] s1 s2 Y S']; subst. destruct Y as [Y J]. simpl in Y, J. subst j'. simpl. rewrite (K _ _ X Y).
      destruct (K' x' s2 X S') as (r' & -> & R). eexists. split; [reflexivity|]. constructor; [split; simpl; auto | exact R].
Qed.

Lemma sort_related vs : forall i s r, sort SA i vs s = Some r -> F (fun t => forall ws s', all_related t vs ws ->
  Forall2 (same_place t) s s' -> exists r', sort (SB t) i ws s' = Some r' /\ Forall2 (same_place t) r r').
Proof.
  induction vs as [|v vs IH]; simpl; intros i s r E.
  - injection E as <-. apply filter_forall. intros t ws s' W S. inversion W; subst. eexists. split; [reflexivity | exact S].
  - destruct v; try discriminate. destruct (insert SA x i s) as [more|] eqn:M; [|discriminate].
    generalize (filter_and _ _ (insert_related _ _ _ _ M) (IH _ _ _ E)). apply filter_imp. intros t [K K'] ws s' W S.
    inversion W as [|v w vs' ws' V W']; subst. inversion V; subst. simpl.
    destruct (K y s' H0 S) as (m & -> & R). now apply K'.
Qed.

Lemma argsort_related vs v : array_one SA Argsort vs = Some v ->
  F (fun t => forall ws, all_related t vs ws -> exists w, array_one (SB t) Argsort ws = Some w /\ related t v w).
Proof.
  simpl. destruct (sort SA 0 vs []) as [r|] eqn:E; [|discriminate]. intro H. injection H as <-.
  generalize (sort_related _ _ _ _ E). apply filter_imp. intros t K ws W. destruct (K ws [] W (Forall2_nil _)) as (r' & -> & R).
  eexists. split; [reflexivity|]. constructor. clear - R. induction R as [|[x i] [y j] s s' [_ P] _ IH]; simpl; constructor;
    auto.
  simpl in P. subst. constructor.
Qed.

(** ** Primitives *)
Ltac invert := unfold all_related in *; repeat match goal with
  | H : Forall2 _ (_ :: _) _ |- _ => inversion H; clear H; subst
  | H : Forall2 _ [] _ |- _ => inversion H; clear H; subst
  | H : related _ (VReal _) _ |- _ => inversion H; clear H; subst
  | H : related _ (VInt _) _ |- _ => inversion H; clear H; subst
  | H : related _ (VBool _) _ |- _ => inversion H; clear H; subst
  | H : related _ (VStr _) _ |- _ => inversion H; clear H; subst
  | H : related _ (VTuple _) _ |- _ => inversion H; clear H; subst
  | H : related _ (VCon _ _) _ |- _ => inversion H; clear H; subst
  | H : related _ (VArray _) _ |- _ => inversion H; clear H; subst
  end.

Lemma int_one_related p z v t : int_one SA p z = Some v -> exists w, int_one (SB t) p z = Some w /\ related t v w.
Proof.
  destruct p; simpl; intro E; try discriminate; injection E as <-; eexists; (split; [reflexivity|]); now constructor.
Qed.

Lemma int_two_related p y z v t : int_two (N := A) p y z = Some v ->
  exists w, int_two (N := B) p y z = Some w /\ related t v w.
Proof.
  destruct p; simpl; intro E; try discriminate; try (destruct (Z.eqb z 0); [discriminate|]); injection E as <-;
    eexists; (split; [reflexivity|]); constructor.
Qed.

Lemma array_one_related p vs v : array_one SA p vs = Some v ->
  F (fun t => forall ws, all_related t vs ws -> exists w, array_one (SB t) p ws = Some w /\ related t v w).
Proof.
  intro E. assert (Q : {p = Argsort} + {p <> Argsort}) by (destruct p; (now left) || (right; discriminate)).
  destruct Q as [-> | Q]; [now apply argsort_related|]. destruct p; try discriminate E; try (now destruct Q); simpl in *.
  - injection E as <-. apply filter_forall. intros t ws H. eexists. split; [reflexivity|].
    rewrite (length_related _ _ _ H). constructor.
  - unfold rows in *. destruct (steps _ vs []) as [found|] eqn:S; [|discriminate]. injection E as <-.
    apply filter_forall. intros t ws H.
    destruct (rows_related t vs ws H [] [] found (Forall2_nil _) S) as (found' & -> & R).
    eexists. split; [reflexivity|]. now constructor.
  - unfold sum in *. destruct (steps _ vs (of_int SA 0)) as [x|] eqn:S; [|discriminate]. injection E as <-.
    generalize (sum_related _ _ _ S). apply filter_imp. intros t K ws H.
    destruct (K ws (of_int (SB t) 0%Z) H (integers' 0%Z t)) as (y & -> & R).
    eexists. split; [reflexivity|]. now constructor.
Qed.

Lemma at_index_related t vs ws z v : all_related t vs ws -> at_index vs z = Some v ->
  exists w, at_index ws z = Some w /\ related t v w.
Proof. unfold at_index. destruct (Z.ltb z 0); [discriminate|]. apply nth_related. Qed.

Lemma update_related t vs ws z v w u : all_related t vs ws -> related t v w -> update vs z v = Some u ->
  exists u', update ws z w = Some u' /\ related t u u'.
Proof.
  intros H V E. unfold update in *. destruct (at_index vs z) eqn:I; [|discriminate]. injection E as <-.
  destruct (at_index_related _ _ _ _ _ H I) as (x & -> & _). eexists. split; [reflexivity|]. constructor.
  apply Forall2_app; [now apply firstn_related|]. constructor;
    [assumption | apply (skipn_related t (Datatypes.S (Z.to_nat z)) vs ws H)].
Qed.

Lemma slice_related t vs ws y z u : all_related t vs ws -> slice vs y z = Some u ->
  exists u', slice ws y z = Some u' /\ related t u u'.
Proof.
  intros H E. unfold slice in *. rewrite (length_related _ _ _ H) in E. destruct (_ || _ || _); [discriminate|].
  injection E as <-. eexists. split; [reflexivity|]. constructor. apply firstn_related. now apply skipn_related.
Qed.

Lemma prim_related p vs v : apply_prim SA p vs = Some v ->
  F (fun t => forall ws, all_related t vs ws -> exists w, apply_prim (SB t) p ws = Some w /\ related t v w).
Proof.
  intro H. destruct vs as [|a [|b [|c [|]]]]; simpl in H; try discriminate.
  - destruct a; try discriminate.
    + destruct (one SA p x) as [y|] eqn:E; [|discriminate]. injection H as <-.
      generalize (ones' _ _ _ E). apply filter_imp. intros t K ws W. invert. simpl.
      match goal with R : rel t x ?b |- _ => destruct (K b R) as (d & -> & D) end. eexists; split;
        [reflexivity | now constructor].
    + apply filter_forall. intros t ws W. invert. simpl. now apply int_one_related.
    + apply filter_forall. intros t ws W. invert. simpl. destruct p; try discriminate. injection H as <-. eexists; split;
        [reflexivity | constructor].
    + apply filter_forall. intros t ws W. invert. simpl. destruct p; try discriminate. injection H as <-. eexists; split;
        [reflexivity | constructor].
    + generalize (array_one_related _ _ _ H). apply filter_imp. intros t K ws W. invert. simpl. now apply K.
  - destruct a; try discriminate; destruct b; try discriminate.
    + destruct (comparison p) eqn:C.
      * destruct (decide SA p x x0) as [r|] eqn:E; [|discriminate]. injection H as <-.
        eapply filter_imp; [|exact (decisions' _ _ _ _ E)]. intros t D ws W. invert. simpl. rewrite C.
        match goal with R : rel t x ?b, Q : rel t x0 ?c |- _ => rewrite (D b c R Q) end. eexists; split;
          [reflexivity | constructor].
      * destruct (two SA p x x0) as [r|] eqn:E; [|discriminate]. injection H as <-.
        eapply filter_imp; [|exact (twos' _ _ _ _ E)]. intros t K ws W. invert. simpl. rewrite C.
        match goal with R : rel t x ?b, Q : rel t x0 ?c |- _ => destruct (K b c R Q) as (d & -> & D) end.
          eexists; split; [reflexivity | now constructor].
    + assert (P : exists y, power SA p x z = Some y /\ v = VReal y).
      { destruct p; try discriminate; destruct (power SA _ x z) as [y|]; try discriminate; injection H as <-; eauto. }
      destruct P as (y & E & ->). generalize (powers' _ _ _ _ E). apply filter_imp. intros t K ws W. invert. simpl.
      match goal with R : rel t x ?b |- _ => destruct (K b R) as (d & Q & D) end.
      destruct p; try discriminate; rewrite Q; (eexists; split; [reflexivity | now constructor]).
    + assert (P : exists y, order SA p z x = Some y /\ v = VReal y).
      { destruct p; try discriminate; destruct (order SA _ z x) as [y|]; try discriminate; injection H as <-; eauto. }
      destruct P as (y & E & ->). generalize (orders' _ _ _ _ E). apply filter_imp. intros t K ws W. invert. simpl.
      match goal with R : rel t x ?b |- _ => destruct (K b R) as (d & Q & D) end.
      destruct p; try discriminate; rewrite Q; (eexists; split; [reflexivity | now constructor]).
    + apply filter_forall. intros t ws W. invert. simpl. now apply int_two_related.
    + apply filter_forall. intros t ws W. invert. simpl. destruct p; try discriminate. injection H as <-.
      eexists; split; [reflexivity | constructor].
    + apply filter_forall. intros t ws W. invert. simpl. destruct p; try discriminate; injection H as <-;
        (eexists; split; [reflexivity | constructor]).
    + apply filter_forall. intros t ws W. invert. simpl. destruct p; try discriminate.
      now apply at_index_related with (vs := vs).
    + apply filter_forall. intros t ws W. invert. simpl. destruct p; try discriminate. injection H as <-.
      eexists; split; [reflexivity|]. constructor. now apply Forall2_app.
  - apply filter_forall. intros t ws W. destruct a; try discriminate; destruct b; try discriminate.
    inversion W as [|? ? ? ? W1 W2]; subst. inversion W2 as [|? ? ? ? W3 W4]; subst.
    inversion W4 as [|? w ? ? W5 W6]; subst. inversion W6; subst. inversion W1; subst. inversion W3; subst.
    simpl. destruct p; try discriminate.
    + now apply update_related with (vs := vs) (v := c).
    + destruct c; try discriminate. inversion W5; subst. now apply slice_related with (vs := vs).
    + injection H as <-. eexists; split; [reflexivity | now constructor].
  - destruct a; try discriminate; destruct b; discriminate.
Qed.

(** ** Terms of the table *)
Local Opaque apply_prim.

Lemma term_related x y r : forall tm v, term_of SA x y r tm = Some v ->
  F (fun t => forall x' y' r', related t x x' -> related t y y' -> related t r r' ->
    exists w, term_of (SB t) x' y' r' tm = Some w /\ related t v w).
Proof.
  induction tm; simpl; intros v E.
  - apply filter_forall. intros t x' y' r' X Y R. destruct i; injection E as <-; eauto.
  - apply filter_forall. injection E as <-. eauto.
  - apply filter_forall. injection E as <-. intros. eexists. split; [reflexivity | constructor; apply constants'].
  - apply filter_forall. injection E as <-. intros. eexists. split; [reflexivity | constructor].
  - apply filter_forall. injection E as <-. intros. eexists. split; [reflexivity | constructor; apply integers'].
  - apply filter_forall. injection E as <-. intros. eexists. split; [reflexivity | constructor; apply integers'].
  - destruct (term_of SA x y r tm) as [u|]; [|discriminate].
    generalize (filter_and _ _ (IHtm _ eq_refl) (prim_related p [u] v E)). apply filter_imp.
    intros t [K K'] x' y' r' X Y R. destruct (K x' y' r' X Y R) as (w & -> & W). apply K'. now repeat constructor.
  - destruct (term_of SA x y r tm1) as [u|]; [|discriminate]. destruct (term_of SA x y r tm2) as [u'|]; [|discriminate].
    generalize (filter_and _ _ (IHtm1 _ eq_refl) (filter_and _ _ (IHtm2 _ eq_refl) (prim_related p [u; u'] v E))).
    apply filter_imp. intros t (K1 & K2 & K') x' y' r' X Y R. destruct (K1 x' y' r' X Y R) as (w & -> & W).
    destruct (K2 x' y' r' X Y R) as (w' & -> & W'). apply K'. now repeat constructor.
  - destruct (term_of SA x y r tm1) as [u|]; [|discriminate]. destruct u; try discriminate.
    assert (K2 : F (fun t => forall x' y' r', related t x x' -> related t y y' -> related t r r' ->
      exists w, (if b then term_of (SB t) x' y' r' tm2 else term_of (SB t) x' y' r' tm3) = Some w /\ related t v w))
      by (destruct b; auto).
    generalize (filter_and _ _ (IHtm1 _ eq_refl) K2). apply filter_imp. clear K2.
    intros t (K1 & K2) x' y' r' X Y R. destruct (K1 x' y' r' X Y R) as (w & -> & W). inversion W; subst. now apply K2.
Qed.

Lemma slope_related x y r tm d : slope SA x y r tm = Some d ->
  F (fun t => forall x' y' r', related t x x' -> related t y y' -> rel t r r' ->
    exists e, slope (SB t) x' y' r' tm = Some e /\ rel t d e).
Proof.
  unfold slope. destruct (term_of SA x y (VReal r) tm) as [v|] eqn:V; [|discriminate]. destruct v; try discriminate.
  intro E. injection E as <-. generalize (term_related _ _ _ _ _ V). apply filter_imp.
  intros t K x' y' r' X Y R. destruct (K x' y' (VReal r') X Y (related_real _ _ _ _ R)) as (w & -> & W).
  inversion W; subst. eauto.
Qed.

(** ** Dual numbers *)
Notation pairwise := (pairwise rel).

(** The tangent of a primitive of one number. *)
Lemma dual_related (fA : option A) (fB : T -> B -> option B) (sA : A -> option A) (sB : T -> B -> B -> option B)
  (x y : A * A) :
  (forall r, fA = Some r -> F (fun t => forall b, rel t (fst x) b -> exists c, fB t b = Some c /\ rel t r c)) ->
  (forall r d, sA r = Some d -> F (fun t => forall b c, rel t (fst x) b -> rel t r c ->
    exists e, sB t b c = Some e /\ rel t d e)) ->
  (do r <- fA; do d <- sA r; do dr <- two SA Mul (snd x) d; Some (r, dr)) = Some y ->
  F (fun t => forall b, pairwise t x b -> exists c,
    (do r <- fB t (fst b); do d <- sB t (fst b) r; do dr <- two (SB t) Mul (snd b) d; Some (r, dr)) = Some c
    /\ pairwise t y c).
Proof.
  intros HF HS. destruct fA as [r|]; [|discriminate]. destruct (sA r) as [d|] eqn:S; [|discriminate].
  destruct (two SA Mul (snd x) d) as [dr|] eqn:M; [|discriminate]. intro E. injection E as <-.
  generalize (filter_and _ _ (HF _ eq_refl) (filter_and _ _ (HS _ _ S) (twos' _ _ _ _ M))). apply filter_imp.
  intros t (K1 & K2 & K3) b [B1 B2]. destruct (K1 _ B1) as (c & -> & C). destruct (K2 _ _ B1 C) as (e & -> & E).
  destruct (K3 _ _ B2 E) as (f & -> & G). eexists. split; [reflexivity|]. now split.
Qed.

Ltac by_slope R := generalize (slope_related _ _ _ _ _ R); apply filter_imp; intros t K; intros; apply K;
  try constructor; try assumption; apply integers'.

Theorem similar_dual : similar (dual SA) (fun t => dual (SB t)) F pairwise.
Proof.
  constructor.
  - intros l t. split; simpl; auto using literals', integers'.
  - intros c t. split; simpl; auto using constants', integers'.
  - intros z t. split; simpl; auto using integers'.
  - intros p x y E. apply (dual_related (one SA p (fst x)) (fun t b => one (SB t) p b) (fun r => slope_of_one SA p (fst x) r)
      (fun t b r => slope_of_one (SB t) p b r) x y); [intros r R; now apply ones' | | exact E].
    intros r d R. unfold slope_of_one in *. destruct (row p) as [[dom [|[tm|] [|? ?]]]|]; try discriminate.
    by_slope R.
  - intros p x y z E. simpl in E. destruct (two SA p (fst x) (fst y)) as [r|] eqn:R; [|discriminate].
    destruct (slopes_of_two SA p (fst x) (fst y) r) as [d|] eqn:D; [|discriminate].
    destruct (two SA Mul (snd x) (fst d)) as [a|] eqn:M1; [|discriminate].
    destruct (two SA Mul (snd y) (snd d)) as [b|] eqn:M2; [|discriminate].
    destruct (two SA Add a b) as [dr|] eqn:M3; [|discriminate]. injection E as <-.
    assert (S : F (fun t => forall x' y' r', rel t (fst x) x' -> rel t (fst y) y' -> rel t r r' ->
      exists e, slopes_of_two (SB t) p x' y' r' = Some e /\ rel t (fst d) (fst e) /\ rel t (snd d) (snd e))).
    { unfold slopes_of_two in *. destruct (row p) as [[dom [|[tm|] [|[tm'|] [|? ?]]]]|]; try discriminate.
      destruct (slope SA _ _ r tm) as [d1|] eqn:D1; [|discriminate].
      destruct (slope SA _ _ r tm') as [d2|] eqn:D2; [|discriminate]. injection D as <-.
      generalize (filter_and _ _ (slope_related _ _ _ _ _ D1) (slope_related _ _ _ _ _ D2)). apply filter_imp.
      intros t [K1 K2] x' y' r' X Y Q.
      destruct (K1 (VReal x') (VReal y') r') as (e1 & -> & E1); try (constructor; assumption); try assumption.
      destruct (K2 (VReal x') (VReal y') r') as (e2 & -> & E2); try (constructor; assumption); try assumption.
      eexists. split; [reflexivity|]. now split. }
    generalize (filter_and _ _ (twos' _ _ _ _ R) (filter_and _ _ S (filter_and _ _ (twos' _ _ _ _ M1)
      (filter_and _ _ (twos' _ _ _ _ M2) (twos' _ _ _ _ M3))))). apply filter_imp.
    intros t (K1 & K2 & K3 & K4 & K5) u v [U1 U2] [V1 V2]. simpl.
    destruct (K1 _ _ U1 V1) as (r' & -> & R'). destruct (K2 _ _ _ U1 V1 R') as (e & -> & E1 & E2).
    destruct (K3 _ _ U2 E1) as (a' & -> & A'). destruct (K4 _ _ V2 E2) as (b' & -> & B').
    destruct (K5 _ _ A' B') as (c' & -> & C'). eexists. split; [reflexivity|]. now split.
  - intros p x z y E. apply (dual_related (power SA p (fst x) z) (fun t b => power (SB t) p b z)
      (fun r => slope_of_power SA p (fst x) z r) (fun t b r => slope_of_power (SB t) p b z r) x y);
      [intros r R; now apply powers' | | exact E].
    intros r d R. unfold slope_of_power in *. destruct (row p) as [[dom [|[tm|] [|[?|] [|? ?]]]]|]; try discriminate.
    by_slope R.
  - intros p z x y E. apply (dual_related (order SA p z (fst x)) (fun t b => order (SB t) p z b)
      (fun r => slope_of_order SA p z (fst x) r) (fun t b r => slope_of_order (SB t) p z b r) x y);
      [intros r R; now apply orders' | | exact E].
    intros r d R. unfold slope_of_order in *. destruct (row p) as [[dom [|[?|] [|[tm|] [|? ?]]]]|]; try discriminate.
    by_slope R.
  - intros p x y r E. generalize (decisions' _ _ _ _ E). apply filter_imp. intros t K u v [U _] [V _]. now apply K.
  - intros x y E t b [B1 _]. simpl in *. destruct (stopped SA (fst x)) as [z|] eqn:Z; [|discriminate]. injection E as <-.
    destruct (stops _ _ _ _ numbers_similar _ _ Z t _ B1) as (c & -> & C). eexists. split; [reflexivity|].
    split; simpl; auto using integers'.
Qed.
End Similar.
