(** * Two kinds of numbers, one evaluation

    [simulation]: if the operations of two kinds of numbers are related, then so are the results of [Reference.eval] with
    both. The second kind may depend on a point [t], and comparisons need to agree at nearly all points only: for a filter
    [F] of points. [ReferenceCorrect] uses it twice: for dual numbers, and for all points close to one. *)
From Coq Require Import ZArith List Bool Lia.
From Coquelicot Require Import Coquelicot.
From Pullback Require Import Table Reference.
Import ListNotations.

Section Simulation.
Context {L A B T : Type} (SA : numbers L A) (SB : T -> numbers L B).
Context (F : (T -> Prop) -> Prop) {FF : Filter F} (rel : T -> A -> B -> Prop).

(** Related values have related numbers at the same places. *)
Inductive related (t : T) : value L A -> value L B -> Prop :=
  | related_real x y : rel t x y -> related t (VReal x) (VReal y)
  | related_int z : related t (VInt z) (VInt z)
  | related_bool b : related t (VBool b) (VBool b)
  | related_tuple vs ws : Forall2 (related t) vs ws -> related t (VTuple vs) (VTuple ws)
  | related_con tag vs ws : Forall2 (related t) vs ws -> related t (VCon tag vs) (VCon tag ws)
  | related_array vs ws : Forall2 (related t) vs ws -> related t (VArray vs) (VArray ws)
  | related_fun e vs ws : Forall2 (related t) vs ws -> related t (VFun e vs) (VFun e ws)
  | related_rec es i vs ws : Forall2 (related t) vs ws -> related t (VRec es i vs) (VRec es i ws).

Definition all_related t := Forall2 (related t).

Variable literals : forall l t, rel t (literal SA l) (literal (SB t) l).
Variable integers : forall z t, rel t (of_int SA z) (of_int (SB t) z).
Variable ones : forall p x y, one SA p x = Some y -> forall t b, rel t x b ->
  exists c, one (SB t) p b = Some c /\ rel t y c.
Variable twos : forall p x y z, two SA p x y = Some z -> forall t b c, rel t x b -> rel t y c ->
  exists d, two (SB t) p b c = Some d /\ rel t z d.
Variable powers : forall x z y, power SA x z = Some y -> forall t b, rel t x b ->
  exists c, power (SB t) b z = Some c /\ rel t y c.
Variable decisions : forall p x y r, decide SA p x y = Some r ->
  F (fun t => forall b c, rel t x b -> rel t y c -> decide (SB t) p b c = Some r).

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

Lemma sum_related t vs ws : all_related t vs ws -> forall x y z, rel t x y ->
  steps (fun v total => match v with VReal x => two SA Add total x | _ => None end) vs x = Some z ->
  exists z', steps (fun v total => match v with VReal x => two (SB t) Add total x | _ => None end) ws y = Some z'
    /\ rel t z z'.
