(** * Two kinds of numbers: derivatives inside a program

    Continues [Related]. If the operations of two kinds of numbers are related ([similar]), then so are what [Reference] makes
    of data for a derivative, what it differentiates ([forward_related]), what pullbacks give ([pull_related]), and
    functions with their own rules ([custom_related]). [Simulation] goes on from here. *)
From Coquelicot Require Import Coquelicot.
From Coq Require Import ZArith List Bool Lia.
From Pullback Require Import Table Reference Related.
Import ListNotations.

(** ** Data *)
Lemma Forall_both {X Y} (P : X -> Y -> Prop) (Q : X -> Prop) xs ys :
  Forall Q xs -> Forall2 P xs ys -> Forall2 (fun x y => Q x /\ P x y) xs ys.
Proof. intros H K. induction K; inversion H; subst; constructor; auto. Qed.

Lemma Forall2_same_length {X Y} (P : X -> Y -> Prop) xs ys : Forall2 P xs ys -> length xs = length ys.
Proof. induction 1; simpl; congruence. Qed.

(** A value is related to itself with other numbers. *)
Lemma same_related {L M A B T} (rel : T -> A -> B -> Prop) (t : T) (g : M -> A) (h : M -> B) :
  (forall x, rel t (g x) (h x)) -> forall v : value L M, related rel t (map_value g v) (map_value h v).
Proof.
  intro G. assert (K : forall vs, Forall (fun v : value L M => related rel t (map_value g v) (map_value h v)) vs ->
    Forall2 (related rel t) (map (map_value g) vs) (map (map_value h) vs)) by (induction 1; constructor; auto).
  induction v using value_induction; simpl; constructor; auto.
Qed.

Lemma map_value_id {L N} (v : value L N) : map_value (fun x => x) v = v.
Proof.
  assert (K : forall vs, Forall (fun v : value L N => map_value (fun x => x) v = v) vs ->
    map (map_value (fun x => x)) vs = vs) by (induction 1; simpl; congruence).
  induction v using value_induction; simpl; f_equal; auto.
Qed.

