(** * Rules that are derivatives

    About [ReferenceCorrect], whose theorem asks which rules of a program ([custom_vjp], [custom_jvp]) are derivatives.

    Proved: [no_rules], that nothing is asked of a program without rules; and, as an example of what has to be shown for
    one, [squares_right]: the rule of [square] is its derivative. [square_with_its_rule] runs the program step by step:
    the strict run has a curve as its result, and so the theorem gives the derivative. *)
From Coq Require Import Reals Arith List Bool Lia Lra.
From Coquelicot Require Import Coquelicot.
From Pullback Require Import Table Values Rows Reference Related Inside Simulation ReferenceCorrect.
Import ListNotations.
Open Scope R_scope.

Section Rules.
Variable lgamma : R -> R.
Variable polygamma : R -> R -> R.
Variable gamma : polygamma_derivatives lgamma polygamma.
Variable t0 : R.
Notation curve := (curve t0).
Notation rules_right := (rules_right lgamma polygamma gamma t0).
Notation strict := (strict lgamma polygamma gamma t0).

Theorem no_rules globals : rules_right globals (fun _ _ _ _ _ => false).
Proof. intros n backward f rule x y Q. discriminate. Qed.

(** ** An example
    [custom_jvp (\x -> x * x) (\x dx -> (x * x, (x + x) * dx))] *)
Definition square : expr R := EPrim Mul [EVar 0; EVar 0].
Definition square_rule : expr R :=
  ELam (ETuple [EPrim Mul [EVar 1; EVar 1]; EPrim Mul [EPrim Add [EVar 1; EVar 1]; EVar 0]]).

Definition is_var (i : nat) (e : expr R) : bool := match e with EVar j => Nat.eqb i j | _ => false end.
Definition is_two (p : prim) (a b : expr R -> bool) (e : expr R) : bool := match e, p with
  | EPrim Mul [x; y], Mul | EPrim Add [x; y], Add => a x && b y
  | _, _ => false
  end.

Lemma is_var_right i e : is_var i e = true -> e = EVar i.
Proof. destruct e; try discriminate. intro E. apply Nat.eqb_eq in E. now subst. Qed.

Lemma is_two_right p a b e : is_two p a b e = true -> exists x y, e = EPrim p [x; y] /\ a x = true /\ b y = true.
Proof.
  destruct e; try discriminate. destruct p0; try discriminate; destruct es as [|x [|y [|]]]; try discriminate;
    destruct p; try discriminate; intro E; apply andb_prop in E as [E1 E2]; eauto.
Qed.

(** The rule of [square] is trusted where evaluation may go deep enough for it. *)
Definition trusts_square (n : nat) (backward : bool) (f rule _ : value R curve) : bool := match f, rule with
  | VFun e [], VFun (ELam (ETuple [a; b])) [] => negb backward && Nat.leb 8 n && is_two Mul (is_var 0) (is_var 0) e
      && is_two Mul (is_var 1) (is_var 1) a && is_two Mul (is_two Add (is_var 1) (is_var 1)) (is_var 0) b
  | _, _ => false
  end.

Ltac vars := repeat match goal with H : is_var _ _ = true |- _ => apply is_var_right in H; subst end.

Lemma trusts_square_right n backward f rule x : trusts_square n backward f rule x = true ->
  backward = false /\ (8 <= n)%nat /\ f = VFun square [] /\ rule = VFun square_rule [].
Proof.
  destruct f; try discriminate. destruct env; try discriminate. destruct rule; try discriminate.
  destruct e0; try discriminate. destruct e0; try discriminate. destruct es as [|a [|b [|]]]; try discriminate.
  destruct env; try discriminate. cbn [trusts_square]. intro E. repeat (apply andb_prop in E as [E ?]).
  destruct backward; [discriminate|].
  repeat match goal with H : is_two _ _ _ _ = true |- _ => apply is_two_right in H as (? & ? & ? & ? & ?); subst end.
  vars. repeat split. now apply Nat.leb_le.
Qed.

Lemma strict_mul (c h : curve) : two strict Mul c c = Some h ->
  at_point t0 h = (fun t => at_point t0 c t * at_point t0 c t) /\
  slope t0 h = slope t0 c * at_point t0 c t0 + slope t0 c * at_point t0 c t0.
Proof.
  intro E. destruct (strict_two_right lgamma polygamma t0 Mul c c h E) as (P & d & S & D). split; [exact P|].
  cbn in S. injection S as <-. exact D.
Qed.

Theorem squares_right globals : rules_right globals trusts_square.
Proof.
  intros n backward f rule x y Q E. apply trusts_square_right in Q as (-> & N & -> & ->).
  destruct n as [|[|[|[|[|[|[|[|n]]]]]]]]; try lia. clear N. apply filter_forall. intros t f' rule' x' RF RR RX.
  inversion RF as [| | | | | | |? ? ws W| | |]; subst. inversion W; subst.
  inversion RR as [| | | | | | |? ? ws' W'| | |]; subst. inversion W'; subst.
  cbn [eval nth_error square all] in E. destruct x as [c| | | | | | | | | |]; try discriminate E.
  cbn [apply_prim comparison numbers_of] in E.
  destruct (two strict Mul c c) as [h|] eqn:M; [|discriminate E]. injection E as <-.
  apply strict_mul in M as [P D]. inversion RX as [? b B| | | | | | | | | |]; subst. red in B. subst b.
  eexists. split; [cbn; reflexivity|]. constructor. red. rewrite P, D. cbn. f_equal. ring.
Qed.

(** A strict run, step by step. The program is one application of [square] with its rule, to a curve. *)
Definition program : list (expr R) := [ELam square; ELam square_rule].
Definition main : expr R := ECustom false (EGlobal 0) (EGlobal 1) (EVar 0).

Lemma product_of_curves (c : curve) : exists h, two strict Mul c c = Some h.
Proof.
  cbn [two ReferenceCorrect.strict]. unfold strict_two.
  assert (S : exists d, slopes_two lgamma polygamma Mul (at_point t0 c t0) (at_point t0 c t0) = Some d)
    by (unfold slopes_two; cbn; eauto).
  destruct S as [[d H] ->]. eauto.
Qed.

Theorem square_with_its_rule (c : curve) : exists f,
  eval program (Ground strict trusts_square) 10 main [VReal c] = Some (VReal f) /\
  eval program (Above (ground (plain (reals lgamma polygamma)))) 10 main [VReal (at_point t0 c t0, slope t0 c)] =
    Some (VReal (at_point t0 c t0 * at_point t0 c t0, (slope t0 c + slope t0 c) * at_point t0 c t0)).
Proof.
  destruct (product_of_curves c) as [f M]. exists f.
  assert (E : eval program (Ground strict trusts_square) 10 main [VReal c] = Some (VReal f)).
  { cbn - [two ReferenceCorrect.strict]. now rewrite M. }
  split; [exact E|]. pose proof (strict_mul c f M) as [P D].
  destruct (reference_derivative lgamma polygamma gamma t0 program trusts_square (squares_right program) _ _ _ _ E) as (K & _).
  rewrite (K [VReal (at_point t0 c t0, slope t0 c)]); [rewrite P, D; do 2 f_equal; f_equal; ring|].
  repeat constructor.
Qed.
End Rules.