Proof.
  induction 1 as [|v w vs ws V _ IH]; simpl; intros x y z X E.
  - injection E as <-. eauto.
  - destruct V as [a b R| | | | | | |]; try discriminate. destruct (two SA Add x a) as [c|] eqn:C; [|discriminate].
    destruct (twos _ _ _ _ C t _ _ X R) as (d & -> & D). eapply IH; eauto.
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
    + injection E as <-. generalize (decisions _ _ _ _ D). apply filter_imp. intros t K x' s' X S.
      inversion S as [|p [y' j'] s1 s2 Y S']; subst. destruct Y as [Y J]. simpl in Y, J. subst j'. simpl. rewrite (K _ _ X Y).
      eexists. split; [reflexivity|]. repeat (constructor; [split; simpl; auto|]). exact S'.
    + destruct (insert SA x i s) as [more|] eqn:M; [|discriminate]. injection E as <-.
      generalize (filter_and _ _ (decisions _ _ _ _ D) (IH _ eq_refl)). apply filter_imp. intros t [K K'] x' s' X S.
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

Lemma array_one_related p vs ws v t : p <> Argsort -> all_related t vs ws -> array_one SA p vs = Some v ->
  exists w, array_one (SB t) p ws = Some w /\ related t v w.
Proof.
  intros Q H E. destruct p; simpl in *; try discriminate; try (now destruct Q).
  - injection E as <-. eexists. split; [reflexivity|]. rewrite (length_related _ _ _ H). constructor.
  - unfold rows in *. destruct (steps _ vs []) as [found|] eqn:S; [|discriminate]. injection E as <-.
    destruct (rows_related t vs ws H [] [] found (Forall2_nil _) S) as (found' & -> & R).
    eexists. split; [reflexivity|]. now constructor.
  - unfold sum in *. destruct (steps _ vs (of_int SA 0)) as [x|] eqn:S; [|discriminate]. injection E as <-.
    destruct (sum_related t vs ws H _ _ x (integers 0%Z t) S) as (y & -> & R).
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
  - destruct a; try discriminate; [apply filter_forall; intros t ws W; invert; simpl .. |].
    + destruct (one SA p x) as [y|] eqn:E; [|discriminate]. injection H as <-.
      match goal with R : rel t x ?b |- _ => destruct (ones _ _ _ E t b R) as (d & -> & D) end. eexists; split;
        [reflexivity | now constructor].
    + now apply int_one_related.
    + destruct p; try discriminate. injection H as <-. eexists; split; [reflexivity | constructor].
    + assert (Q : {p = Argsort} + {p <> Argsort}) by (destruct p; (now left) || (right; discriminate)). destruct Q as [-> | Q].
      * generalize (argsort_related _ _ H). apply filter_imp. intros t K ws W. invert. simpl. now apply K.
      * apply filter_forall. intros t ws W. invert. simpl. now apply array_one_related with (vs := vs).
  - destruct a; try discriminate; destruct b; try discriminate.
    + destruct (comparison p) eqn:C.
      * destruct (decide SA p x x0) as [r|] eqn:E; [|discriminate]. injection H as <-.
        eapply filter_imp; [|exact (decisions _ _ _ _ E)]. intros t D ws W. invert. simpl. rewrite C.
        match goal with R : rel t x ?b, Q : rel t x0 ?c |- _ => rewrite (D b c R Q) end. eexists; split;
          [reflexivity | constructor].
      * destruct (two SA p x x0) as [r|] eqn:E; [|discriminate]. injection H as <-.
        apply filter_forall. intros t ws W. invert. simpl. rewrite C.
        match goal with R : rel t x ?b, Q : rel t x0 ?c |- _ => destruct (twos _ _ _ _ E t b c R Q) as (d & -> & D) end.
          eexists; split; [reflexivity | now constructor].
    + apply filter_forall. intros t ws W. invert. simpl. destruct p; try discriminate.
      destruct (power SA x z) as [y|] eqn:E; [|discriminate]. injection H as <-.
      match goal with R : rel t x ?b |- _ => destruct (powers _ _ _ E t b R) as (d & -> & D) end. eexists; split;
        [reflexivity | now constructor].
    + apply filter_forall. intros t ws W. invert. simpl. now apply int_two_related.
    + apply filter_forall. intros t ws W. invert. simpl. destruct p; try discriminate. injection H as <-.
      eexists; split; [reflexivity | constructor].
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

Variable globals : list (expr L).

Theorem simulation : forall n e env v, eval SA globals n e env = Some v ->
  follows related env v (fun t env' => eval (SB t) globals n e env').
Proof.
  induction n as [|n IH]; [discriminate|]. intros e env v H. unfold follows in *.
  assert (LIST : forall es vs, all (fun e => eval SA globals n e env) es = Some vs ->
    F (fun t => forall env', all_related t env env' ->
      exists ws, all (fun e => eval (SB t) globals n e env') es = Some ws /\ all_related t vs ws)).
  { intros es vs E. apply (all_follows (fun e => eval SA globals n e env) (fun t env' e => eval (SB t) globals n e env'));
      [|exact E]. intros; now apply IH. }
  destruct e; simpl in H.
  - apply filter_forall. intros t env' M. simpl. eapply nth_related; eauto.
  - destruct (nth_error globals i) as [e|] eqn:G; [|discriminate]. generalize (IH _ _ _ H). apply filter_imp.
    intros t K env' M. simpl. rewrite G. apply K. constructor.
  - injection H as <-. apply filter_forall. intros t env' M. eexists. split; [reflexivity | now constructor].
  - injection H as <-. apply filter_forall. intros t env' M. eexists. split; [reflexivity | now constructor].
  - injection H as <-. apply filter_forall. intros t env' M. eexists. split; [reflexivity | now constructor].
  - destruct (all _ es) as [vs|] eqn:E; [|discriminate].
    generalize (filter_and _ _ (LIST _ _ E) (prim_related _ _ _ H)). apply filter_imp.
    intros t [K K'] env' M. simpl. destruct (K env' M) as (ws & -> & W). now apply K'.
  - injection H as <-. apply filter_forall. intros t env' M. eexists. split; [reflexivity | now constructor].
  - destruct (eval SA globals n e1 env) as [f|] eqn:E1; [|discriminate].
    destruct (eval SA globals n e2 env) as [a|] eqn:E2; [|discriminate].
    destruct f as [| | | | | | body captured | es i captured]; try discriminate.
    + generalize (filter_and _ _ (IH _ _ _ E1) (filter_and _ _ (IH _ _ _ E2) (IH _ _ _ H))). apply filter_imp.
      intros t (K & K' & K'') env' M. simpl. destruct (K env' M) as (f & -> & V). destruct (K' env' M) as (b & -> & W).
      inversion V; subst. apply K''. now constructor.
    + destruct (nth_error es i) as [body|] eqn:I; [|discriminate].
      generalize (filter_and _ _ (IH _ _ _ E1) (filter_and _ _ (IH _ _ _ E2) (IH _ _ _ H))). apply filter_imp.
      intros t (K & K' & K'') env' M. simpl. destruct (K env' M) as (f & -> & V). destruct (K' env' M) as (b & -> & W).
      inversion V; subst. rewrite I. apply K''. constructor; [assumption|].
      apply Forall2_app; [now apply functions_related | assumption].
  - destruct (eval SA globals n e1 env) as [a|] eqn:E1; [|discriminate].
    generalize (filter_and _ _ (IH _ _ _ E1) (IH _ _ _ H)). apply filter_imp.
    intros t (K & K') env' M. simpl. destruct (K env' M) as (b & -> & W). apply K'. now constructor.
  - generalize (IH _ _ _ H). apply filter_imp. intros t K env' M. simpl. apply K.
    apply Forall2_app; [now apply functions_related | assumption].
  - destruct (eval SA globals n e1 env) as [c|] eqn:E1; [|discriminate]. destruct c as [| |b| | | | |]; try discriminate.
    generalize (filter_and _ _ (IH _ _ _ E1) (IH _ _ _ H)). apply filter_imp.
    intros t (K & K') env' M. simpl. destruct (K env' M) as (c & -> & C). inversion C; subst. now apply K'.
  - destruct (all _ es) as [vs|] eqn:E; [|discriminate]. injection H as <-. generalize (LIST _ _ E). apply filter_imp.
    intros t K env' M. simpl. destruct (K env' M) as (ws & -> & W). eexists. split; [reflexivity | now constructor].
  - destruct (eval SA globals n e env) as [c|] eqn:E1; [|discriminate]. destruct c; try discriminate.
    generalize (IH _ _ _ E1). apply filter_imp. intros t K env' M. simpl. destruct (K env' M) as (c & -> & C).
    inversion C; subst. eapply nth_related; eauto.
  - destruct (all _ es) as [vs|] eqn:E; [|discriminate]. injection H as <-. generalize (LIST _ _ E). apply filter_imp.
    intros t K env' M. simpl. destruct (K env' M) as (ws & -> & W). eexists. split; [reflexivity | now constructor].
  - destruct (eval SA globals n e env) as [c|] eqn:E1; [|discriminate]. destruct c; try discriminate.
    destruct (arm tag arms) as [[fields body]|] eqn:Arm.
    + destruct (Nat.eqb fields (length vs)) eqn:N; [|discriminate].
      generalize (filter_and _ _ (IH _ _ _ E1) (IH _ _ _ H)). apply filter_imp.
      intros t (K & K') env' M. simpl. destruct (K env' M) as (c & -> & C). inversion C as [| | | |? ? ws W| | |]; subst.
      rewrite Arm. rewrite (length_related _ _ _ W) in N. rewrite N. apply K'.
      apply Forall2_app; [now apply rev_related | assumption].
    + destruct default as [body|]; [|discriminate].
      generalize (filter_and _ _ (IH _ _ _ E1) (IH _ _ _ H)). apply filter_imp.
      intros t (K & K') env' M. simpl. destruct (K env' M) as (c & -> & C). inversion C; subst. rewrite Arm. now apply K'.
  - destruct (all _ es) as [vs|] eqn:E; [|discriminate]. injection H as <-. generalize (LIST _ _ E). apply filter_imp.
    intros t K env' M. simpl. destruct (K env' M) as (ws & -> & W). eexists. split; [reflexivity | now constructor].
  - destruct (eval SA globals n e1 env) as [c|] eqn:E1; [|discriminate]. destruct c; try discriminate.
    destruct (Z.ltb z 0) eqn:Z0; [discriminate|].
    destruct (all _ (below z)) as [vs|] eqn:E; [|discriminate]. injection H as <-.
    assert (K : F (fun t => forall env', all_related t env env' -> exists ws,
      all (fun i => eval (SB t) globals n e2 (VInt i :: env')) (below z) = Some ws /\ all_related t vs ws)).
    { apply (all_follows (fun i => eval SA globals n e2 (VInt i :: env))
      (fun t env' i => eval (SB t) globals n e2 (VInt i :: env')));
        [|exact E]. intros i w I. unfold follows. generalize (IH _ _ _ I). apply filter_imp. intros t K env' M. apply K.
      constructor; [constructor | assumption]. }
    generalize (filter_and _ _ (IH _ _ _ E1) K). apply filter_imp.
    intros t (K1 & K2) env' M. simpl. destruct (K1 env' M) as (c & -> & C). inversion C; subst. rewrite Z0.
    destruct (K2 env' M) as (ws & -> & W). eexists. split; [reflexivity | now constructor].
  - destruct (eval SA globals n e1 env) as [s|] eqn:E1; [|discriminate].
    destruct (eval SA globals n e2 env) as [c|] eqn:E2; [|discriminate]. destruct c; try discriminate.
    assert (K := steps_follows (fun i v => eval SA globals n e3 (VInt i :: v :: env))
      (fun t env' i v => eval (SB t) globals n e3 (VInt i :: v :: env')) env).
    specialize (fun K' => K K' _ _ _ H).
    assert (K0 := K ltac:(intros i s0 w I; generalize (IH _ _ _ I); apply filter_imp; intros t P env' s' M S; apply P;
      repeat (constructor; try assumption))).
    generalize (filter_and _ _ (IH _ _ _ E1) (filter_and _ _ (IH _ _ _ E2) K0)). apply filter_imp.
    intros t (K1 & K2 & K3) env' M. simpl. destruct (K1 env' M) as (s' & -> & S). destruct (K2 env' M) as (c & -> & C).
    inversion C; subst. now apply K3.
  - destruct (eval SA globals n e1 env) as [s|] eqn:E1; [|discriminate].
    assert (K := while_follows
      (fun v => do c <- eval SA globals n e2 (v :: env); match c with VBool b => Some b | _ => None end)
      (fun v => eval SA globals n e3 (v :: env))
      (fun t env' v => do c <- eval (SB t) globals n e2 (v :: env'); match c with VBool b => Some b | _ => None end)
      (fun t env' v => eval (SB t) globals n e3 (v :: env')) env).
    specialize (fun K' K'' => K K' K'' _ _ _ H).
    assert (K0 : F (fun t => forall env' s', all_related t env env' -> related t s s' -> exists w, while n
      (fun v => do c <- eval (SB t) globals n e2 (v :: env'); match c with VBool b => Some b | _ => None end)
      (fun v => eval (SB t) globals n e3 (v :: env')) s' = Some w /\ related t v w)).
    { apply K.
      - intros s0 b I. destruct (eval SA globals n e2 (s0 :: env)) as [c|] eqn:E2; [|discriminate].
        destruct c; try discriminate. injection I as ->. generalize (IH _ _ _ E2). apply filter_imp.
        intros t P env' s' M S. destruct (P (s' :: env')) as (c & -> & C); [now constructor|]. inversion C; now subst.
      - intros s0 w I. generalize (IH _ _ _ I). apply filter_imp. intros t P env' s' M S. apply P. now constructor. }
    generalize (filter_and _ _ (IH _ _ _ E1) K0). apply filter_imp.
    intros t (K1 & K3) env' M. simpl. destruct (K1 env' M) as (s' & -> & S). now apply K3.
Qed.
End Simulation.