Section Data.
Context {L A B A' B' T : Type} (rel : T -> A -> B -> Prop) (rel' : T -> A' -> B' -> Prop) (t : T).

Lemma map_value_related (g : A -> A') (h : B -> B') : (forall x y, rel t x y -> rel' t (g x) (h y)) ->
  forall (v : value L A) w, related rel t v w -> related rel' t (map_value g v) (map_value h w).
Proof.
  intro G. assert (K : forall (vs : list (value L A)) ws,
    Forall (fun v => forall w, related rel t v w -> related rel' t (map_value g v) (map_value h w)) vs ->
    Forall2 (related rel t) vs ws -> Forall2 (related rel' t) (map (map_value g) vs) (map (map_value h) ws)).
  { intros vs ws H V. generalize (Forall_both _ _ _ _ H V). clear. induction 1 as [|x y ? ? []]; simpl; constructor; auto. }
  induction v using value_induction; intros w V; inversion V; subst; simpl; constructor; auto.
Qed.

Lemma map_data_related tangent (g : A -> option A') (h : B -> option B') :
  (forall x x', g x = Some x' -> forall y, rel t x y -> exists y', h y = Some y' /\ rel' t x' y') ->
  forall (v : value L A) u, map_data tangent g v = Some u -> forall w, related rel t v w ->
  exists u', map_data tangent h w = Some u' /\ related rel' t u u'.
Proof.
  intro G. assert (K : forall (vs : list (value L A)) us, Forall (fun v => forall u, map_data tangent g v = Some u ->
      forall w, related rel t v w -> exists u', map_data tangent h w = Some u' /\ related rel' t u u') vs ->
    all (map_data (L := L) tangent g) vs = Some us -> forall ws, Forall2 (related rel t) vs ws ->
    exists us', all (map_data (L := L) tangent h) ws = Some us' /\ Forall2 (related rel' t) us us').
  { induction vs as [|v vs IH]; simpl; intros us H E ws V; inversion V as [|? w ? ws' Vv Vs]; subst; simpl.
    - injection E as <-. eauto.
    - apply Forall_cons_iff in H as [Hv H]. destruct (map_data tangent g v) as [u|]; [|discriminate].
      destruct (all _ vs) as [us'|] eqn:US; [|discriminate]. injection E as <-.
      destruct (Hv _ eq_refl _ Vv) as (u' & -> & U). destruct (IH _ H eq_refl _ Vs) as (us2 & -> & W). eauto. }
  induction v using value_induction; simpl; intros u E w V; inversion V; subst; simpl; try discriminate.
  - destruct (g x) as [x'|] eqn:X; [|discriminate]. injection E as <-. edestruct G as (y' & -> & Y); eauto.
    eexists. split; [reflexivity | now constructor].
  - injection E as <-. eexists. split; [reflexivity|]. destruct tangent; repeat constructor.
  - injection E as <-. eexists. split; [reflexivity|]. destruct tangent; repeat constructor.
  - injection E as <-. eexists. split; [reflexivity|]. destruct tangent; repeat constructor.
  - destruct (all _ vs) as [us|] eqn:U; [|discriminate]. injection E as <-. edestruct K as (us' & -> & W); eauto.
    eexists. split; [reflexivity | now constructor].
  - destruct (all _ vs) as [us|] eqn:U; [|discriminate]. injection E as <-. edestruct K as (us' & -> & W); eauto.
    eexists. split; [reflexivity | now constructor].
  - destruct (all _ vs) as [us|] eqn:U; [|discriminate]. injection E as <-. edestruct K as (us' & -> & W); eauto.
    eexists. split; [reflexivity | now constructor].
Qed.

Lemma bundle_related : forall v dv (z : value L (A * A)), bundle v dv = Some z -> forall w dw, related rel t v w ->
  related rel t dv dw -> exists z', bundle w dw = Some z' /\ related (pairwise rel) t z z'.
Proof.
  assert (K : forall vs : list (value L A), Forall (fun v => forall dv (z : value L (A * A)), bundle v dv = Some z -> forall w dw,
      related rel t v w -> related rel t dv dw -> exists z', bundle w dw = Some z' /\ related (pairwise rel) t z z') vs ->
    forall dvs zs, both bundle vs dvs = Some zs -> forall ws dws, Forall2 (related rel t) vs ws ->
    Forall2 (related rel t) dvs dws -> exists zs', both bundle ws dws = Some zs' /\
      Forall2 (related (pairwise rel) t) zs zs').
  { induction vs as [|v vs IH]; intros H dvs zs E ws dws V W; inversion V as [|? w ? ws' Vv Vs]; subst;
      destruct dvs as [|dv dvs]; try discriminate E; inversion W as [|? dw ? dws' Wv Ws]; subst; simpl in *.
    - injection E as <-. eauto.
    - apply Forall_cons_iff in H as [Hv H]. destruct (bundle v dv) as [z|] eqn:Z; [|discriminate].
      destruct (both bundle vs dvs) as [zs'|] eqn:ZS; [|discriminate]. injection E as <-.
      destruct (Hv _ _ Z _ _ Vv Wv) as (u & -> & U). destruct (IH H _ _ ZS _ _ Vs Ws) as (us & -> & US). eauto. }
  induction v using value_induction; intros dv z' E w dw V W; destruct dv as [| | | |ds| | | | | |]; try discriminate E;
    inversion V; subst; inversion W; subst; simpl in *.
  - injection E as <-. eexists. split; [reflexivity|]. constructor. now split.
  - destruct ds; [|discriminate]. injection E as <-. match goal with H : Forall2 _ [] _ |- _ => inversion H end.
    eexists. split; [reflexivity | constructor].
  - destruct ds; [|discriminate]. injection E as <-. match goal with H : Forall2 _ [] _ |- _ => inversion H end.
    eexists. split; [reflexivity | constructor].
  - destruct ds; [|discriminate]. injection E as <-. match goal with H : Forall2 _ [] _ |- _ => inversion H end.
    eexists. split; [reflexivity | constructor].
  - destruct (both bundle vs ds) as [zs|] eqn:Z; [|discriminate]. injection E as <-.
    edestruct K as (zs' & -> & ZS); eauto. eexists. split; [reflexivity | now constructor].
  - destruct (Nat.eqb tag tag0); [|discriminate].
    destruct (both bundle vs vs0) as [zs|] eqn:Z; [|discriminate]. injection E as <-.
    edestruct K as (zs' & -> & ZS); eauto. eexists. split; [reflexivity | now constructor].
  - destruct (both bundle vs vs0) as [zs|] eqn:Z; [|discriminate]. injection E as <-.
    edestruct K as (zs' & -> & ZS); eauto. eexists. split; [reflexivity | now constructor].
Qed.

Lemma leaves_related : forall (v : value L A) xs, leaves v = Some xs -> forall w, related rel t v w ->
  exists ys, leaves w = Some ys /\ Forall2 (rel t) xs ys.
Proof.
  assert (K : forall vs, Forall (fun v : value L A => forall xs, leaves v = Some xs -> forall w, related rel t v w ->
      exists ys, leaves w = Some ys /\ Forall2 (rel t) xs ys) vs ->
    forall found, all leaves vs = Some found -> forall ws, Forall2 (related rel t) vs ws ->
    exists found', all leaves ws = Some found' /\ Forall2 (rel t) (concat found) (concat found')).
  { induction vs as [|v vs IH]; simpl; intros H found E ws V; inversion V as [|? w ? ws' Vv Vs]; subst; simpl.
    - injection E as <-. exists []. split; [reflexivity | constructor].
    - apply Forall_cons_iff in H as [Hv H]. destruct (leaves v) as [xs|] eqn:X; [|discriminate].
      destruct (all leaves vs) as [more|] eqn:M; [|discriminate]. injection E as <-.
      destruct (Hv _ eq_refl _ Vv) as (ys & -> & Y). destruct (IH H _ eq_refl _ Vs) as (more' & -> & M').
      eexists. split; [reflexivity|]. simpl. now apply Forall2_app. }
  induction v using value_induction; simpl; intros xs E w V; inversion V; subst; simpl; try discriminate.
  - injection E as <-. eauto.
  - injection E as <-. eauto.
  - injection E as <-. eauto.
  - injection E as <-. eauto.
  - destruct (all leaves vs) as [found|] eqn:X; [|discriminate]. injection E as <-. edestruct K as (ys & -> & Y); eauto.
  - destruct (all leaves vs) as [found|] eqn:X; [|discriminate]. injection E as <-. edestruct K as (ys & -> & Y); eauto.
  - destruct (all leaves vs) as [found|] eqn:X; [|discriminate]. injection E as <-. edestruct K as (ys & -> & Y); eauto.
Qed.

Lemma fill_related : forall (v : value L A) xs (r : value L A' * list A'), fill v xs = Some r -> forall w ys,
  related rel t v w -> Forall2 (rel' t) xs ys ->
  exists s, fill w ys = Some s /\ related rel' t (fst r) (fst s) /\ Forall2 (rel' t) (snd r) (snd s).
Proof.
  assert (K : forall vs, Forall (fun v : value L A => forall xs (r : value L A' * list A'), fill v xs = Some r -> forall w ys,
      related rel t v w -> Forall2 (rel' t) xs ys ->
      exists s, fill w ys = Some s /\ related rel' t (fst r) (fst s) /\ Forall2 (rel' t) (snd r) (snd s)) vs ->
    forall xs (r : list (value L A') * list A'), through fill vs xs = Some r -> forall ws ys, Forall2 (related rel t) vs ws ->
    Forall2 (rel' t) xs ys -> exists s, through fill ws ys = Some s /\ Forall2 (related rel' t) (fst r) (fst s) /\
      Forall2 (rel' t) (snd r) (snd s)).
  { induction vs as [|v vs IH]; simpl; intros H xs r E ws ys V Y; inversion V as [|? w ? ws' Vv Vs]; subst; simpl.
    - injection E as <-. eexists. split; [reflexivity|]. simpl. auto.
    - apply Forall_cons_iff in H as [Hv H]. destruct (fill v xs) as [[u rest]|] eqn:U; [|discriminate]. simpl in E.
      destruct (through fill vs rest) as [[us rest']|] eqn:US; [|discriminate]. injection E as <-.
      destruct (Hv _ _ U _ _ Vv Y) as ([u' q] & -> & U' & Q). simpl in *.
      destruct (IH H _ _ US _ _ Vs Q) as ([us' q'] & -> & US' & Q').
      eexists. split; [reflexivity|]. simpl in *. auto. }
  induction v using value_induction; simpl; intros xs r E w ys V Y; inversion V; subst; simpl; try discriminate.
  - destruct xs; [discriminate|]. injection E as <-. inversion Y; subst. eexists. split; [reflexivity|]. simpl.
    split; [now constructor | assumption].
  - injection E as <-. eexists. split; [reflexivity|]. simpl. split; [repeat constructor | assumption].
  - injection E as <-. eexists. split; [reflexivity|]. simpl. split; [repeat constructor | assumption].
  - injection E as <-. eexists. split; [reflexivity|]. simpl. split; [repeat constructor | assumption].
  - destruct (through fill vs xs) as [[us rest]|] eqn:U; [|discriminate]. injection E as <-.
    edestruct K as ([us' q] & -> & U' & Q); eauto. eexists. split; [reflexivity|]. split; [now constructor | exact Q].
  - destruct (through fill vs xs) as [[us rest]|] eqn:U; [|discriminate]. injection E as <-.
    edestruct K as ([us' q] & -> & U' & Q); eauto. eexists. split; [reflexivity|]. split; [now constructor | exact Q].
  - destruct (through fill vs xs) as [[us rest]|] eqn:U; [|discriminate]. injection E as <-.
    edestruct K as ([us' q] & -> & U' & Q); eauto. eexists. split; [reflexivity|]. split; [now constructor | exact Q].
Qed.
End Data.

(** ** Derivatives inside a program *)
Section Inside.
Context {L A B T : Type} (SA : numbers L A) (SB : T -> numbers L B).
Context (F : (T -> Prop) -> Prop) {FF : Filter F} (rel : T -> A -> B -> Prop).
Notation related_dual := (related (L := L) (pairwise rel)).
Notation related := (related (L := L) rel).
Notation all_related := (all_related (L := L) rel).
Variable numbers_similar : similar SA SB F rel.
Let integers' := integers _ _ _ _ numbers_similar.
Let twos' := twos _ _ _ _ numbers_similar.

Lemma lift_related t v w : related t v w -> related_dual t (lift SA v) (lift (SB t) w).
Proof. apply map_value_related. intros x y R. split; [exact R | apply integers']. Qed.

Lemma direction_related t x y n i dx : related t x y -> direction SA x n i = Some dx ->
  exists dy, direction (SB t) y n i = Some dy /\ related t dx dy.
Proof.
  unfold direction. intros X E. destruct (fill x _) as [r|] eqn:R; [|discriminate]. injection E as <-.
  assert (D : Forall2 (rel t) (map (fun j => of_int SA (if Nat.eqb i j then 1%Z else 0%Z)) (seq 0 n))
    (map (fun j => of_int (SB t) (if Nat.eqb i j then 1%Z else 0%Z)) (seq 0 n)))
    by (clear R; induction (seq 0 n); simpl; constructor; auto).
  destruct (fill_related rel rel t _ _ _ R _ _ X D) as (s & -> & S & _). eauto.
Qed.

Lemma product_related v dv r : product SA v dv = Some r ->
  F (fun t => forall w dw, related t v w -> related t dv dw -> exists s, product (SB t) w dw = Some s /\ rel t r s).
Proof.
  unfold product. destruct (bundle v dv) as [z|] eqn:Z; [|discriminate]. destruct (leaves z) as [pairs|] eqn:P; [|discriminate].
  intro E.
  assert (K : forall pairs x r,
    steps (fun p total => do x <- two SA Mul (fst p) (snd p); two SA Add total x) pairs x = Some r ->
    F (fun t => forall pairs' y, Forall2 (pairwise rel t) pairs pairs' -> rel t x y -> exists s,
      steps (fun p total => do x <- two (SB t) Mul (fst p) (snd p); two (SB t) Add total x) pairs' y = Some s /\ rel t r s)).
  { clear - FF twos'. induction pairs as [|p pairs IH]; simpl; intros x r E.
    - injection E as <-. apply filter_forall. intros t pairs' y Q X. inversion Q; subst. simpl. eauto.
    - destruct (two SA Mul (fst p) (snd p)) as [a|] eqn:M; [|discriminate].
      destruct (two SA Add x a) as [b|] eqn:S; [|discriminate].
      generalize (filter_and _ _ (twos' _ _ _ _ M) (filter_and _ _ (twos' _ _ _ _ S) (IH _ _ E))). apply filter_imp.
      intros t (K1 & K2 & K3) pairs' y Q X. inversion Q as [|? q ? ? [Q1 Q2] Q']; subst. simpl.
      destruct (K1 _ _ Q1 Q2) as (a' & -> & A'). destruct (K2 _ _ X A') as (b' & -> & B'). now apply K3. }
  generalize (K _ _ _ E). apply filter_imp. intros t K' w dw V W.
  destruct (bundle_related rel t _ _ _ Z _ _ V W) as (z' & -> & Z').
  destruct (leaves_related (pairwise rel) t _ _ P _ Z') as (pairs' & -> & P'). apply K'; auto.
Qed.

Lemma pull_related x columns bar v : pull SA x columns bar = Some v ->
  F (fun t => forall y ds bar', related t x y -> all_related t columns ds -> related t bar bar' ->
    exists w, pull (SB t) y ds bar' = Some w /\ related t v w).
Proof.
  unfold pull. destruct (all _ columns) as [products|] eqn:P; [|discriminate].
  destruct (fill x products) as [r|] eqn:R; [|discriminate]. intro E. injection E as <-.
  assert (K : F (fun t => forall ds bar', all_related t columns ds -> related t bar bar' ->
    exists qs, all (fun column => product (SB t) column bar') ds = Some qs /\ Forall2 (rel t) products qs)).
  { clear R. revert products P. induction columns as [|c columns IH]; simpl; intros products P.
    - injection P as <-. apply filter_forall. intros t ds bar' D _. inversion D; subst. simpl. eauto.
    - destruct (product SA c bar) as [p|] eqn:Q; [|discriminate]. destruct (all _ columns) as [ps|] eqn:PS; [|discriminate].
      injection P as <-. generalize (filter_and _ _ (product_related _ _ _ Q) (IH _ eq_refl)). apply filter_imp.
      intros t (K1 & K2) ds bar' D B'. inversion D as [|? d ? ds' D1 D2]; subst. simpl.
      destruct (K1 _ _ D1 B') as (q & -> & Q'). destruct (K2 _ _ D2 B') as (qs & -> & QS). eauto. }
  revert K. apply filter_imp. intros t K y ds bar' X D B'. destruct (K _ _ D B') as (qs & -> & Q).
  destruct (fill_related rel rel t _ _ _ R _ _ X Q) as (s & -> & S & _). eauto.
Qed.

Lemma forward_related runA runB f x dx r :
  (forall g z r, runA g z = Some r -> F (fun t => forall g' z', related_dual t g g' ->
    related_dual t z z' ->
    exists r', runB t g' z' = Some r' /\ related_dual t r r')) ->
  forward SA runA f x dx = Some r ->
  F (fun t => forall f' x' dx', related t f f' -> related t x x' -> related t dx dx' ->
    exists s, forward (SB t) (runB t) f' x' dx' = Some s /\ related t (fst r) (fst s) /\ related t (snd r) (snd s)).
Proof.
  unfold forward. intros H. destruct (bundle x dx) as [z|] eqn:Z; [|discriminate].
  destruct (runA (lift SA f) z) as [u|] eqn:U; [|discriminate].
  destruct (map_data false _ u) as [y|] eqn:Y; [|discriminate].
  destruct (map_data true _ u) as [dy|] eqn:DY; [|discriminate]. intro E. injection E as <-.
  generalize (H _ _ _ U). apply filter_imp. intros t K f' x' dx' FF' X DX.
  destruct (bundle_related rel t _ _ _ Z _ _ X DX) as (z' & -> & Z').
  destruct (K (lift (SB t) f') z' (lift_related _ _ _ FF') Z') as (u' & -> & U').
  assert (G1 : forall p (x : A), Some (fst p) = Some x -> forall q, pairwise rel t p q ->
    exists y : B, Some (fst q) = Some y /\ rel t x y) by (intros p x0 E q [Q _]; injection E as <-; eauto).
  assert (G2 : forall p (x : A), Some (snd p) = Some x -> forall q, pairwise rel t p q ->
    exists y : B, Some (snd q) = Some y /\ rel t x y) by (intros p x0 E q [_ Q]; injection E as <-; eauto).
  destruct (map_data_related (pairwise rel) rel t false _ _ G1 u y Y u' U') as (y' & -> & Y').
  destruct (map_data_related (pairwise rel) rel t true _ _ G2 u dy DY u' U') as (dy' & -> & DY').
  eexists. split; [reflexivity|]. now split.
Qed.
(** ** Evaluation *)

(** What gives [x] with the first numbers gives something related with the second, at nearly all points, in all related
    environments. *)
Definition follows {X Y} (R : T -> X -> Y -> Prop) (env : list (value L A)) (x : X)
  (g : T -> list (value L B) -> option Y) : Prop :=
  F (fun t => forall env', all_related t env env' -> exists y, g t env' = Some y /\ R t x y).

Lemma all_follows {X} (f : X -> option (value L A)) (g : T -> list (value L B) -> X -> option (value L B)) env :
  (forall x v, f x = Some v -> follows related env v (fun t env' => g t env' x)) ->
  forall xs vs, all f xs = Some vs -> follows all_related env vs (fun t env' => all (g t env') xs).
Proof.
  unfold follows. intros H. induction xs as [|x xs IH]; simpl; intros vs E.
  - injection E as <-. apply filter_forall. intros t env' _. eexists. split; [reflexivity | constructor].
  - destruct (f x) as [v|] eqn:V; [|discriminate]. destruct (all f xs) as [ws|] eqn:W; [|discriminate].
    injection E as <-. generalize (filter_and _ _ (H _ _ V) (IH _ eq_refl)). apply filter_imp.
    intros t [K K'] env' M. destruct (K env' M) as (y & -> & Y), (K' env' M) as (ys & -> & Ys).
    eexists. split; [reflexivity | now constructor].
Qed.

Lemma steps_follows {X} (f : X -> value L A -> option (value L A))
  (g : T -> list (value L B) -> X -> value L B -> option (value L B)) env :
  (forall x s v, f x s = Some v ->
    F (fun t => forall env' s', all_related t env env' -> related t s s' ->
      exists w, g t env' x s' = Some w /\ related t v w)) ->
  forall xs s v, steps f xs s = Some v ->
  F (fun t => forall env' s', all_related t env env' -> related t s s' ->
    exists w, steps (g t env') xs s' = Some w /\ related t v w).
Proof.
  intros H. induction xs as [|x xs IH]; simpl; intros s v E.
  - injection E as <-. apply filter_forall. eauto.
  - destruct (f x s) as [r|] eqn:R; [|discriminate].
    generalize (filter_and _ _ (H _ _ _ R) (IH _ _ E)). apply filter_imp.
    intros t [K K'] env' s' M S. destruct (K env' s' M S) as (y & -> & Y). now apply K'.
Qed.

Lemma while_follows (c : value L A -> option bool) (f : value L A -> option (value L A))
  (d : T -> list (value L B) -> value L B -> option bool) (g : T -> list (value L B) -> value L B -> option (value L B)) env :
  (forall s b, c s = Some b ->
    F (fun t => forall env' s', all_related t env env' -> related t s s' -> d t env' s' = Some b)) ->
  (forall s v, f s = Some v ->
    F (fun t => forall env' s', all_related t env env' -> related t s s' -> exists w, g t env' s' = Some w /\ related t v w)) ->
  forall n s v, while n c f s = Some v ->
  F (fun t => forall env' s', all_related t env env' -> related t s s' ->
    exists w, while n (d t env') (g t env') s' = Some w /\ related t v w).
Proof.
  intros H H'. induction n; simpl; intros s v E; [discriminate|].
  destruct (c s) as [b|] eqn:C; [|discriminate]. destruct b.
  - destruct (f s) as [r|] eqn:R; [|discriminate].
    generalize (filter_and _ _ (H _ _ C) (filter_and _ _ (H' _ _ R) (IHn _ _ E))). apply filter_imp.
    intros t (K & K' & K'') env' s' M S. rewrite (K env' s' M S). destruct (K' env' s' M S) as (y & -> & Y).
    now apply K''.
  - injection E as <-. generalize (H _ _ C). apply filter_imp. intros t K env' s' M S. rewrite (K env' s' M S). eauto.
Qed.

(** ** Derivatives that the program defines *)

Lemma plus_related v w u : plus SA v w = Some u ->
  F (fun t => forall v' w', related t v v' -> related t w w' -> exists u', plus (SB t) v' w' = Some u' /\ related t u u').
Proof.
  unfold plus. destruct (bundle v w) as [z|] eqn:Z; [|discriminate]. destruct (leaves z) as [pairs|] eqn:P; [|discriminate].
  destruct (all _ pairs) as [sums|] eqn:S; [|discriminate]. destruct (fill v sums) as [r|] eqn:R; [|discriminate].
  intro E. injection E as <-.
  assert (K : F (fun t => forall pairs', Forall2 (pairwise rel t) pairs pairs' ->
    exists sums', all (fun p => two (SB t) Add (fst p) (snd p)) pairs' = Some sums' /\ Forall2 (rel t) sums sums')).
  { clear R. revert sums S. clear - FF twos'. induction pairs as [|p pairs IH]; simpl; intros sums S.
    - injection S as <-. apply filter_forall. intros t pairs' Q. inversion Q; subst. simpl. eauto.
    - destruct (two SA Add (fst p) (snd p)) as [a|] eqn:M; [|discriminate].
      destruct (all _ pairs) as [more|] eqn:MS; [|discriminate]. injection S as <-.
      generalize (filter_and _ _ (twos' _ _ _ _ M) (IH _ eq_refl)). apply filter_imp.
      intros t (K1 & K2) pairs' Q. inversion Q as [|? q ? ? [Q1 Q2] Q']; subst. simpl.
      destruct (K1 _ _ Q1 Q2) as (a' & -> & A'). destruct (K2 _ Q') as (more' & -> & M'). eauto. }
  revert K. apply filter_imp. intros t K v' w' V W. destruct (bundle_related rel t _ _ _ Z _ _ V W) as (z' & -> & Z').
  destruct (leaves_related (pairwise rel) t _ _ P _ Z') as (pairs' & -> & P'). destruct (K _ P') as (sums' & -> & S').
  destruct (fill_related rel rel t _ _ _ R _ _ V S') as (s & -> & R' & _). eauto.
Qed.

Lemma second_related t v w u : related t v w -> second v = Some u -> exists u', second w = Some u' /\ related t u u'.
Proof.
  intros V E. destruct v; try discriminate. destruct vs as [|? [|? [|]]]; try discriminate. injection E as <-.
  inversion V as [| | | |? ws W| | | | | |]; subst. inversion W as [|? ? ? ? W1 W2]; subst.
  inversion W2 as [|? u' ? ? W3 W4]; subst. inversion W4; subst. simpl. eauto.
Qed.

Lemma custom_related belowA belowB callA callB runA runB backward f rule x y :
  (forall f rule x y, belowA f rule x = Some y -> F (fun t => forall f' rule' x', related t f f' ->
    related t rule rule' -> related t x x' -> exists y', belowB t f' rule' x' = Some y' /\ related t y y')) ->
  (forall f x y, callA f x = Some y -> F (fun t => forall f' x', related t f f' -> related t x x' ->
    exists y', callB t f' x' = Some y' /\ related t y y')) ->
  (forall f x y, runA f x = Some y -> F (fun t => forall f' x', related_dual t f f' -> related_dual t x x' ->
    exists y', runB t f' x' = Some y' /\ related_dual t y y')) ->
  custom SA belowA callA runA backward f rule x = Some y ->
  F (fun t => forall f' rule' x', related_dual t f f' -> related_dual t rule rule' -> related_dual t x x' ->
    exists y', custom (SB t) (belowB t) (callB t) (runB t) backward f' rule' x' = Some y' /\ related_dual t y y').
Proof.
  unfold custom. intros HB HC HU. destruct (map_data false _ x) as [x0|] eqn:X0; [|discriminate].
  destruct (map_data true _ x) as [dx|] eqn:DX; [|discriminate].
  destruct (belowA _ _ x0) as [y0|] eqn:Y0; [|discriminate]. destruct (runA f _) as [held|] eqn:H; [|discriminate].
  destruct (map_data true _ held) as [captured|] eqn:Q; [|discriminate].
  destruct (callA _ x0) as [given|] eqn:G; [|discriminate].
  destruct (if backward then _ else _) as [ruled|] eqn:RU; [|discriminate].
  destruct (plus SA captured ruled) as [dy|] eqn:DY; [|discriminate]. intro E.
  assert (K : F (fun t => forall given' y0' x0' dx', related t given given' -> related t y0 y0' -> related t x0 x0' ->
    related t dx dx' -> exists ruled',
    (if backward then
      do pullback <- second given'; do found <- leaves y0';
      do columns <- all (fun i => do bar <- direction (SB t) y0' (length found) i; callB t pullback bar) (seq 0 (length found));
      pull (SB t) y0' columns dx'
    else do pair <- callB t given' dx'; second pair) = Some ruled' /\ related t ruled ruled')).
  { destruct backward.
    - destruct (second given) as [pullback|] eqn:P; [|discriminate]. destruct (leaves y0) as [found|] eqn:LV; [|discriminate].
      destruct (all _ (seq 0 (length found))) as [columns|] eqn:COL; [|discriminate].
      assert (K : F (fun t => forall pullback' y0', related t pullback pullback' -> related t y0 y0' -> exists columns',
        all (fun i => do bar <- direction (SB t) y0' (length found) i; callB t pullback' bar) (seq 0 (length found)) =
          Some columns' /\ all_related t columns columns')).
      { clear RU. revert columns COL. generalize (seq 0 (length found)) as is. generalize (length found) as m.
        intros m is. induction is as [|i is IHis]; simpl; intros columns COL.
        - injection COL as <-. apply filter_forall. intros. eexists. split; [reflexivity | constructor].
        - destruct (direction SA y0 m i) as [bar|] eqn:BAR; [|discriminate].
          destruct (callA pullback bar) as [c|] eqn:CC; [|discriminate]. destruct (all _ is) as [more|] eqn:A1; [|discriminate].
          injection COL as <-. generalize (filter_and _ _ (HC _ _ _ CC) (IHis _ eq_refl)). apply filter_imp.
          intros t (K1 & K2) p' y0' R1 R2. destruct (direction_related t y0 y0' m i bar R2 BAR) as (bar' & -> & R3).
          destruct (K1 _ _ R1 R3) as (c' & -> & R4). destruct (K2 _ _ R1 R2) as (more' & -> & R5).
          eexists. split; [reflexivity | now constructor]. }
      generalize (filter_and _ _ K (pull_related _ _ _ _ RU)). apply filter_imp.
      intros t (K1 & K2) given' y0' x0' dx' R1 R2 R3 R4. destruct (second_related t _ _ _ R1 P) as (p' & -> & R5).
      destruct (leaves_related rel t _ _ LV _ R2) as (found' & -> & R6). rewrite <- (Forall2_same_length _ _ _ R6).
      destruct (K1 _ _ R5 R2) as (columns' & -> & R7). now apply K2.
    - destruct (callA given dx) as [pair|] eqn:P; [|discriminate]. generalize (HC _ _ _ P). apply filter_imp.
      intros t K1 given' y0' x0' dx' R1 R2 R3 R4. destruct (K1 _ _ R1 R4) as (pair' & -> & R5).
      now apply (second_related t pair). }
  generalize (filter_and _ _ (HB _ _ _ _ Y0) (filter_and _ _ (HU _ _ _ H) (filter_and _ _ (HC _ _ _ G)
    (filter_and _ _ K (plus_related _ _ _ DY))))). apply filter_imp.
  intros t (K1 & K2 & K3 & K4 & K5) f' rule' x' RF RR RX.
  assert (D1 : forall v v', related_dual t v v' -> related t (map_value fst v) (map_value fst v')).
  { apply map_value_related. now intros [] [] [? ?]. }
  destruct (map_data_related (pairwise rel) rel t false (fun p : A * A => Some (fst p)) (fun p => Some (fst p))
    ltac:(intros ? ? I b [R1 R2]; injection I as <-; eauto) x x0 X0 x' RX) as (x0' & -> & RX0).
  destruct (map_data_related (pairwise rel) rel t true (fun p : A * A => Some (snd p)) (fun p => Some (snd p))
    ltac:(intros ? ? I b [R1 R2]; injection I as <-; eauto) x dx DX x' RX) as (dx' & -> & RDX).
  destruct (K1 _ _ _ (D1 _ _ RF) (D1 _ _ RR) RX0) as (y0' & -> & RY0).
  destruct (K2 _ _ RF (lift_related t _ _ RX0)) as (held' & -> & RH).
  destruct (map_data_related (pairwise rel) rel t true (fun p : A * A => Some (snd p)) (fun p => Some (snd p))
    ltac:(intros ? ? I b [R1 R2]; injection I as <-; eauto) held captured Q held' RH) as (captured' & -> & RQ).
  destruct (K3 _ _ (D1 _ _ RR) RX0) as (given' & -> & RG). destruct (K4 _ _ _ _ RG RY0 RX0 RDX) as (ruled' & -> & RRU).
  destruct (K5 _ _ RQ RRU) as (dy' & -> & RDY). exact (bundle_related rel t _ _ _ E _ _ RY0 RDY).
Qed.

End Inside.
