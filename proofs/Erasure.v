(** * Erasing the types of environment tangents is safe

    Paper: Abadi, Wei, Plotkin, Vytiniotis, Belov, "The Differentiable Curry"; the end of section 5: languages without
    dependent types can use casts.

    Modelled: types and combinators with two meanings each. [typed] is that of figure 5: each function hides the type of
    the tangents of what it captured, given by a code, and the type of a tangent depends on the value. [run] has no such
    types. The tangent of each function is an [any], and casts out of it may fail. Tangents are added, since [Fork] and
    projections need it.

    Proved: [erasure]. The erased run is related to the typed one: the same values, the same tangents. So no cast fails. *)
From Coq Require Import Reals Psatz.
Open Scope R_scope.

(** ** Types of tangents *)
Inductive code := CUnit | CReal | CPair (c d : code).

Fixpoint den (c : code) : Set := match c with CUnit => unit | CReal => R | CPair c d => (den c * den d)%type end.

Fixpoint zero (c : code) : den c := match c with CUnit => tt | CReal => 0 | CPair c d => (zero c, zero d) end.

Fixpoint plus (c : code) : den c -> den c -> den c := match c with
  | CUnit => fun _ _ => tt
  | CReal => Rplus
  | CPair c d => fun x y => (plus c (fst x) (fst y), plus d (snd x) (snd y))
  end.

Lemma plus_zero c : forall x, plus c x (zero c) = x.
Proof. induction c; simpl; intro x; [now destruct x | ring | destruct x; simpl; now rewrite IHc1, IHc2]. Qed.

Lemma zero_plus c : forall x, plus c (zero c) x = x.
Proof. induction c; simpl; intro x; [now destruct x | ring | destruct x; simpl; now rewrite IHc1, IHc2]. Qed.

(** ** Tangents without types *)
Inductive any := AnyZero | AnyUnit | AnyReal (x : R) | AnyPair (a b : any).

Notation "'do' ( x , y ) <- e ; f" := (match e with Some (x, y) => f | None => None end)
  (at level 200, x name, y name, e at level 100, f at level 200).
Notation "'do' x <- e ; f" := (match e with Some x => f | None => None end)
  (at level 200, x name, e at level 100, f at level 200).

Fixpoint any_plus (a b : any) : option any := match a, b with
  | AnyZero, b => Some b
  | a, AnyZero => Some a
  | AnyUnit, AnyUnit => Some AnyUnit
  | AnyReal x, AnyReal y => Some (AnyReal (x + y))
  | AnyPair a b, AnyPair c d => do x <- any_plus a c; do y <- any_plus b d; Some (AnyPair x y)
  | _, _ => None
  end.

Definition any_split (a : any) : option (any * any) := match a with
  | AnyPair a b => Some (a, b)
  | AnyZero => Some (AnyZero, AnyZero)
  | _ => None
  end.

(** What an [any] stands for, at a code. *)
Fixpoint means (c : code) (a : any) : option (den c) := match c with
  | CUnit => match a with AnyUnit | AnyZero => Some tt | _ => None end
  | CReal => match a with AnyReal x => Some x | AnyZero => Some 0 | _ => None end
  | CPair c d => do (x, y) <- any_split a; do u <- means c x; do v <- means d y; Some (u, v)
  end.

Lemma means_zero c : means c AnyZero = Some (zero c).
Proof. induction c; simpl; auto. now rewrite IHc1, IHc2. Qed.

Lemma means_pair c d a b u v : means c a = Some u -> means d b = Some v -> means (CPair c d) (AnyPair a b) = Some (u, v).
Proof. simpl. now intros -> ->. Qed.

Lemma means_split c d a g : means (CPair c d) a = Some g ->
  exists x y, any_split a = Some (x, y) /\ means c x = Some (fst g) /\ means d y = Some (snd g).
Proof.
  simpl. destruct (any_split a) as [[x y]|]; [|discriminate]. destruct (means c x) eqn:C; [|discriminate].
  destruct (means d y) eqn:D; [|discriminate]. intro H. injection H as <-. eauto.
Qed.

