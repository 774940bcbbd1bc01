(** * Two kinds of numbers, one evaluation

    [simulation]: if the operations of two kinds of numbers are related ([similar]), then so are the results of
    [Reference.eval] with both, also of programs with derivatives inside. [ReferenceCorrect] uses it twice: for dual
    numbers, and for all points close to one. *)
From Coquelicot Require Import Coquelicot.
From Coq Require Import ZArith List Bool Lia.
From Pullback Require Import Table Reference Related Inside.
Import ListNotations.

Section Simulation.
Context {L T : Type} (F : (T -> Prop) -> Prop) {FF : Filter F} (globals : list (expr L)).

(** Where a trusted rule is applied and the function has a result at given numbers, the second kind has a related one. *)
Definition rules_follow {A B} (SA : numbers L A) trusted (KB : T -> kind L B) (rel : T -> A -> B -> Prop) : Prop :=
  forall n backward f rule x y, trusted n backward f rule x = true ->
  eval globals (Ground SA trusted) n (EApp (EVar 0) (EVar 1)) [f; x] = Some y ->
  F (fun t => forall f' rule' x', related rel t f f' -> related rel t rule rule' -> related rel t x x' ->
    exists y', apply_custom globals (KB t) n backward f' rule' x' = Some y' /\ related rel t y y').

(** Two kinds of numbers that are similar: given numbers, level by level above them, or given numbers and others whose
    rules give what the functions do. *)
Inductive alike : forall A B, kind L A -> (T -> kind L B) -> (T -> A -> B -> Prop) -> Prop :=
  | alike_ground A B SA trusted SB rel : similar SA SB F rel -> alike A B (Ground SA trusted) (fun t => ground (SB t)) rel
  | alike_rules A B SA trusted KB rel : similar SA (fun t => numbers_of (KB t)) F rel -> rules_follow SA trusted KB rel ->
      alike A B (Ground SA trusted) KB rel
  | alike_above A B KA KB rel : alike A B KA KB rel -> alike (A * A) (B * B) (Above KA) (fun t => Above (KB t)) (pairwise rel).

Lemma alike_similar A B KA KB rel : alike A B KA KB rel -> similar (numbers_of KA) (fun t => numbers_of (KB t)) F rel.
Proof.
  induction 1 as [A B SA trusted SB rel H | A B SA trusted KB rel H _ | A B KA KB rel _ IH]; [exact H | exact H |].
  exact (similar_dual (numbers_of KA) (fun t => numbers_of (KB t)) F rel IH).
Qed.

