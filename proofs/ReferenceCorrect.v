(** * The reference implementation computes derivatives

    About [Reference]. Paper: Abadi and Plotkin, "A Simple Differentiable Programming Language", theorems 6.1 and 6.2, here
    for a language with functions as values, arrays, sums, loops and recursion, and for forward mode.

    [strict] is a third kind of numbers: curves with a derivative at one point. They give no result at the edge of the
    domain of a row, and none for a comparison of equal numbers, as the paper's language has none there. A rule of the
    program is followed where it is trusted; [rules_right] says that what is trusted is the derivative. A curve that is
    known to stay where it is may be the exponent of a power whose base is not positive.

    Proved: [reference_derivative]. Where the strict run has a number as its result, the run with dual numbers has it too,
    and all runs at points close by have results; they are a function, and the tangent is its derivative. The program may
    have derivatives inside. [inner_derivative] says what such a derivative is: that of the function which is inside. *)
From Coq Require Import Reals ZArith List Bool Psatz.
From Coquelicot Require Import Coquelicot.
From Pullback Require Import Table Values Rows RowsOfTwo RowsTogether Reference Related Inside Simulation.
From Pullback Require Trace.
Import ListNotations.
Open Scope R_scope.

Section Correct.
Variable lgamma : R -> R.
Variable polygamma : R -> R -> R.
Variable gamma : polygamma_derivatives lgamma polygamma.
Notation value1 := (value1 lgamma polygamma).
Notation value2 := (value2 polygamma).

(** ** Real numbers *)
Definition reals : base R := {|
  constant := number_value;
  integer := IZR;
  value_of_one := value1;
  value_of_two := value2;
  is_one := fun x => if Req_EM_T x 1 then true else false |}.