Lemma means_plus c : forall a b g h, means c a = Some g -> means c b = Some h ->
  exists k, any_plus a b = Some k /\ means c k = Some (plus c g h).
Proof.
  induction c; intros a b g h A B.
  - destruct a, b; try discriminate; eexists; (split; [reflexivity | reflexivity]).
  - destruct a, b; simpl in *; try discriminate; injection A as <-; injection B as <-; eexists; (split; [reflexivity|]);
      simpl; f_equal; ring.
  - destruct a as [| | |a1 a2].
    + rewrite (means_zero (CPair c1 c2)) in A. injection A as <-. exists b. split; [reflexivity|].
      rewrite B. f_equal. symmetry. exact (zero_plus (CPair c1 c2) h).
    + discriminate.
    + discriminate.
    + destruct b as [| | |b1 b2]; try discriminate.
      * rewrite (means_zero (CPair c1 c2)) in B. injection B as <-. exists (AnyPair a1 a2). split; [reflexivity|].
        rewrite A. f_equal. symmetry. exact (plus_zero (CPair c1 c2) g).
      * simpl in A, B. destruct (means c1 a1) as [u|] eqn:A1; [|discriminate]. destruct (means c2 a2) as [v|] eqn:A2;
        [|discriminate].
        destruct (means c1 b1) as [x|] eqn:B1; [|discriminate]. destruct (means c2 b2) as [y|] eqn:B2; [|discriminate].
        injection A as <-. injection B as <-.
        destruct (IHc1 _ _ _ _ A1 B1) as (k & K & K'), (IHc2 _ _ _ _ A2 B2) as (l & M & M').
        exists (AnyPair k l). simpl. now rewrite K, M, K', M'.
Qed.

(** ** Types
    A type has values, and a code for the tangents of each value: these are the typed meanings. The erased meanings are
    [erased] and [tangent], the same type for the tangents of all values. [up] casts into [any], and [down] out of it.
    Then come the relations of both meanings, and what they have to satisfy. *)
