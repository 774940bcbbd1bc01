(** * No perturbation confusion

    Code: the engine [dual] of crates/engine, whose numbers have levels. Papers: Abadi and Plotkin, "A Simple Differentiable
    Programming Language", the two examples of section 3; Abadi and others, "The Differentiable Curry", section 7.

    Modelled: expressions with a derivative inside, which may be anywhere: also in a derivative, with variables from
    outside. [eval] has a level: at level [n] a number is [n] times dual. A derivative evaluates its body at the next level,
    where variables from outside have the tangent zero.

    Proved: [no_confusion], that this gives the derivatives of mathematics, however they are nested. [confused] is the
    evaluation with one level for all derivatives; it gives 2 for the first example of the paper, where 1 is right. *)
From Coq Require Import Reals Arith Psatz.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(** Variables count binders from the inside. [Diff e a] is the derivative of [e] by its variable 0, at [a]. *)
Inductive term :=
  | Var (i : nat)
  | Const (k : R)
  | Add (e f : term)
  | Mul (e f : term)
  | Sin (e : term)
  | Cos (e : term)
  | Let (e f : term)
  | Diff (e a : term).

(** An environment with one more variable. *)
Definition push {A} (x : A) (env : nat -> A) : nat -> A := fun i => match i with O => x | S i => env i end.

(** ** What terms mean *)
Fixpoint meaning (e : term) (env : nat -> R) : R := match e with
  | Var i => env i
  | Const k => k
  | Add e f => meaning e env + meaning f env
  | Mul e f => meaning e env * meaning f env
  | Sin e => sin (meaning e env)
  | Cos e => cos (meaning e env)
  | Let e f => meaning f (push (meaning e env) env)
  | Diff e a => Derive (fun x => meaning e (push x env)) (meaning a env)
  end.

(** ** Evaluation with levels *)
Fixpoint num (n : nat) : Type := match n with O => R | S n => (num n * num n)%type end.

Fixpoint constant (n : nat) (k : R) : num n := match n with O => k | S n => (constant n k, constant n 0) end.

Fixpoint add (n : nat) : num n -> num n -> num n := match n with
  | O => Rplus
  | S n => fun x y => (add n (fst x) (fst y), add n (snd x) (snd y))
  end.

Fixpoint mul (n : nat) : num n -> num n -> num n := match n with
  | O => Rmult
  | S n => fun x y => (mul n (fst x) (fst y), add n (mul n (snd x) (fst y)) (mul n (fst x) (snd y)))
  end.

(** Sine and cosine together, since each is the derivative of the other. *)
Fixpoint sine (n : nat) : num n -> num n * num n := match n with
  | O => fun x => (sin x, cos x)
  | S n => fun x => let (s, c) := sine n (fst x) in
      ((s, mul n c (snd x)), (c, mul n (mul n (constant n (-1)) s) (snd x)))
  end.

Definition lift (n : nat) (x : num n) : num (S n) := (x, constant n 0).

Fixpoint eval (n : nat) (e : term) (env : nat -> num n) : num n := match e with
  | Var i => env i
  | Const k => constant n k
  | Add e f => add n (eval n e env) (eval n f env)
  | Mul e f => mul n (eval n e env) (eval n f env)
  | Sin e => fst (sine n (eval n e env))
  | Cos e => snd (sine n (eval n e env))
  | Let e f => eval n f (push (eval n e env) env)
  | Diff e a => snd (eval (S n) e (push ((eval n a env, constant n 1) : num (S n)) (fun i => lift n (env i))))
  end.

(** ** Terms without binders, and their derivatives as terms *)
Inductive plain :=
  | PVar (i : nat)
  | PConst (k : R)
  | PAdd (p q : plain)
  | PMul (p q : plain)
  | PSin (p : plain)
  | PCos (p : plain).

Fixpoint plain_eval (n : nat) (p : plain) (env : nat -> num n) : num n := match p with
  | PVar i => env i
  | PConst k => constant n k
  | PAdd p q => add n (plain_eval n p env) (plain_eval n q env)
  | PMul p q => mul n (plain_eval n p env) (plain_eval n q env)
  | PSin p => fst (sine n (plain_eval n p env))
  | PCos p => snd (sine n (plain_eval n p env))
  end.

(** The derivative by variable 0. *)
Fixpoint derivative (p : plain) : plain := match p with
  | PVar O => PConst 1
  | PVar (S _) => PConst 0
  | PConst _ => PConst 0
  | PAdd p q => PAdd (derivative p) (derivative q)
  | PMul p q => PAdd (PMul (derivative p) q) (PMul p (derivative q))
  | PSin p => PMul (PCos p) (derivative p)
  | PCos p => PMul (PMul (PConst (-1)) (PSin p)) (derivative p)
  end.

Fixpoint subst (p : plain) (s : nat -> plain) : plain := match p with
  | PVar i => s i
  | PConst k => PConst k
  | PAdd p q => PAdd (subst p s) (subst q s)
  | PMul p q => PMul (subst p s) (subst q s)
  | PSin p => PSin (subst p s)
  | PCos p => PCos (subst p s)
  end.