(** A value of the table's terms as the number that it is. *)
Definition scalar (v : value R R) (x : R) : Prop := match v with
  | VReal y => x = y
  | VInt z => x = IZR z
  | VBool b => x = if b then 1 else 0
  | _ => False
  end.

(** The primitives that [Values] gives a meaning for integers and Bools. *)
Definition known (p : prim) : bool := match p with
  | IntNeg | IntAbs | IntSignum | Not | Ne | IntDiv | IntRem | IntMax | IntMin | IntLt | IntLe | IntGt | IntGe | IntNe
  | BoolEq | ShowInt => false
  | _ => true
  end.

Fixpoint known_term (t : term) : bool := match t with
  | Prim1 p t => known p && known_term t
  | Prim2 p t u => known p && known_term t && known_term u
  | If c t u => known_term c && known_term t && known_term u
  | _ => true
  end.

Lemma known_rows p : match row p with
  | Some (_, ts) => forallb (fun t => match t with Some t => known_term t | None => true end) ts = true
  | None => True
  end.
Proof. destruct p; simpl; auto. Qed.

Lemma compare_reals p x y : comparison p = true -> known p = true ->
  value2 p x y = if compare reals p x y then 1 else 0.
Proof.
  intros C K. destruct p; try discriminate; unfold compare, reals; simpl; unfold truth;
    match goal with |- context [if ?d then 1 else 0] => destruct d end; destruct (Req_EM_T _ 1); lra || reflexivity.
Qed.

Lemma prim_of_reals p v x : known p = true -> scalar v x -> forall w, apply_prim (plain reals) p [v] = Some w ->
  scalar w (value1 p x).
Proof.
  intros K V w E. destruct v; simpl in V; try contradiction; subst x; simpl in E.
  - injection E as <-. reflexivity.
  - destruct p; try discriminate; injection E as <-; reflexivity.
  - destruct p; discriminate.
Qed.

Lemma prim_of_two_reals p v u x y : known p = true -> scalar v x -> scalar u y ->
  forall w, apply_prim (plain reals) p [v; u] = Some w -> scalar w (value2 p x y).
Proof.
  intros K V U w E. destruct v; simpl in V; try contradiction; destruct u; simpl in U; try contradiction; subst x y;
    simpl in E; try discriminate.
  - destruct (comparison p) eqn:C; injection E as <-; simpl; [now apply compare_reals | reflexivity].
  - destruct p; try discriminate; injection E as <-; reflexivity.
  - destruct p; try discriminate; injection E as <-; reflexivity.
  - destruct p; try discriminate; injection E as <-; simpl.
    + symmetry. apply plus_IZR.
    + symmetry. apply minus_IZR.
    + symmetry. apply mult_IZR.
    + unfold truth. destruct (Req_EM_T (IZR z) (IZR z0)) as [Q|Q].
      * apply eq_IZR in Q. subst. now rewrite Z.eqb_refl.
      * destruct (Z.eqb_spec z z0); [subst; now destruct Q | reflexivity].
  - destruct p; discriminate.
Qed.

Lemma term_of_reals x y r a b c : scalar x a -> scalar y b -> scalar r c -> forall t v, known_term t = true ->
  term_of (plain reals) x y r t = Some v -> scalar v (term_value lgamma polygamma a b c t).
Proof.
  intros X Y Q. induction t; cbn [term_of known_term term_value]; intros v K E.
  - destruct i; injection E as <-; assumption.
  - now injection E as <-.
  - now injection E as <-.
  - now injection E as <-.
  - now injection E as <-.
  - now injection E as <-.
  - apply andb_prop in K as [K1 K2]. destruct (term_of _ x y r t) as [w|] eqn:W; [|discriminate].
    apply (prim_of_reals p w); auto.
  - apply andb_prop in K as [K K3]. apply andb_prop in K as [K1 K2].
    destruct (term_of _ x y r t1) as [w|] eqn:W; [|discriminate].
    destruct (term_of _ x y r t2) as [w'|] eqn:W'; [|discriminate]. apply (prim_of_two_reals p w w'); auto.
  - apply andb_prop in K as [K K3]. apply andb_prop in K as [K1 K2].
    destruct (term_of _ x y r t1) as [w|] eqn:W; [|discriminate]. destruct w as [| |t| | | | | | | |]; try discriminate.
    specialize (IHt1 _ K1 eq_refl). simpl in IHt1. rewrite IHt1. destruct t, (Req_EM_T _ 1); try lra; auto.
Qed.

Lemma slope_of_reals x y r a b t d : known_term t = true -> scalar x a -> scalar y b ->
  Reference.slope (plain reals) x y r t = Some d -> term_value lgamma polygamma a b r t = d.
Proof.
  intros K X Y. unfold Reference.slope. destruct (term_of _ x y (VReal r) t) as [v|] eqn:V; [|discriminate].
  apply (term_of_reals x y (VReal r) a b r X Y eq_refl t v K) in V.
  destruct v; try discriminate. intro E. injection E as <-. exact V.
Qed.

(** ** Where there are derivatives *)
Definition compares_dec p x y : {compares p x y} + {~ compares p x y}.
Proof.
  destruct p; simpl; try (right; tauto).
  - apply Rlt_dec.
  - apply Rle_dec.
  - apply Rgt_dec.
  - apply Rge_dec.
  - apply Req_EM_T.
  - destruct (Req_EM_T x y); [right | left]; tauto.
Defined.

Definition inside_dec first x y d : {inside lgamma polygamma first x y d} + {~ inside lgamma polygamma first x y d}.
Proof.
  induction d; simpl.
  - now left.
  - apply compares_dec.
  - destruct IHd1, IHd2; tauto.
  - destruct IHd1, IHd2; tauto.
Defined.

Definition no_pole_dec p x : {no_pole p x} + {~ no_pole p x}.
Proof. destruct p; simpl; try (now left). destruct (Req_EM_T (cos x) 0); [right | left]; tauto. Defined.

(** The slope of a primitive at [x], with what makes it one. *)
Definition slope_one p x :
  option {d | slope_of_one (plain reals) p x (value1 p x) = Some d /\ is_derive (value1 p) x d}.
Proof.
  destruct (no_pole_dec p x) as [N|]; [|exact None].
  destruct (slope_of_one (plain reals) p x (value1 p x)) as [e|] eqn:E; [|exact None].
  generalize (rows_of_one lgamma polygamma p x gamma N) (known_rows p). unfold slope_of_one in E.
  destruct (row p) as [[d ts]|]; [|exact (fun _ _ => None)].
  destruct ts as [|[t|] [|? ?]]; [exact (fun _ _ => None) | | exact (fun _ _ => None) ..].
  destruct (inside_dec true x 0 d) as [I|]; [|exact (fun _ _ => None)]. intros D K.
  refine (Some (exist _ e (conj eq_refl _))). simpl in K. rewrite andb_true_r in K.
  rewrite <- (slope_of_reals (VReal x) (VReal 0) _ x 0 _ _ K eq_refl eq_refl E). exact (D I).
Defined.

Definition slope_power p x z : option {d |
  slope_of_power (plain reals) p x z (value2 p x (IZR z)) = Some d /\ is_derive (fun x => value2 p x (IZR z)) x d}.
Proof.
  destruct (slope_of_power (plain reals) p x z (value2 p x (IZR z))) as [e|] eqn:E; [|exact None].
  generalize (rows_with_an_integer lgamma polygamma p x z gamma) (known_rows p). unfold slope_of_power in E.
  destruct (row p) as [[d ts]|]; [|exact (fun _ _ => None)].
  destruct ts as [|[t|] [|[u|] [|? ?]]]; try discriminate E.
  destruct (inside_dec true x (IZR z) d) as [I|]; [|exact (fun _ _ => None)]. intros D K.
  refine (Some (exist _ e (conj eq_refl _))). simpl in K. rewrite andb_true_r in K.
  rewrite <- (slope_of_reals (VReal x) (VInt z) _ x (IZR z) _ _ K eq_refl eq_refl E). exact (D I).
Defined.

Definition slope_order p z x : option {d |
  slope_of_order (plain reals) p z x (value2 p (IZR z) x) = Some d /\ is_derive (fun x => value2 p (IZR z) x) x d}.
Proof.
  destruct (slope_of_order (plain reals) p z x (value2 p (IZR z) x)) as [e|] eqn:E; [|exact None].
  generalize (rows_with_an_integer lgamma polygamma p x z gamma) (known_rows p). unfold slope_of_order in E.
  destruct (row p) as [[d ts]|]; [|exact (fun _ _ => None)].
  destruct ts as [|[t|] [|[u|] [|? ?]]]; try discriminate E.
  destruct (Z_le_dec 0 z) as [P|]; [|exact (fun _ _ => None)].
  destruct (inside_dec false (IZR z) x d) as [I|]; [|exact (fun _ _ => None)]. intros D K.
  refine (Some (exist _ e (conj eq_refl _))). simpl in K. rewrite andb_true_r in K.
  rewrite <- (slope_of_reals (VInt z) (VReal x) _ (IZR z) x _ _ K eq_refl eq_refl E). exact (D P I).
Defined.

(** ** Primitives of two arguments *)
Definition covered_dec p x : {covered p x} + {~ covered p x}.
Proof. destruct p; simpl; try (now left). apply Rlt_dec. Defined.

Definition slopes_two p x y : option {d |
  slopes_of_two (plain reals) p x y (value2 p x y) = Some d /\ Trace.partials (value2 p) x y (fst d) (snd d)}.
Proof.
  destruct (covered_dec p x) as [C|]; [|exact None].
  destruct (slopes_of_two (plain reals) p x y (value2 p x y)) as [e|] eqn:E; [|exact None].
  generalize (rows_together lgamma polygamma p x y C) (known_rows p). unfold slopes_of_two in E.
  destruct (row p) as [[d ts]|]; [|exact (fun _ _ => None)].
  destruct ts as [|[t|] [|[u|] [|? ?]]]; try discriminate E.
  destruct (inside_dec true x y d) as [I|]; [|exact (fun _ _ => None)].
  destruct (inside_dec false x y d) as [J|]; [|exact (fun _ _ => None)]. intros P K.
  refine (Some (exist _ e (conj eq_refl _))). simpl in K. rewrite andb_true_r in K. apply andb_prop in K as [K1 K2].
  destruct (Reference.slope (plain reals) _ _ _ t) as [d1|] eqn:E1; [|discriminate].
  destruct (Reference.slope (plain reals) _ _ _ u) as [d2|] eqn:E2; [|discriminate]. injection E as <-. simpl.
  rewrite <- (slope_of_reals (VReal x) (VReal y) _ x y _ _ K1 eq_refl eq_refl E1),
    <- (slope_of_reals (VReal x) (VReal y) _ x y _ _ K2 eq_refl eq_refl E2).
  exact (P I J).
Defined.

(** Where the row promises the derivative by one argument alone, the other one has to be held: [pow] with a base that is
    not positive is such a primitive. *)
Definition inside_by first p x y : Prop := match row p with
  | Some (d, [Some _; Some _]) => inside lgamma polygamma first x y d
  | _ => False
  end.

Definition inside_by_dec first p x y : {inside_by first p x y} + {~ inside_by first p x y}.
Proof.
  unfold inside_by. destruct (row p) as [[d [|[t|] [|[u|] [|? ?]]]]|]; try (right; tauto). apply inside_dec.
Defined.

Lemma slopes_by_one p x y e : slopes_of_two (plain reals) p x y (value2 p x y) = Some e ->
  (inside_by true p x y -> is_derive (fun x => value2 p x y) x (fst e)) /\
  (inside_by false p x y -> is_derive (fun y => value2 p x y) y (snd e)).
Proof.
  generalize (rows_of_two lgamma polygamma p x y) (known_rows p). unfold slopes_of_two, inside_by.
  destruct (row p) as [[d [|[t|] [|[u|] [|? ?]]]]|]; try (intros; discriminate). simpl. rewrite andb_true_r.
  intros [P Q] K. apply andb_prop in K as [K1 K2].
  destruct (Reference.slope (plain reals) _ _ _ t) as [d1|] eqn:E1; [|discriminate].
  destruct (Reference.slope (plain reals) _ _ _ u) as [d2|] eqn:E2; [|discriminate]. intro E. injection E as <-. simpl.
  rewrite <- (slope_of_reals (VReal x) (VReal y) _ x y _ _ K1 eq_refl eq_refl E1),
    <- (slope_of_reals (VReal x) (VReal y) _ x y _ _ K2 eq_refl eq_refl E2). now split.
Qed.

(** ** Strict numbers *)
Section Point.
Variable t0 : R.

(** A curve with its derivative at [t0]; [steady] ones are known to stay where they are. *)
Record curve := { at_point : R -> R; slope : R; derived : is_derive at_point t0 slope;
  steady : bool; stays : steady = true -> forall t, at_point t = at_point t0 }.

Definition held (x : R) : curve := {| at_point := fun _ => x; slope := 0; derived := derive_constant x t0;
  steady := true; stays := fun _ _ => eq_refl |}.

Lemma steady_slope f : steady f = true -> slope f = 0.
Proof.
  intro S. rewrite <- (is_derive_unique _ _ _ (derived f)). apply is_derive_unique.
  apply (is_derive_ext (fun _ => at_point f t0)); [intro; symmetry; now apply stays | apply derive_constant].
Qed.

Lemma steady_one (h : R -> R) f : steady f = true -> forall t, h (at_point f t) = h (at_point f t0).
Proof. intros S t. now rewrite (stays f S t). Qed.

Lemma steady_two (h : R -> R -> R) f g : (steady f && steady g)%bool = true -> forall t,
  h (at_point f t) (at_point g t) = h (at_point f t0) (at_point g t0).
Proof. intros S t. apply andb_prop in S as [S1 S2]. now rewrite (stays f S1 t), (stays g S2 t). Qed.

Lemma derived_by_first p f g d e : steady g = true -> is_derive (fun x => value2 p x (at_point g t0)) (at_point f t0) d ->
  is_derive (fun t => value2 p (at_point f t) (at_point g t)) t0 (slope f * d + slope g * e).
Proof.
  intros S D. rewrite (steady_slope g S), Rmult_0_l, Rplus_0_r.
  apply (is_derive_ext (fun t => value2 p (at_point f t) (at_point g t0))); [intro t; now rewrite (stays g S t)|].
  evar_last; [apply (is_derive_comp (fun x => value2 p x (at_point g t0)) (at_point f)); [exact D | apply derived] | reflexivity].
Qed.

Lemma derived_by_second p f g d e : steady f = true -> is_derive (fun y => value2 p (at_point f t0) y) (at_point g t0) e ->
  is_derive (fun t => value2 p (at_point f t) (at_point g t)) t0 (slope f * d + slope g * e).
Proof.
  intros S D. rewrite (steady_slope f S), Rmult_0_l, Rplus_0_l.
  apply (is_derive_ext (fun t => value2 p (at_point f t0) (at_point g t))); [intro t; now rewrite (stays f S t)|].
  evar_last; [apply (is_derive_comp (fun y => value2 p (at_point f t0) y) (at_point g)); [exact D | apply derived] | reflexivity].
Qed.

Lemma derived_one p f d : is_derive (value1 p) (at_point f t0) d ->
  is_derive (fun t => value1 p (at_point f t)) t0 (slope f * d).
Proof. intro D. evar_last; [apply (is_derive_comp (value1 p) (at_point f)); [exact D | apply derived] | reflexivity]. Qed.

Lemma derived_power p z f d : is_derive (fun x => value2 p x (IZR z)) (at_point f t0) d ->
  is_derive (fun t => value2 p (at_point f t) (IZR z)) t0 (slope f * d).
Proof.
  intro D. evar_last; [apply (is_derive_comp (fun x => value2 p x (IZR z)) (at_point f));
    [exact D | apply derived] | reflexivity].
Qed.

Lemma derived_order p z f d : is_derive (fun x => value2 p (IZR z) x) (at_point f t0) d ->
  is_derive (fun t => value2 p (IZR z) (at_point f t)) t0 (slope f * d).
Proof.
  intro D. evar_last; [apply (is_derive_comp (fun x => value2 p (IZR z) x) (at_point f));
    [exact D | apply derived] | reflexivity].
Qed.

(** A primitive of two arguments: both move, or one alone while the other is steady. *)
Lemma derived_alone p f g d : slopes_of_two (plain reals) p (at_point f t0) (at_point g t0)
    (value2 p (at_point f t0) (at_point g t0)) = Some d ->
  steady g = true /\ inside_by true p (at_point f t0) (at_point g t0) \/
  steady f = true /\ inside_by false p (at_point f t0) (at_point g t0) ->
  is_derive (fun t => value2 p (at_point f t) (at_point g t)) t0 (slope f * fst d + slope g * snd d).
Proof.
  intros E [[S I] | [S I]]; apply slopes_by_one in E as [P Q]; [apply derived_by_first | apply derived_by_second]; auto.
Qed.

Definition alone_dec p f g :
  {steady g = true /\ inside_by true p (at_point f t0) (at_point g t0) \/
   steady f = true /\ inside_by false p (at_point f t0) (at_point g t0)} +
  {~ (steady g = true /\ inside_by true p (at_point f t0) (at_point g t0) \/
   steady f = true /\ inside_by false p (at_point f t0) (at_point g t0))}.
Proof.
  destruct (bool_dec (steady g) true), (inside_by_dec true p (at_point f t0) (at_point g t0)), (bool_dec (steady f) true),
    (inside_by_dec false p (at_point f t0) (at_point g t0)); tauto.
Defined.

Definition strict_two p f g : option curve :=
  let result d H := {| at_point := fun t => value2 p (at_point f t) (at_point g t);
    slope := slope f * fst d + slope g * snd d; derived := H; steady := steady f && steady g;
    stays := steady_two (value2 p) f g |} in
  match slopes_two p (at_point f t0) (at_point g t0) with
  | Some (exist d H) =>
      Some (result d (proj2 H (at_point f) (at_point g) t0 (slope f) (slope g) eq_refl eq_refl (derived f) (derived g)))
  | None =>
    match slopes_of_two (plain reals) p (at_point f t0) (at_point g t0) (value2 p (at_point f t0) (at_point g t0)) as s
      return slopes_of_two (plain reals) p (at_point f t0) (at_point g t0) (value2 p (at_point f t0) (at_point g t0)) = s ->
        option curve with
    | Some d => fun E => match alone_dec p f g with
        | left alone => Some (result d (derived_alone p f g d E alone))
        | right _ => None
        end
    | None => fun _ => None
    end eq_refl
  end.

Lemma strict_two_right p f g h : strict_two p f g = Some h ->
  at_point h = (fun t => value2 p (at_point f t) (at_point g t)) /\
  exists d, slopes_of_two (plain reals) p (at_point f t0) (at_point g t0) (value2 p (at_point f t0) (at_point g t0)) = Some d /\
    slope h = slope f * fst d + slope g * snd d.
Proof.
  unfold strict_two. destruct (slopes_two p (at_point f t0) (at_point g t0)) as [[d [S H]]|].
  { intro E. injection E as <-. split; [reflexivity|]. eauto. }
  match goal with |- _ ?e = _ -> _ => generalize e end.
  generalize (slopes_of_two (plain reals) p (at_point f t0) (at_point g t0) (value2 p (at_point f t0) (at_point g t0))) at 2 3.
  intros [d|] E; [|discriminate]. destruct (alone_dec p f g); [|discriminate]. intro Q. injection Q as <-.
  split; [reflexivity | eauto].
Qed.

(** One argument moves and the other is steady: there is a result where the row promises the derivative. *)
Lemma strict_two_alone p f g d : slopes_of_two (plain reals) p (at_point f t0) (at_point g t0)
    (value2 p (at_point f t0) (at_point g t0)) = Some d ->
  steady g = true /\ inside_by true p (at_point f t0) (at_point g t0) \/
  steady f = true /\ inside_by false p (at_point f t0) (at_point g t0) -> exists h, strict_two p f g = Some h.
Proof.
  intros D I. unfold strict_two. destruct (slopes_two p (at_point f t0) (at_point g t0)) as [[? ?]|]; [eauto|].
  match goal with |- exists h, _ ?e = _ => generalize e end.
  generalize (slopes_of_two (plain reals) p (at_point f t0) (at_point g t0) (value2 p (at_point f t0) (at_point g t0))) at 2 3.
  intros [d'|] E; [|rewrite D in E; discriminate]. destruct (alone_dec p f g); [eauto | contradiction].
Qed.

Definition strict : numbers R curve := {|
  literal := held;
  of_constant := fun c => held (number_value c);
  of_int := fun z => held (IZR z);
  one := fun p f => match slope_one p (at_point f t0) with
    | Some (exist d H) => Some {| at_point := fun t => value1 p (at_point f t); slope := slope f * d;
        derived := derived_one p f d (proj2 H); steady := steady f; stays := steady_one (value1 p) f |}
    | None => None
    end;
  two := strict_two;
  power := fun p f z => match slope_power p (at_point f t0) z with
    | Some (exist d H) => Some {| at_point := fun t => value2 p (at_point f t) (IZR z); slope := slope f * d;
        derived := derived_power p z f d (proj2 H); steady := steady f;
        stays := steady_one (fun x => value2 p x (IZR z)) f |}
    | None => None
    end;
  order := fun p z f => match slope_order p z (at_point f t0) with
    | Some (exist d H) => Some {| at_point := fun t => value2 p (IZR z) (at_point f t); slope := slope f * d;
        derived := derived_order p z f d (proj2 H); steady := steady f;
        stays := steady_one (fun x => value2 p (IZR z) x) f |}
    | None => None
    end;
  decide := fun p f g =>
    if comparison p then if Req_EM_T (at_point f t0) (at_point g t0) then None
      else Some (compare reals p (at_point f t0) (at_point g t0))
    else None;
  stopped := fun _ => None |}.

(** A strict number is followed by its dual number, and by the number at a point. *)
Definition as_dual (_ : R) (f : curve) (x : R * R) : Prop := x = (at_point f t0, slope f).
Definition as_number (t : R) (f : curve) (x : R) : Prop := x = at_point f t.

Lemma continuous_at f : continuous (at_point f) t0.
Proof. apply (ex_derive_continuous (at_point f) t0). exists (slope f). apply derived. Qed.

Lemma compare_less p x y x' y' : comparison p = true -> x < y -> x' < y' -> compare reals p x y = compare reals p x' y'.
Proof.
  intros C L L'. destruct p; try discriminate C; unfold compare, reals; simpl; unfold truth.
  - destruct (Rlt_dec x y), (Rlt_dec x' y'); lra || reflexivity.
  - destruct (Rle_dec x y), (Rle_dec x' y'); lra || reflexivity.
  - destruct (Rgt_dec x y), (Rgt_dec x' y'); lra || reflexivity.
  - destruct (Rge_dec x y), (Rge_dec x' y'); lra || reflexivity.
  - destruct (Req_EM_T x y), (Req_EM_T x' y'); lra || reflexivity.
  - destruct (Req_EM_T x y), (Req_EM_T x' y'); lra || reflexivity.
Qed.

Lemma compare_more p x y x' y' : comparison p = true -> y < x -> y' < x' -> compare reals p x y = compare reals p x' y'.
Proof.
  intros C L L'. destruct p; try discriminate C; unfold compare, reals; simpl; unfold truth.
  - destruct (Rlt_dec x y), (Rlt_dec x' y'); lra || reflexivity.
  - destruct (Rle_dec x y), (Rle_dec x' y'); lra || reflexivity.
  - destruct (Rgt_dec x y), (Rgt_dec x' y'); lra || reflexivity.
  - destruct (Rge_dec x y), (Rge_dec x' y'); lra || reflexivity.
  - destruct (Req_EM_T x y), (Req_EM_T x' y'); lra || reflexivity.
  - destruct (Req_EM_T x y), (Req_EM_T x' y'); lra || reflexivity.
Qed.

Variable globals : list (expr R).

(** Which rules are trusted, and that they are derivatives: where the function has a curve as its result, the rule gives
    the value and the slope of that curve. *)
Variable trusted : nat -> bool -> value R curve -> value R curve -> value R curve -> bool.
Definition rules_right : Prop :=
  rules_follow (locally t0) globals strict trusted (fun _ => Above (ground (plain reals))) as_dual.
Variable trusted_right : rules_right.
Notation strictly := (Ground strict trusted).

Lemma dual_similar : similar strict (fun _ => dual (plain reals)) (locally t0) as_dual.
Proof.
  constructor; try reflexivity.
  - simpl. intros p x y E. apply filter_forall. intros t b ->.
    destruct (slope_one p (at_point x t0)) as [[d [S D]]|]; [|discriminate]. injection E as <-. simpl. rewrite S.
    eexists. split; reflexivity.
  - simpl. intros p x y z E. apply filter_forall. intros t b c -> ->.
    destruct (strict_two_right p x y z E) as (P & d & S & D). simpl. rewrite S. eexists. split; [reflexivity|].
    unfold as_dual. now rewrite P, D.
  - simpl. intros p x z y E. apply filter_forall. intros t b ->.
    destruct (slope_power p (at_point x t0) z) as [[d [S D]]|]; [|discriminate]. injection E as <-. simpl. rewrite S.
    eexists. split; reflexivity.
  - simpl. intros p z x y E. apply filter_forall. intros t b ->.
    destruct (slope_order p z (at_point x t0)) as [[d [S D]]|]; [|discriminate]. injection E as <-. simpl. rewrite S.
    eexists. split; reflexivity.
  - simpl. intros p x y r. destruct (comparison p); [|discriminate].
    destruct (Req_EM_T (at_point x t0) (at_point y t0)); [discriminate|].
    intro E. apply filter_forall. intros t b c -> ->. exact E.
  - discriminate.
Qed.

Theorem dual_follows n e env f : eval globals strictly n e env = Some (VReal f) ->
  forall env', Forall2 (related as_dual t0) env env' ->
  eval globals (Above (ground (plain reals))) n e env' = Some (VReal (at_point f t0, slope f)).
Proof.
  intros H env' M. assert (K := simulation (locally t0) globals n _ _ _ _ _
    (alike_rules _ _ _ _ _ trusted (fun _ => Above (ground (plain reals))) _ dual_similar trusted_right) e env _ H).
  destruct (locally_singleton _ _ K env' M) as (w & -> & W). inversion W as [? x X| | | | | | | | | |]; subst. now rewrite X.
Qed.

Lemma number_decide p x y r : decide strict p x y = Some r -> locally t0 (fun t => forall b c,
  as_number t x b -> as_number t y c -> decide (plain reals) p b c = Some r).
Proof.
  simpl. destruct (comparison p) eqn:C; [|discriminate].
  destruct (Req_EM_T (at_point x t0) (at_point y t0)) as [|N]; [discriminate|]. intro E. injection E as <-.
  destruct (Rlt_dec (at_point x t0) (at_point y t0)) as [L|L].
  - generalize (locally_less _ _ _ (continuous_at x) (continuous_at y) L). apply filter_imp.
    intros t S b c -> ->. f_equal. now apply compare_less.
  - assert (L' : at_point y t0 < at_point x t0) by lra.
    generalize (locally_less _ _ _ (continuous_at y) (continuous_at x) L'). apply filter_imp.
    intros t S b c -> ->. f_equal. now apply compare_more.
Qed.

Lemma number_similar : similar strict (fun _ => plain reals) (locally t0) as_number.
Proof.
  constructor; try reflexivity.
  - simpl. intros p x y E. apply filter_forall. intros t b ->.
    destruct (slope_one p (at_point x t0)) as [[d S]|]; [|discriminate]. injection E as <-. eexists. split; reflexivity.
  - simpl. intros p x y z E. apply filter_forall. intros t b c -> ->.
    destruct (strict_two_right p x y z E) as (P & _). eexists. split; [reflexivity|]. unfold as_number. now rewrite P.
  - simpl. intros p x z y E. apply filter_forall. intros t b ->.
    destruct (slope_power p (at_point x t0) z) as [[d S]|]; [|discriminate]. injection E as <-. eexists. split; reflexivity.
  - simpl. intros p z x y E. apply filter_forall. intros t b ->.
    destruct (slope_order p z (at_point x t0)) as [[d S]|]; [|discriminate]. injection E as <-. eexists. split; reflexivity.
  - exact number_decide.
  - discriminate.
Qed.

Theorem numbers_follow n e env f : eval globals strictly n e env = Some (VReal f) ->
  locally t0 (fun t => forall env', Forall2 (related as_number t) env env' ->
    eval globals (ground (plain reals)) n e env' = Some (VReal (at_point f t))).
Proof.
  intros H. assert (K := simulation (locally t0) globals n _ _ _ _ _
    (alike_ground _ _ _ _ _ trusted (fun _ => plain reals) _ number_similar) e env _ H). revert K.
  apply filter_imp. intros t S env' M. destruct (S env' M) as (w & -> & W).
  inversion W as [? x X| | | | | | | | | |]; subst. now rewrite X.
Qed.

Theorem reference_derivative n e env f : eval globals strictly n e env = Some (VReal f) ->
  (forall env', Forall2 (related as_dual t0) env env' ->
    eval globals (Above (ground (plain reals))) n e env' = Some (VReal (at_point f t0, slope f))) /\
  locally t0 (fun t => forall env', Forall2 (related as_number t) env env' ->
    eval globals (ground (plain reals)) n e env' = Some (VReal (at_point f t))) /\
  is_derive (at_point f) t0 (slope f).
Proof. intro H. split; [now apply dual_follows | split; [now apply numbers_follow | apply derived]]. Qed.
End Point.

(** ** A derivative inside a program *)
Section Inner.
Variable globals : list (expr R).
Variable trusted : nat -> bool -> value R (curve 0) -> value R (curve 0) -> value R (curve 0) -> bool.
Variable trusted_right : rules_right 0 globals trusted.
Notation strictly := (Ground (strict 0) trusted).
Notation plainly := (ground (plain reals)).

(** The numbers on a line through [x], and a value that stays as it is. *)
Lemma derived_line x dx : is_derive (fun t => x + t * dx) 0 dx.
Proof. auto_derive; [exact I | ring]. Qed.

Lemma no_stay (h : R -> R) : false = true -> forall t, h t = h 0.
Proof. discriminate. Qed.

Definition line (x dx : R) : curve 0 := {| at_point := fun t => x + t * dx; slope := dx; derived := derived_line x dx;
  steady := false; stays := no_stay (fun t => x + t * dx) |}.
Definition still : value R R -> value R (curve 0) := map_value (held 0).

Lemma still_as_dual t vs : Forall2 (related (as_dual 0) t) (map still vs) (map (lift (plain reals)) vs).
Proof. induction vs; constructor; [apply same_related; reflexivity | assumption]. Qed.

Lemma still_as_number t vs : Forall2 (related (as_number 0) t) (map still vs) vs.
Proof.
  induction vs; constructor; [|assumption]. rewrite <- (map_value_id a) at 2. apply same_related. reflexivity.
Qed.

Lemma eval_var L N (K : kind L N) gs n i env : eval gs K (Datatypes.S n) (EVar i) env = nth_error env i.
Proof. reflexivity. Qed.

Lemma eval_jvp L N (K : kind L N) gs n f x dx env : eval gs K (Datatypes.S n) (EJvp f x dx) env =
  do f <- eval gs K n f env; do x <- eval gs K n x env; do dx <- eval gs K n dx env;
  do r <- forward (numbers_of K) (fun f z => eval gs (Above K) n (EApp (EVar 0) (EVar 1)) [f; z]) f x dx; Some (VTuple [fst r; snd r]).
Proof. reflexivity. Qed.

Lemma eval_vjp L N (K : kind L N) gs n f x env : eval gs K (Datatypes.S n) (EVjp f x) env =
  do f <- eval gs K n f env; do x <- eval gs K n x env; do y <- eval gs K n (EApp (EVar 0) (EVar 1)) [f; x];
  do found <- leaves x;
  do columns <- all (fun i => do dx <- direction (numbers_of K) x (length found) i;
    do r <- forward (numbers_of K) (fun f z => eval gs (Above K) n (EApp (EVar 0) (EVar 1)) [f; z]) f x dx; Some (snd r))
    (seq 0 (length found));
  Some (VTuple [y; VPull x columns]).
Proof. reflexivity. Qed.

Lemma eval_second_of L N (K : kind L N) gs n e x y z env : eval gs K n e env = Some (VTuple [x; VPull y z]) ->
  forall b bar, eval gs K (Datatypes.S n) b env = Some bar ->
  eval gs K (Datatypes.S (Datatypes.S n)) (EApp (EProj e 1) b) env = pull (numbers_of K) y z bar.
Proof. intros E b bar B. cbn [eval] in *. rewrite E. cbn [nth_error]. now rewrite B. Qed.

(** The function [e] of one Real is a derivable curve on the line through [x] along [dx]. So [jvp] in the program gives
    its value and its derivative, *)
Theorem inner_derivative n e captured x dx f :
  eval globals strictly n e (VReal (line x dx) :: map still captured) = Some (VReal f) ->
  eval globals plainly (S (S n)) (EJvp (EVar 0) (EVar 1) (EVar 2)) [VFun e captured; VReal x; VReal dx] =
    Some (VTuple [VReal (at_point 0 f 0); VReal (slope 0 f)]) /\
  locally 0 (fun t => eval globals plainly n e (VReal (x + t * dx) :: captured) = Some (VReal (at_point 0 f t))) /\
  is_derive (at_point 0 f) 0 (slope 0 f).
Proof.
  intro H. destruct (reference_derivative 0 globals trusted trusted_right n e _ f H) as (D & N & E). split; [|split; [|exact E]].
  - destruct n as [|n]; [discriminate|].
    assert (K : eval globals (Above plainly) (S (S n)) (EApp (EVar 0) (EVar 1))
      [lift (plain reals) (VFun e captured); VReal (x, dx)] = Some (VReal (at_point 0 f 0, slope 0 f))).
    { apply (D (VReal (x, dx) :: map (lift (plain reals)) captured)). constructor; [|apply still_as_dual]. constructor.
      unfold as_dual. simpl. f_equal. ring. }
    rewrite eval_jvp, !eval_var. cbn [nth_error]. change (numbers_of plainly) with (plain reals). unfold forward. cbn [bundle]. now rewrite K.
  - revert N. apply filter_imp. intros t N. apply N. constructor; [now constructor | apply still_as_number].
Qed.

(** and the pullback of [vjp] its derivative times the cotangent. *)
Theorem inner_gradient n e captured x bar f :
  eval globals strictly n e (VReal (line x 1) :: map still captured) = Some (VReal f) ->
  eval globals plainly (S (S (S (S n)))) (EApp (EProj (EVjp (EVar 0) (EVar 1)) 1) (EVar 2))
    [VFun e captured; VReal x; VReal bar] = Some (VReal (slope 0 f * bar)).
Proof.
  intro H. destruct (reference_derivative 0 globals trusted trusted_right n e _ f H) as (D & N & _). destruct n as [|n]; [discriminate|].
  assert (K : eval globals (Above plainly) (S (S n)) (EApp (EVar 0) (EVar 1))
    [lift (plain reals) (VFun e captured); VReal (x, 1)] = Some (VReal (at_point 0 f 0, slope 0 f))).
  { apply (D (VReal (x, 1) :: map (lift (plain reals)) captured)). constructor; [|apply still_as_dual]. constructor.
    unfold as_dual. simpl. f_equal. ring. }
  assert (V : eval globals plainly (S (S n)) (EApp (EVar 0) (EVar 1)) [VFun e captured; VReal x] =
    Some (VReal (at_point 0 f 0))).
  { apply (locally_singleton _ _ N (VReal x :: captured)). constructor; [|apply still_as_number]. constructor.
    unfold as_number. simpl. ring. }
  rewrite (eval_second_of _ _ _ _ (S (S (S n))) _ (VReal (at_point 0 f 0)) (VReal x) [VReal (slope 0 f)]) with
    (bar := VReal bar); [unfold pull, product; simpl; do 2 f_equal; ring | | apply eval_var].
  rewrite eval_vjp, !eval_var. cbn [nth_error]. change (numbers_of plainly) with (plain reals). rewrite V. cbn [leaves length seq all direction fill map fst snd Nat.eqb].
  unfold direction. cbn [fill map fst snd Nat.eqb of_int plain integer reals]. unfold forward. cbn [bundle]. now rewrite K.
Qed.
End Inner.
End Correct.