Record ty := {
  el : Type;
  tan : el -> code;
  erased : Type;
  tangent : Type;
  tangent_zero : tangent;
  tangent_plus : tangent -> tangent -> option tangent;
  up : tangent -> any;
  down : any -> option tangent;
  same_value : el -> erased -> Prop;
  same_tangent : forall x, den (tan x) -> tangent -> Prop;
  same_zero : forall x, same_tangent x (zero (tan x)) tangent_zero;
  same_plus : forall x g g' h h', same_tangent x g g' -> same_tangent x h h' ->
    exists k, tangent_plus g' h' = Some k /\ same_tangent x (plus (tan x) g h) k;
  means_up : forall x g g', same_tangent x g g' -> means (tan x) (up g') = Some g;
  down_means : forall x g a, means (tan x) a = Some g -> exists g', down a = Some g' /\ same_tangent x g g' }.

Definition real_down (a : any) : option R := match a with AnyReal x => Some x | AnyZero => Some 0 | _ => None end.

Lemma real_plus (g g' h h' : R) : g = g' -> h = h' -> exists k, Some (g' + h') = Some k /\ g + h = k.
Proof. intros -> ->. eauto. Qed.

Lemma real_up (g g' : R) : g = g' -> means CReal (AnyReal g') = Some g.
Proof. now intros ->. Qed.

Lemma real_down_means g a : means CReal a = Some g -> exists g', real_down a = Some g' /\ g = g'.
Proof. destruct a; simpl; intro H; try discriminate; injection H as <-; eauto. Qed.

Definition real : ty := {|
  el := R; tan := fun _ => CReal; erased := R; tangent := R; tangent_zero := 0;
  tangent_plus := fun x y => Some (x + y); up := AnyReal; down := real_down;
  same_value := fun x x' => x = x'; same_tangent := fun _ g g' => g = g'; same_zero := fun _ => eq_refl;
  same_plus := fun _ => real_plus; means_up := fun _ => real_up; down_means := fun _ => real_down_means |}.

Section Pair.
Variables a b : ty.

Definition pair_plus (x y : tangent a * tangent b) : option (tangent a * tangent b) :=
  do u <- tangent_plus a (fst x) (fst y); do v <- tangent_plus b (snd x) (snd y); Some (u, v).

Definition pair_down (x : any) : option (tangent a * tangent b) :=
  do (x, y) <- any_split x; do u <- down a x; do v <- down b y; Some (u, v).

Definition pair_same (p : el a * el b) (g : den (CPair (tan a (fst p)) (tan b (snd p)))) (g' : tangent a * tangent b) : Prop :=
  same_tangent a (fst p) (fst g) (fst g') /\ same_tangent b (snd p) (snd g) (snd g').

Lemma pair_same_plus p g g' h h' : pair_same p g g' -> pair_same p h h' ->
  exists k, pair_plus g' h' = Some k /\ pair_same p (plus (CPair (tan a (fst p)) (tan b (snd p))) g h) k.
Proof.
  intros [G1 G2] [H1 H2]. destruct (same_plus a _ _ _ _ _ G1 H1) as (k & K & K'), (same_plus b _ _ _ _ _ G2 H2) as (l & L & L').
  exists (k, l). unfold pair_plus. rewrite K, L. split; [reflexivity | split; assumption].
Qed.

Lemma pair_means_up p g g' : pair_same p g g' ->
  means (CPair (tan a (fst p)) (tan b (snd p))) (AnyPair (up a (fst g')) (up b (snd g'))) = Some g.
Proof. intros [G H]. destruct g. exact (means_pair _ _ _ _ _ _ (means_up a _ _ _ G) (means_up b _ _ _ H)). Qed.

Lemma pair_down_means p g x : means (CPair (tan a (fst p)) (tan b (snd p))) x = Some g ->
  exists g', pair_down x = Some g' /\ pair_same p g g'.
Proof.
  intro H. destruct (means_split _ _ _ _ H) as (u & v & E & U & V).
  destruct (down_means a _ _ _ U) as (k & K & K'), (down_means b _ _ _ V) as (l & L & L').
  exists (k, l). unfold pair_down. rewrite E, K, L. split; [reflexivity | split; assumption].
Qed.

Definition pair : ty := {|
  el := el a * el b; tan := fun p => CPair (tan a (fst p)) (tan b (snd p));
  erased := erased a * erased b; tangent := tangent a * tangent b;
  tangent_zero := (tangent_zero a, tangent_zero b); tangent_plus := pair_plus;
  up := fun x => AnyPair (up a (fst x)) (up b (snd x)); down := pair_down;
  same_value := fun p p' => same_value a (fst p) (fst p') /\ same_value b (snd p) (snd p'); same_tangent := pair_same;
  same_zero := fun p => conj (same_zero a (fst p)) (same_zero b (snd p));
  same_plus := pair_same_plus; means_up := pair_means_up; down_means := pair_down_means |}.

(** Functions: definition 5.1, and the tangents of definition 5.2. *)
Definition rep := {D : code & forall x : el a, {y : el b & den (tan b y) -> den D * den (tan a x)}}.

Definition erased_rep := erased a -> erased b * (tangent b -> option (any * tangent a)).

Definition same_rep (f : rep) (f' : erased_rep) : Prop := forall x x', same_value a x x' ->
  let y := projT2 f x in
  same_value b (projT1 y) (fst (f' x')) /\
  forall g g', same_tangent b (projT1 y) g g' -> exists e gx, snd (f' x') g' = Some (e, gx) /\
    means (projT1 f) e = Some (fst (projT2 y g)) /\ same_tangent a x (snd (projT2 y g)) gx.

Definition function : ty := {|
  el := rep; tan := fun f => projT1 f; erased := erased_rep; tangent := any; tangent_zero := AnyZero;
  tangent_plus := any_plus; up := fun x => x; down := Some;
  same_value := same_rep; same_tangent := fun f g g' => means (projT1 f) g' = Some g;
  same_zero := fun f => means_zero (projT1 f);
  same_plus := fun f g g' h h' => means_plus (projT1 f) g' h' g h;
  means_up := fun _ _ _ H => H;
  down_means := fun _ _ a H => ex_intro _ a (conj eq_refl H) |}.

Definition make (D : code) (f : forall x : el a, {y : el b & den (tan b y) -> den D * den (tan a x)}) : rep := existT _ D f.

Definition answer (D : code) (x : el a) (y : el b) (pb : den (tan b y) -> den D * den (tan a x)) :
  {y : el b & den (tan b y) -> den D * den (tan a x)} := existT _ y pb.
End Pair.

(** ** Programs *)
Inductive comb : ty -> ty -> Type :=
  | Id a : comb a a
  | Comp a b c (f : comb a b) (g : comb b c) : comb a c
  | First a b : comb (pair a b) a
  | Second a b : comb (pair a b) b
  | Fork a b c (f : comb a b) (g : comb a c) : comb a (pair b c)
  | Curry a b c (f : comb (pair a b) c) : comb a (function b c)
  | Eval a b : comb (pair (function a b) a) b
  | Constant a (k : R) : comb a real
  | Primitive (f df : R -> R) : comb real real
  | Times : comb (pair real real) real.

(** With types: figure 5. *)
Definition typed_comp {a b c} (f : rep a b) (g : rep b c) : rep a c :=
  make a c (CPair (projT1 f) (projT1 g)) (fun x => let y := projT2 f x in let z := projT2 g (projT1 y) in
    answer a c (CPair (projT1 f) (projT1 g)) x (projT1 z) (fun gz =>
      let q := projT2 z gz in let p := projT2 y (snd q) in ((fst p, fst q), snd p))).

Definition typed_fork {a b c} (f : rep a b) (g : rep a c) : rep a (pair b c) :=
  make a (pair b c) (CPair (projT1 f) (projT1 g)) (fun x => let y := projT2 f x in let z := projT2 g x in
    answer a (pair b c) (CPair (projT1 f) (projT1 g)) x (projT1 y, projT1 z) (fun gs =>
      let p := projT2 y (fst gs) in let q := projT2 z (snd gs) in ((fst p, fst q), plus (tan a x) (snd p) (snd q)))).

Definition typed_closure {a b c} (f : rep (pair a b) c) (t : el a) : rep b c :=
  make b c (CPair (projT1 f) (tan a t)) (fun s => let r := projT2 f (t, s) in
    answer b c (CPair (projT1 f) (tan a t)) s (projT1 r) (fun g =>
      let p := projT2 r g in ((fst p, fst (snd p)), snd (snd p)))).

Definition typed_curry {a b c} (f : rep (pair a b) c) : rep a (function b c) :=
  make a (function b c) (projT1 f) (fun t => answer a (function b c) (projT1 f) t (typed_closure f t) (fun env => env)).

Definition typed_eval a b : rep (pair (function a b) a) b :=
  make (pair (function a b) a) b CUnit (fun p => let r := projT2 (fst p) (snd p) in
    answer (pair (function a b) a) b CUnit p (projT1 r) (fun g => (tt, projT2 r g))).

Fixpoint typed {a b} (e : comb a b) : rep a b := match e with
  | Id a => make a a CUnit (fun x => answer a a CUnit x x (fun g => (tt, g)))
  | Comp _ _ _ f g => typed_comp (typed f) (typed g)
  | First a b => make (pair a b) a CUnit (fun p => answer (pair a b) a CUnit p (fst p)
      (fun g => (tt, (g, zero (tan b (snd p))))))
  | Second a b => make (pair a b) b CUnit (fun p => answer (pair a b) b CUnit p (snd p)
      (fun g => (tt, (zero (tan a (fst p)), g))))
  | Fork _ _ _ f g => typed_fork (typed f) (typed g)
  | Curry _ _ _ f => typed_curry (typed f)
  | Eval a b => typed_eval a b
  | Constant a k => make a real CUnit (fun x => answer a real CUnit x k (fun _ => (tt, zero (tan a x))))
  | Primitive f df => make real real CUnit (fun x => answer real real CUnit x (f x) (fun g => (tt, g * df x)))
  | Times => make (pair real real) real CUnit (fun p => answer (pair real real) real CUnit p (fst p * snd p)
      (fun g => (tt, (snd p * g, fst p * g))))
  end.

(** Without types. *)
Definition erased_comp {a b c} (f : erased_rep a b) (g : erased_rep b c) : erased_rep a c :=
  fun x => let (y, pf) := f x in let (z, pg) := g y in
    (z, fun gz => do (eg, gy) <- pg gz; do (ef, gx) <- pf gy; Some (AnyPair ef eg, gx)).

Definition erased_fork {a b c} (f : erased_rep a b) (g : erased_rep a c) : erased_rep a (pair b c) :=
  fun x => let (y, pf) := f x in let (z, pg) := g x in
    ((y, z), fun gs => do (ef, gx) <- pf (fst gs); do (eg, gx') <- pg (snd gs);
      do sum <- tangent_plus a gx gx'; Some (AnyPair ef eg, sum)).

Definition erased_closure {a b c} (f : erased_rep (pair a b) c) (t : erased a) : erased_rep b c :=
  fun s => let (r, pb) := f (t, s) in
    (r, fun g => do (e, ts) <- pb g; Some (AnyPair e (up a (fst ts)), snd ts)).

Definition erased_curry {a b c} (f : erased_rep (pair a b) c) : erased_rep a (function b c) :=
  fun t => (erased_closure f t, fun env => do (e, t) <- any_split env; do gt <- down a t; Some (e, gt)).

Definition erased_eval a b : erased_rep (pair (function a b) a) b :=
  fun p => let (y, pb) := fst p (snd p) in (y, fun g => do (e, gx) <- pb g; Some (AnyUnit, (e, gx))).

Fixpoint run {a b} (e : comb a b) : erased_rep a b := match e with
  | Id _ => fun x => (x, fun g => Some (AnyUnit, g))
  | Comp _ _ _ f g => erased_comp (run f) (run g)
  | First _ b => fun p => (fst p, fun g => Some (AnyUnit, (g, tangent_zero b)))
  | Second a _ => fun p => (snd p, fun g => Some (AnyUnit, (tangent_zero a, g)))
  | Fork _ _ _ f g => erased_fork (run f) (run g)
  | Curry _ _ _ f => erased_curry (run f)
  | Eval a b => erased_eval a b
  | Constant a k => fun _ => (k, fun _ => Some (AnyUnit, tangent_zero a))
  | Primitive f df => fun x => (f x, fun g => Some (AnyUnit, g * df x))
  | Times => fun p => (fst p * snd p, fun g => Some (AnyUnit, (snd p * g, fst p * g)))
  end.

(** ** Both are related *)
Lemma same_comp a b c f f' g g' : same_rep a b f f' -> same_rep b c g g' ->
  same_rep a c (typed_comp f g) (erased_comp f' g').
Proof.
  intros F G x x' X. destruct (F x x' X) as [Y P]. destruct (G _ _ Y) as [Z Q]. unfold erased_comp.
  destruct (f' x') as [y pf]. cbn [fst snd] in *. destruct (g' y) as [z pg]. cbn [fst snd] in *. split; [exact Z|].
  intros u u' U. destruct (Q u u' U) as (eg & gy & E1 & E & GY). destruct (P _ _ GY) as (ef & gx & E2 & E3 & GX).
  exists (AnyPair ef eg), gx. rewrite E1, E2. split; [reflexivity|]. split; [exact (means_pair _ _ _ _ _ _ E3 E) | exact GX].
Qed.

Lemma same_fork a b c f f' g g' : same_rep a b f f' -> same_rep a c g g' ->
  same_rep a (pair b c) (typed_fork f g) (erased_fork f' g').
Proof.
  intros F G x x' X. destruct (F x x' X) as [Y P]. destruct (G x x' X) as [Z Q]. unfold erased_fork.
  destruct (f' x') as [y pf]. cbn [fst snd] in *. destruct (g' x') as [z pg]. cbn [fst snd] in *.
  split; [exact (conj Y Z)|]. intros [u v] [u' v'] [U V].
  destruct (P u u' U) as (ef & gx & E1 & E & GX). destruct (Q v v' V) as (eg & gy & E2 & E3 & GY).
  destruct (same_plus a _ _ _ _ _ GX GY) as (k & E4 & K). exists (AnyPair ef eg), k. cbn [fst snd]. rewrite E1, E2, E4.
  split; [reflexivity|]. split; [exact (means_pair _ _ _ _ _ _ E E3) | exact K].
Qed.

Lemma same_closure a b c f f' t t' : same_rep (pair a b) c f f' -> same_value a t t' ->
  same_rep b c (typed_closure f t) (erased_closure f' t').
Proof.
  intros F T s s' S. destruct (F (t, s) (t', s') (conj T S)) as [Y P]. unfold erased_closure.
  destruct (f' (t', s')) as [r pb]. cbn [fst snd] in *. split; [exact Y|].
  intros g g' G. destruct (P g g' G) as (e & ts & E & M & U & V). exists (AnyPair e (up a (fst ts))), (snd ts). rewrite E.
  split; [reflexivity|]. split; [exact (means_pair _ _ _ _ _ _ M (means_up a _ _ _ U)) | exact V].
Qed.

Lemma same_curry a b c f f' : same_rep (pair a b) c f f' ->
  same_rep a (function b c) (typed_curry f) (erased_curry f').
Proof.
  intros F t t' T. split; [exact (same_closure a b c f f' t t' F T)|]. intros g g' G.
  destruct (means_split (projT1 f) (tan a t) g' g G) as (u & v & E & G1 & G2).
  destruct (down_means a _ _ _ G2) as (k & E2 & K). exists u, k. unfold erased_curry. cbn [snd]. rewrite E, E2.
  split; [reflexivity|]. split; [exact G1 | exact K].
Qed.

Lemma same_eval a b : same_rep (pair (function a b) a) b (typed_eval a b) (erased_eval a b).
Proof.
  intros [f x] [f' x'] [F X]. destruct (F x x' X) as [Y P]. unfold erased_eval. cbn [fst snd] in *.
  change (erased_rep a b) in f'. destruct (f' x') as [y pb]. cbn [fst snd] in *. split; [exact Y|]. intros g g' G.
  destruct (P g g' G) as (e & gx & E & M & T). exists AnyUnit, (e, gx). rewrite E.
  split; [reflexivity|]. split; [reflexivity | exact (conj M T)].
Qed.

Theorem erasure a b (e : comb a b) : same_rep a b (typed e) (run e).
Proof.
  induction e; cbn [typed run].
  - intros x x' X. split; [exact X|]. intros g g' G. exists AnyUnit, g'. split; [reflexivity|]. split; [reflexivity | exact G].
  - now apply same_comp.
  - intros [x y] [x' y'] [X Y]. split; [exact X|]. intros g g' G. exists AnyUnit, (g', tangent_zero b).
    split; [reflexivity|]. split; [reflexivity | exact (conj G (same_zero b y))].
  - intros [x y] [x' y'] [X Y]. split; [exact Y|]. intros g g' G. exists AnyUnit, (tangent_zero a, g').
    split; [reflexivity|]. split; [reflexivity | exact (conj (same_zero a x) G)].
  - now apply same_fork.
  - now apply same_curry.
  - apply same_eval.
  - intros x x' X. split; [reflexivity|]. intros g g' G. exists AnyUnit, (tangent_zero a).
    split; [reflexivity|]. split; [reflexivity | exact (same_zero a x)].
  - intros x x' X. change (x = x') in X. subst x'. split; [reflexivity|]. intros g g' G. change (g = g') in G. subst g'.
    exists AnyUnit, (g * df x). repeat split.
  - intros [x y] [x' y'] [X Y]. change (x = x') in X. change (y = y') in Y. subst x' y'. split; [reflexivity|].
    intros g g' G. change (g = g') in G. subst g'. exists AnyUnit, (y * g, x * g). repeat split.
Qed.

(** For a function of a number: the same number, the same derivative, and no cast fails. *)
Corollary erasure_of_a_number (e : comb real real) (x g : R) : let y := projT2 (typed e) x in
  fst (run e x) = projT1 y /\ exists env, snd (run e x) g = Some (env, snd (projT2 y g)).
Proof.
  intro y. destruct (erasure _ _ e x x eq_refl) as [Y P]. split; [symmetry; exact Y|].
  destruct (P g g eq_refl) as (env & gx & E & _ & T). exists env. rewrite E. do 2 f_equal. symmetry. exact T.
Qed.