(** Each term is the same as one without binders. *)
Fixpoint expand (e : term) : plain := match e with
  | Var i => PVar i
  | Const k => PConst k
  | Add e f => PAdd (expand e) (expand f)
  | Mul e f => PMul (expand e) (expand f)
  | Sin e => PSin (expand e)
  | Cos e => PCos (expand e)
  | Let e f => subst (expand f) (push (expand e) PVar)
  | Diff e a => subst (derivative (expand e)) (push (expand a) PVar)
  end.

Lemma plain_eval_ext n p : forall env env', (forall i, env i = env' i) -> plain_eval n p env = plain_eval n p env'.
Proof.
  induction p; simpl; intros env env' H; auto; try (now rewrite (IHp1 env env'), (IHp2 env env'));
    now rewrite (IHp env env').
Qed.

Lemma plain_eval_subst n p s env : plain_eval n (subst p s) env = plain_eval n p (fun i => plain_eval n (s i) env).
Proof. induction p; simpl; try congruence. Qed.

Lemma push_expanded n e env : forall i, plain_eval n (push e PVar i) env = push (plain_eval n e env) env i.
Proof. now destruct i. Qed.

(** At the next level, the second half is the derivative: no term knows what another level does. *)
Lemma next_level n p : forall x env,
  plain_eval (S n) p (push ((x, constant n 1) : num (S n)) (fun i => lift n (env i))) =
  (plain_eval n p (push x env), plain_eval n (derivative p) (push x env)).
Proof.
  induction p; intros x env; cbn [plain_eval derivative].
  - now destruct i.
  - reflexivity.
  - now rewrite IHp1, IHp2.
  - now rewrite IHp1, IHp2.
  - rewrite IHp. simpl. now destruct (sine n (plain_eval n p (push x env))).
  - rewrite IHp. simpl. now destruct (sine n (plain_eval n p (push x env))).
Qed.

Lemma eval_expand e : forall n env, eval n e env = plain_eval n (expand e) env.
Proof.
  induction e; intros n env; simpl; try congruence.
  - rewrite IHe2, plain_eval_subst. apply plain_eval_ext. intro i. rewrite push_expanded, IHe1. reflexivity.
  - rewrite IHe1, IHe2. rewrite next_level. simpl. rewrite plain_eval_subst. apply plain_eval_ext. intro i.
    now rewrite push_expanded.
Qed.

Lemma derivative_right p : forall x env,
  is_derive (fun x => plain_eval 0 p (push x env)) x (plain_eval 0 (derivative p) (push x env)).
Proof.
  induction p; intros x env; simpl.
  - destruct i; simpl; [apply @is_derive_id | apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule))].
  - apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule)).
  - now apply (is_derive_plus (fun x => plain_eval 0 p1 (push x env)) (fun x => plain_eval 0 p2 (push x env))).
  - apply (is_derive_mult (fun x => plain_eval 0 p1 (push x env)) (fun x => plain_eval 0 p2 (push x env))); auto.
    intros; apply Rmult_comm.
  - evar_last.
    + apply (is_derive_comp sin (fun x => plain_eval 0 p (push x env))); [|apply IHp].
      apply is_derive_Reals, derivable_pt_lim_sin.
    + unfold scal; simpl; unfold mult; simpl. apply Rmult_comm.
  - evar_last.
    + apply (is_derive_comp cos (fun x => plain_eval 0 p (push x env))); [|apply IHp].
      apply is_derive_Reals, derivable_pt_lim_cos.
    + unfold scal; simpl; unfold mult; simpl.
      rewrite Rmult_comm. f_equal. change (- sin (plain_eval 0 p (push x env)) = -1 * sin (plain_eval 0 p (push x env))). ring.
Qed.

Lemma meaning_expand e : forall env, meaning e env = plain_eval 0 (expand e) env.
Proof.
  induction e; intro env; simpl; try congruence.
  - rewrite IHe2, plain_eval_subst. apply (plain_eval_ext 0). intro i. rewrite push_expanded, IHe1. reflexivity.
  - rewrite IHe2. rewrite (Derive_ext _ (fun x => plain_eval 0 (expand e1) (push x env))) by (intro; apply IHe1).
    rewrite (is_derive_unique _ _ _ (derivative_right (expand e1) _ env)). rewrite plain_eval_subst.
    apply (plain_eval_ext 0). intro i. now rewrite push_expanded.
Qed.

(** Levels give what terms mean, whatever is nested in what. *)
Theorem no_confusion e env : eval 0 e env = meaning e env.
Proof. now rewrite eval_expand, meaning_expand. Qed.

(** ** One level for all derivatives *)
Fixpoint confused (e : term) (env : nat -> R * R) : R * R := match e with
  | Var i => env i
  | Const k => (k, 0)
  | Add e f => add 1 (confused e env) (confused f env)
  | Mul e f => mul 1 (confused e env) (confused f env)
  | Sin e => fst (sine 1 (confused e env))
  | Cos e => snd (sine 1 (confused e env))
  | Let e f => confused f (push (confused e env) env)
  | Diff e a => (snd (confused e (push (fst (confused a env), 1) env)), 0)
  end.

(** The derivative at 1 of [x * d], where [d] is the derivative of [x + y] by [y] at 1. *)
Definition example := Diff (Mul (Var 0) (Diff (Add (Var 1) (Var 0)) (Const 1))) (Const 1).

Theorem levels_give_one env : eval 0 example env = 1.
Proof. simpl. ring. Qed.

Theorem confusion_gives_two env : fst (confused example env) = 2.
Proof. simpl. ring. Qed.