Theorem simulation : forall n A B (KA : kind L A) (KB : T -> kind L B) (rel : T -> A -> B -> Prop),
  alike A B KA KB rel -> forall e env v, eval globals KA n e env = Some v ->
  F (fun t => forall env', all_related rel t env env' ->
    exists w, eval globals (KB t) n e env' = Some w /\ related rel t v w).
Proof.
  induction n as [|n IH']; [discriminate|]. intros A B KA KB rel ALIKE e env v H.
  assert (IH := IH' A B KA KB rel ALIKE).
  assert (CUSTOM : forall backward f rule x y, apply_custom globals KA n backward f rule x = Some y ->
    F (fun t => forall f' rule' x', related rel t f f' -> related rel t rule rule' -> related rel t x x' ->
      exists y', apply_custom globals (KB t) n backward f' rule' x' = Some y' /\ related rel t y y')).
  { clear - IH' ALIKE FF. destruct ALIKE as [A B SA trusted SB rel S | A B SA trusted KB rel S R | A B KA KB rel ALIKE];
      intros backward f rule x y E; unfold apply_custom in E.
    - destruct (trusted n backward f rule x); [|discriminate].
      generalize (IH' _ _ _ _ _ (alike_ground A B SA trusted SB rel S) _ _ _ E). apply filter_imp.
      intros t P f' rule' x' RF _ RX. apply P. repeat constructor; assumption.
    - destruct (trusted n backward f rule x) eqn:Q; [|discriminate]. exact (R n backward f rule x y Q E).
    - refine (custom_related (numbers_of KA) (fun t => numbers_of (KB t)) F rel (alike_similar _ _ _ _ _ ALIKE) _
        (fun t f rule x => eval globals (KB t) n (ECustom backward (EVar 0) (EVar 1) (EVar 2)) [f; rule; x]) _
        (fun t f x => eval globals (KB t) n (EApp (EVar 0) (EVar 1)) [f; x]) _
        (fun t f x => eval globals (Above (KB t)) n (EApp (EVar 0) (EVar 1)) [f; x]) backward f rule x y _ _ _ E).
      + intros g r z u Q. generalize (IH' _ _ _ _ _ ALIKE _ _ _ Q). apply filter_imp. intros t P g' r' z' RG RR RZ. apply P.
        repeat constructor; assumption.
      + intros g z u Q. generalize (IH' _ _ _ _ _ ALIKE _ _ _ Q). apply filter_imp. intros t P g' z' RG RZ. apply P.
        repeat constructor; assumption.
      + intros g z u Q. generalize (IH' _ _ _ _ _ (alike_above _ _ _ _ _ ALIKE) _ _ _ Q). apply filter_imp.
        intros t P g' z' RG RZ. apply P. repeat constructor; assumption. }
  assert (ABOVE := alike_above _ _ _ _ _ ALIKE). assert (S := alike_similar _ _ _ _ _ ALIKE).
  assert (LIST : forall es vs, all (fun e => eval globals KA n e env) es = Some vs ->
    F (fun t => forall env', all_related rel t env env' ->
      exists ws, all (fun e => eval globals (KB t) n e env') es = Some ws /\ all_related rel t vs ws)).
  { intros es vs E. apply (all_follows F rel (fun e => eval globals KA n e env) (fun t env' e => eval globals (KB t) n e env'));
      [|exact E]. intros; now apply IH. }
  assert (CALL : forall f x y, eval globals KA n (EApp (EVar 0) (EVar 1)) [f; x] = Some y ->
    F (fun t => forall f' x', related rel t f f' -> related rel t x x' ->
      exists y', eval globals (KB t) n (EApp (EVar 0) (EVar 1)) [f'; x'] = Some y' /\ related rel t y y')).
  { intros f x y E. generalize (IH _ _ _ E). apply filter_imp. intros t P f' x' R R'. apply P. repeat constructor; assumption. }
  assert (ALONG : forall f x dx r,
    forward (numbers_of KA) (fun f z => eval globals (Above KA) n (EApp (EVar 0) (EVar 1)) [f; z]) f x dx = Some r ->
    F (fun t => forall f' x' dx', related rel t f f' -> related rel t x x' -> related rel t dx dx' -> exists s,
      forward (numbers_of (KB t)) (fun f z => eval globals (Above (KB t)) n (EApp (EVar 0) (EVar 1)) [f; z]) f' x' dx' = Some s
      /\ related rel t (fst r) (fst s) /\ related rel t (snd r) (snd s))).
  { intros f x dx r. apply (forward_related (numbers_of KA) (fun t => numbers_of (KB t)) F rel S
      (fun f z => eval globals (Above KA) n (EApp (EVar 0) (EVar 1)) [f; z])
      (fun t f z => eval globals (Above (KB t)) n (EApp (EVar 0) (EVar 1)) [f; z])).
    intros g z u E. generalize (IH' _ _ _ _ _ ABOVE _ _ _ E).
    apply filter_imp. intros t P g' z' R R'. apply P. repeat constructor; assumption. }
  destruct e; cbn [eval] in H.
  - apply filter_forall. intros t env' M. simpl. eapply nth_related; eauto.
  - destruct (nth_error globals i) as [e|] eqn:G; [|discriminate]. generalize (IH _ _ _ H). apply filter_imp.
    intros t K env' M. simpl. rewrite G. apply K. constructor.
  - injection H as <-. apply filter_forall. intros t env' M. eexists. split; [reflexivity | constructor; apply (literals _ _ _ _ S)].
  - injection H as <-. apply filter_forall. intros t env' M. eexists. split; [reflexivity | now constructor].
  - injection H as <-. apply filter_forall. intros t env' M. eexists. split; [reflexivity | now constructor].
  - injection H as <-. apply filter_forall. intros t env' M. eexists. split; [reflexivity | now constructor].
  - destruct (all _ es) as [vs|] eqn:E; [|discriminate].
    generalize (filter_and _ _ (LIST _ _ E) (prim_related (numbers_of KA) (fun t => numbers_of (KB t)) F rel S _ _ _ H)). apply filter_imp.
    intros t [K K'] env' M. simpl. destruct (K env' M) as (ws & -> & W). now apply K'.
  - injection H as <-. apply filter_forall. intros t env' M. eexists. split; [reflexivity | now constructor].
  - destruct (eval globals KA n e1 env) as [f|] eqn:E1; [|discriminate].
    destruct (eval globals KA n e2 env) as [a|] eqn:E2; [|discriminate].
    destruct f as [| | | | | | | body captured | es i captured | x columns | g x]; try discriminate.
    + generalize (filter_and _ _ (IH _ _ _ E1) (filter_and _ _ (IH _ _ _ E2) (IH _ _ _ H))). apply filter_imp.
      intros t (K & K' & K'') env' M. simpl. destruct (K env' M) as (f & -> & V). destruct (K' env' M) as (b & -> & W).
      inversion V; subst. apply K''. now constructor.
    + destruct (nth_error es i) as [body|] eqn:I; [|discriminate].
      generalize (filter_and _ _ (IH _ _ _ E1) (filter_and _ _ (IH _ _ _ E2) (IH _ _ _ H))). apply filter_imp.
      intros t (K & K' & K'') env' M. simpl. destruct (K env' M) as (f & -> & V). destruct (K' env' M) as (b & -> & W).
      inversion V; subst. rewrite I. apply K''. constructor; [assumption|].
      apply Forall2_app; [now apply functions_related | assumption].
    + generalize (filter_and _ _ (IH _ _ _ E1) (filter_and _ _ (IH _ _ _ E2) (pull_related (numbers_of KA) (fun t => numbers_of (KB t)) F rel S _ _ _ _ H))).
      apply filter_imp. intros t (K & K' & K'') env' M. simpl. destruct (K env' M) as (f & -> & V).
      destruct (K' env' M) as (b & -> & W). inversion V; subst. now apply K''.
    + destruct (forward _ _ g x a) as [r|] eqn:R; [|discriminate]. injection H as <-.
      generalize (filter_and _ _ (IH _ _ _ E1) (filter_and _ _ (IH _ _ _ E2) (ALONG _ _ _ _ R))).
      apply filter_imp. intros t (K & K' & K'') env' M. simpl. destruct (K env' M) as (f & -> & V).
      destruct (K' env' M) as (b & -> & W). inversion V as [| | | | | | | | | |? g' ? x' G X]; subst.
      destruct (K'' g' x' b G X W) as (s & -> & _ & DY). eauto.
  - destruct (eval globals KA n e1 env) as [a|] eqn:E1; [|discriminate].
    generalize (filter_and _ _ (IH _ _ _ E1) (IH _ _ _ H)). apply filter_imp.
    intros t (K & K') env' M. simpl. destruct (K env' M) as (b & -> & W). apply K'. now constructor.
  - generalize (IH _ _ _ H). apply filter_imp. intros t K env' M. simpl. apply K.
    apply Forall2_app; [now apply functions_related | assumption].
  - destruct (eval globals KA n e1 env) as [c|] eqn:E1; [|discriminate]. destruct c as [| |b| | | | | | | |]; try discriminate.
    generalize (filter_and _ _ (IH _ _ _ E1) (IH _ _ _ H)). apply filter_imp.
    intros t (K & K') env' M. simpl. destruct (K env' M) as (c & -> & C). inversion C; subst. now apply K'.
  - destruct (all _ es) as [vs|] eqn:E; [|discriminate]. injection H as <-. generalize (LIST _ _ E). apply filter_imp.
    intros t K env' M. simpl. destruct (K env' M) as (ws & -> & W). eexists. split; [reflexivity | now constructor].
  - destruct (eval globals KA n e env) as [c|] eqn:E1; [|discriminate]. destruct c; try discriminate.
    generalize (IH _ _ _ E1). apply filter_imp. intros t K env' M. simpl. destruct (K env' M) as (c & -> & C).
    inversion C; subst. eapply nth_related; eauto.
  - destruct (all _ es) as [vs|] eqn:E; [|discriminate]. injection H as <-. generalize (LIST _ _ E). apply filter_imp.
    intros t K env' M. simpl. destruct (K env' M) as (ws & -> & W). eexists. split; [reflexivity | now constructor].
  - destruct (eval globals KA n e env) as [c|] eqn:E1; [|discriminate]. destruct c; try discriminate.
    destruct (arm tag arms) as [[fields body]|] eqn:Arm.
    + destruct (Nat.eqb fields (length vs)) eqn:N; [|discriminate].
      generalize (filter_and _ _ (IH _ _ _ E1) (IH _ _ _ H)). apply filter_imp.
      intros t (K & K') env' M. simpl. destruct (K env' M) as (c & -> & C). inversion C as [| | | | |? ? ws W| | | | |]; subst.
      rewrite Arm. rewrite (length_related _ _ _ _ W) in N. rewrite N. apply K'.
      apply Forall2_app; [now apply rev_related | assumption].
    + destruct default as [body|]; [|discriminate].
      generalize (filter_and _ _ (IH _ _ _ E1) (IH _ _ _ H)). apply filter_imp.
      intros t (K & K') env' M. simpl. destruct (K env' M) as (c & -> & C). inversion C; subst. rewrite Arm. now apply K'.
  - destruct (all _ es) as [vs|] eqn:E; [|discriminate]. injection H as <-. generalize (LIST _ _ E). apply filter_imp.
    intros t K env' M. simpl. destruct (K env' M) as (ws & -> & W). eexists. split; [reflexivity | now constructor].
  - destruct (eval globals KA n e1 env) as [c|] eqn:E1; [|discriminate]. destruct c; try discriminate.
    destruct (Z.ltb z 0) eqn:Z0; [discriminate|].
    destruct (all _ (below z)) as [vs|] eqn:E; [|discriminate]. injection H as <-.
    assert (K : F (fun t => forall env', all_related rel t env env' -> exists ws,
      all (fun i => eval globals (KB t) n e2 (VInt i :: env')) (below z) = Some ws /\ all_related rel t vs ws)).
    { apply (all_follows F rel (fun i => eval globals KA n e2 (VInt i :: env))
      (fun t env' i => eval globals (KB t) n e2 (VInt i :: env')));
        [|exact E]. intros i w I. unfold follows. generalize (IH _ _ _ I). apply filter_imp. intros t K env' M. apply K.
      constructor; [constructor | assumption]. }
    generalize (filter_and _ _ (IH _ _ _ E1) K). apply filter_imp.
    intros t (K1 & K2) env' M. simpl. destruct (K1 env' M) as (c & -> & C). inversion C; subst. rewrite Z0.
    destruct (K2 env' M) as (ws & -> & W). eexists. split; [reflexivity | now constructor].
  - destruct (eval globals KA n e1 env) as [s|] eqn:E1; [|discriminate].
    destruct (eval globals KA n e2 env) as [c|] eqn:E2; [|discriminate]. destruct c; try discriminate.
    assert (K := steps_follows F rel (fun i v => eval globals KA n e3 (VInt i :: v :: env))
      (fun t env' i v => eval globals (KB t) n e3 (VInt i :: v :: env')) env).
    specialize (fun K' => K K' _ _ _ H).
    assert (K0 := K ltac:(intros i s0 w I; generalize (IH _ _ _ I); apply filter_imp; intros t P env' s' M SS; apply P;
      repeat (constructor; try assumption))).
    generalize (filter_and _ _ (IH _ _ _ E1) (filter_and _ _ (IH _ _ _ E2) K0)). apply filter_imp.
    intros t (K1 & K2 & K3) env' M. simpl. destruct (K1 env' M) as (s' & -> & SS). destruct (K2 env' M) as (c & -> & C).
    inversion C; subst. now apply K3.
  - destruct (eval globals KA n e1 env) as [s|] eqn:E1; [|discriminate].
    assert (K := while_follows F rel
      (fun v => do c <- eval globals KA n e2 (v :: env); match c with VBool b => Some b | _ => None end)
      (fun v => eval globals KA n e3 (v :: env))
      (fun t env' v => do c <- eval globals (KB t) n e2 (v :: env'); match c with VBool b => Some b | _ => None end)
      (fun t env' v => eval globals (KB t) n e3 (v :: env')) env).
    specialize (fun K' K'' => K K' K'' _ _ _ H).
    assert (K0 : F (fun t => forall env' s', all_related rel t env env' -> related rel t s s' -> exists w, while n
      (fun v => do c <- eval globals (KB t) n e2 (v :: env'); match c with VBool b => Some b | _ => None end)
      (fun v => eval globals (KB t) n e3 (v :: env')) s' = Some w /\ related rel t v w)).
    { apply K.
      - intros s0 b I. destruct (eval globals KA n e2 (s0 :: env)) as [c|] eqn:E2; [|discriminate].
        destruct c; try discriminate. injection I as ->. generalize (IH _ _ _ E2). apply filter_imp.
        intros t P env' s' M SS. destruct (P (s' :: env')) as (c & -> & C); [now constructor|]. inversion C; now subst.
      - intros s0 w I. generalize (IH _ _ _ I). apply filter_imp. intros t P env' s' M SS. apply P. now constructor. }
    generalize (filter_and _ _ (IH _ _ _ E1) K0). apply filter_imp.
    intros t (K1 & K3) env' M. simpl. destruct (K1 env' M) as (s' & -> & SS). now apply K3.
  - destruct (eval globals KA n e1 env) as [f|] eqn:E1; [|discriminate].
    destruct (eval globals KA n e2 env) as [x|] eqn:E2; [|discriminate].
    destruct (eval globals KA n e3 env) as [dx|] eqn:E3; [|discriminate].
    destruct (forward _ _ f x dx) as [r|] eqn:R; [|discriminate]. injection H as <-.
    generalize (filter_and _ _ (IH _ _ _ E1) (filter_and _ _ (IH _ _ _ E2) (filter_and _ _ (IH _ _ _ E3)
      (ALONG _ _ _ _ R)))).
    apply filter_imp. intros t (K1 & K2 & K3 & K4) env' M. simpl. destruct (K1 env' M) as (f' & -> & R1).
    destruct (K2 env' M) as (x' & -> & R2). destruct (K3 env' M) as (dx' & -> & R3).
    destruct (K4 _ _ _ R1 R2 R3) as (s & -> & Y & DY). eexists. split; [reflexivity|]. repeat constructor; assumption.
  - destruct (eval globals KA n e1 env) as [f|] eqn:E1; [|discriminate].
    destruct (eval globals KA n e2 env) as [x|] eqn:E2; [|discriminate].
    destruct (eval globals KA n _ [f; x]) as [y|] eqn:E3; [|discriminate].
    destruct (leaves x) as [xs|] eqn:X; [|discriminate]. destruct (all _ (seq 0 (length xs))) as [ds|] eqn:D; [|discriminate].
    injection H as <-.
    assert (K : F (fun t => forall f' x', related rel t f f' -> related rel t x x' -> exists es,
      all (fun i => do dx <- direction (numbers_of (KB t)) x' (length xs) i;
        do r <- forward (numbers_of (KB t)) (fun f z => eval globals (Above (KB t)) n (EApp (EVar 0) (EVar 1)) [f; z]) f' x' dx;
        Some (snd r)) (seq 0 (length xs)) = Some es /\ all_related rel t ds es)).
    { revert ds D. generalize (seq 0 (length xs)). generalize (length xs). clear X. intros m is. induction is as [|i is IHis];
        simpl; intros ds D.
      - injection D as <-. apply filter_forall. intros. eexists. split; [reflexivity | constructor].
      - destruct (direction _ x m i) as [dx|] eqn:DX; [|discriminate].
        destruct (forward _ _ f x dx) as [r|] eqn:R; [|discriminate]. destruct (all _ is) as [more|] eqn:A1; [|discriminate].
        injection D as <-. generalize (filter_and _ _ (ALONG _ _ _ _ R) (IHis _ eq_refl)). apply filter_imp.
        intros t (K1 & K2) f' x' R1 R2. destruct (direction_related (numbers_of KA) (fun t => numbers_of (KB t)) F rel S t x x' m i dx R2 DX) as (dx' & -> & R3).
        destruct (K1 _ _ _ R1 R2 R3) as (s & -> & _ & DY). destruct (K2 _ _ R1 R2) as (es & -> & ES).
        eexists. split; [reflexivity | now constructor]. }
    generalize (filter_and _ _ (IH _ _ _ E1) (filter_and _ _ (IH _ _ _ E2) (filter_and _ _ (CALL _ _ _ E3) K))).
    apply filter_imp. intros t (K1 & K2 & K3 & K4) env' M. simpl. destruct (K1 env' M) as (f' & -> & R1).
    destruct (K2 env' M) as (x' & -> & R2). destruct (K3 _ _ R1 R2) as (y' & -> & R3).
    destruct (leaves_related rel t _ _ X _ R2) as (ys & -> & XY). rewrite <- (Forall2_same_length _ _ _ XY).
    destruct (K4 _ _ R1 R2) as (es & -> & R4). eexists. split; [reflexivity|]. repeat constructor; assumption.
  - destruct (eval globals KA n e1 env) as [f|] eqn:E1; [|discriminate].
    destruct (eval globals KA n e2 env) as [x|] eqn:E2; [|discriminate].
    destruct (eval globals KA n _ [f; x]) as [y|] eqn:E3; [|discriminate]. injection H as <-.
    generalize (filter_and _ _ (IH _ _ _ E1) (filter_and _ _ (IH _ _ _ E2) (CALL _ _ _ E3))).
    apply filter_imp. intros t (K1 & K2 & K3) env' M. simpl. destruct (K1 env' M) as (f' & -> & R1).
    destruct (K2 env' M) as (x' & -> & R2). destruct (K3 _ _ R1 R2) as (y' & -> & R3).
    eexists. split; [reflexivity|]. repeat constructor; assumption.
  - destruct (eval globals KA n e env) as [x|] eqn:E1; [|discriminate]. generalize (IH _ _ _ E1). apply filter_imp.
    intros t K env' M. simpl. destruct (K env' M) as (x' & -> & R).
    refine (map_data_related rel rel t true _ _ _ x v H x' R).
    intros ? ? E b _. injection E as <-. eexists. split; [reflexivity | apply (integers _ _ _ _ S)].
  - destruct (eval globals KA n e env) as [x|] eqn:E1; [|discriminate]. generalize (IH _ _ _ E1). apply filter_imp.
    intros t K env' M. simpl. destruct (K env' M) as (x' & -> & R).
    refine (map_data_related rel rel t false _ _ _ x v H x' R).
    intros ? ? E b Q. exact (stops _ _ _ _ S _ _ E t b Q).
  - change (eval globals KA (Datatypes.S n) (ECustom backward e1 e2 e3) env = Some v) in H. rewrite eval_custom in H.
    destruct (eval globals KA n e1 env) as [f|] eqn:E1; [|discriminate].
    destruct (eval globals KA n e2 env) as [rule|] eqn:E2; [|discriminate].
    destruct (eval globals KA n e3 env) as [x|] eqn:E3; [|discriminate].
    generalize (filter_and _ _ (IH _ _ _ E1) (filter_and _ _ (IH _ _ _ E2) (filter_and _ _ (IH _ _ _ E3)
      (CUSTOM _ _ _ _ _ H)))).
    apply filter_imp. intros t (K1 & K2 & K3 & K4) env' M. rewrite eval_custom. destruct (K1 env' M) as (f' & -> & R1).
    destruct (K2 env' M) as (rule' & -> & R2). destruct (K3 env' M) as (x' & -> & R3). now apply K4.
Qed.
End Simulation.
