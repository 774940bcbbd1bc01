(** * Reverse mode gives the derivative of an executed trace

    Code: crates/ad. Paper: Abadi and Plotkin, "A Simple Differentiable Programming Language", theorem 6.1, for trace
    terms without functions.

    Modelled: a trace, the primitives and moves of one run as straight code ([trace]). [jvp] puts a linear statement
    beside each statement: the product of a tangent and a partial derivative for a primitive, the same move of tangents
    for a move.

    Proved: [jvp_derivative], that the tangents are the derivative of the trace along each curve of its inputs; and
    [gradient], that jvp, unzip and transpose together give the cotangents whose product with each direction is the
    derivative of the result in that direction. The premise [smooth] is that each primitive has the partial
    derivatives that its row says at the numbers of this run, which [Rows] proves. *)
From Coq Require Import Reals Psatz Arith Lia Bool.
From Coquelicot Require Import Coquelicot.
From Pullback Require Import Ir Spaces Transpose Unzip.
Open Scope R_scope.

(** The derivative of a curve in a space, part by part. *)
Fixpoint derives (s : space) : (R -> el s) -> R -> el s -> Prop := match s with
  | Unit => fun _ _ _ => True
  | Scalar => fun x t dx => is_derive x t dx
  | Pair a b => fun x t dx => derives a (fun t => fst (x t)) t (fst dx) /\ derives b (fun t => snd (x t)) t (snd dx)
  | Array _ a => fun x t dx => forall i, derives a (fun t => x t i) t (dx i)
  end.

Lemma derives_zero s t : derives s (fun _ => zero s) t (zero s).
Proof.
  induction s; simpl; auto. apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule) 0 t).
Qed.

Lemma derives_constant s x t : derives s (fun _ => x) t (zero s).
Proof.
  induction s; simpl; auto. apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule) x t).
Qed.

Lemma derives_read s G (p : place s G) : forall x t dx, derives G x t dx -> derives s (fun t => read p (x t)) t (read p dx).
Proof.
  induction p; simpl; intros x t dx H.
  - exact H.
  - destruct H as [H _]. exact (IHp _ _ _ H).
  - destruct H as [_ H]. exact (IHp _ _ _ H).
  - exact (IHp _ _ _ (H i)).
  - apply (IHp (fun t k => x t (lo + k)%nat)). intro k. exact (H (lo + k)%nat).
Qed.

Lemma derives_value G s (x : operand G s) env t denv : derives G env t denv ->
  derives s (fun t => value x (env t)) t (value x denv).
Proof. intro H. destruct x; simpl; [now apply derives_read | apply derives_zero]. Qed.

Lemma derives_plus s : forall x y t dx dy, derives s x t dx -> derives s y t dy ->
  derives s (fun t => plus s (x t) (y t)) t (plus s dx dy).
Proof.
  induction s; simpl; intros x y t dx dy H K.
  - exact I.
  - now apply (is_derive_plus x y).
  - destruct H as [H H'], K as [K K']. split.
    + exact (IHs1 (fun t => fst (x t)) (fun t => fst (y t)) t _ _ H K).
    + exact (IHs2 (fun t => snd (x t)) (fun t => snd (y t)) t _ _ H' K').
  - intro i. exact (IHs (fun t => x t i) (fun t => y t i) t _ _ (H i) (K i)).
Qed.

Lemma derives_scaled k (x : R -> R) t dx : is_derive x t dx -> is_derive (fun t => x t * k) t (dx * k).
Proof.
  intro H. apply (is_derive_ext (fun t => k * x t)); [intro; apply Rmult_comm|].
  rewrite Rmult_comm. now apply (is_derive_scal x).
Qed.

Lemma derives_sum n : forall (x : R -> nat -> R) t dx, (forall i, is_derive (fun t => x t i) t (dx i)) ->
  is_derive (fun t => sum_below n (x t)) t (sum_below n dx).
Proof.
  induction n; simpl; intros x t dx H.
  - apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule) 0 t).
  - apply (is_derive_plus (fun t => sum_below n (x t)) (fun t => x t n)); auto.
Qed.

(** A linear operation on tangents is the derivative of the operation. *)
Lemma derives_apply G s (o : operation G s) env t denv : derives G env t denv ->
  derives s (fun t => apply o (env t)) t (apply o denv).
Proof.
  intro H. destruct o; simpl.
  - now apply derives_value.
  - apply derives_zero.
  - apply derives_zero.
  - apply (is_derive_opp (fun t => value x (env t))). exact (derives_value _ _ x _ _ _ H).
  - apply derives_scaled. exact (derives_value _ _ x _ _ _ H).
  - rewrite mul_zero_mul. apply (is_derive_ext (fun t => value x (env t) * p)); [intro; symmetry; apply mul_zero_mul|].
    apply derives_scaled. exact (derives_value _ _ x _ _ _ H).
  - rewrite mul_zero_mul. apply (is_derive_ext (fun t => p * value x (env t))); [intro; symmetry; apply mul_zero_mul|].
    apply (is_derive_scal (fun t => value x (env t))). exact (derives_value _ _ x _ _ _ H).
  - apply derives_plus; now apply derives_value.
  - destruct c; simpl; now apply derives_value.
  - intro i. now apply derives_value.
  - exact (derives_value _ _ a _ _ _ H i).
  - intro j. unfold update1. destruct (Nat.eqb j i); [now apply derives_value | exact (derives_value _ _ a _ _ _ H j)].
  - intro j. exact (derives_value _ _ a _ _ _ H (lo + j)%nat).
  - intro i. unfold concat. destruct (Nat.ltb i n);
      [exact (derives_value _ _ a _ _ _ H i) | exact (derives_value _ _ b _ _ _ H (i - n)%nat)].
  - intro i. exact (derives_value _ _ a _ _ _ H (i / m)%nat (i mod m)%nat).
  - apply derives_sum. exact (derives_value _ _ a _ _ _ H).
  - split; now apply derives_value.
Qed.

Lemma derives_values G s (r : results G s) env t denv : derives G env t denv ->
  derives s (fun t => values r (env t)) t (values r denv).
Proof.
  intro H. induction r; simpl; [exact I | now apply derives_value | split; assumption].
Qed.

Lemma derives_dot s : forall (u : el s) x t dx, derives s x t dx -> is_derive (fun t => dot s u (x t)) t (dot s u dx).
Proof.
  induction s; simpl; intros u x t dx H.
  - apply (is_derive_const (K := R_AbsRing) (V := R_NormedModule) 0 t).
  - now apply (is_derive_scal x).
  - destruct H as [H K]. apply (is_derive_plus (fun t => dot s1 (fst u) (fst (x t))) (fun t => dot s2 (snd u) (snd (x t)))).
    + now apply (IHs1 (fst u) (fun t => fst (x t))).
    + now apply (IHs2 (snd u) (fun t => snd (x t))).
  - apply (derives_sum n (fun t i => dot s (u i) (x t i))). intro i. now apply (IHs (u i) (fun t => x t i)).
Qed.

(** ** Traces
    - [TConst]: a number, or other data, that no input moves.
    - [TUnary], [TBinary]: a primitive with its partial derivatives.
    - [TMove]: an operation that is linear, such as a sum or reading an element. *)
Inductive trace : space -> space -> Type :=
  | TYield G D (r : results G D) : trace G D
  | TConst G s D (x : el s) (rest : trace (Pair s G) D) : trace G D
  | TUnary G D (f df : R -> R) (x : place Scalar G) (rest : trace (Pair Scalar G) D) : trace G D
  | TBinary G D (f dfx dfy : R -> R -> R) (x y : place Scalar G) (rest : trace (Pair Scalar G) D) : trace G D
  | TMove G s D (o : operation G s) (rest : trace (Pair s G) D) : trace G D.

Fixpoint run_trace {G D} (p : trace G D) : el G -> el D := match p with
  | TYield _ _ r => fun env => values r env
  | TConst _ _ _ x rest => fun env => run_trace rest (x, env)
  | TUnary _ _ f _ x rest => fun env => run_trace rest (f (read x env), env)
  | TBinary _ _ f _ _ x y rest => fun env => run_trace rest (f (read x env) (read y env), env)
  | TMove _ _ _ o rest => fun env => run_trace rest (apply o env, env)
  end.

(** A function has these partial derivatives at a point: the chain rule holds along curves through it. *)
Definition partials (f : R -> R -> R) (a b fx fy : R) : Prop := forall (u v : R -> R) t du dv, u t = a -> v t = b ->
  is_derive u t du -> is_derive v t dv -> is_derive (fun t => f (u t) (v t)) t (du * fx + dv * fy).

Fixpoint smooth {G D} (p : trace G D) : el G -> Prop := match p with
  | TYield _ _ _ => fun _ => True
  | TConst _ _ _ x rest => fun env => smooth rest (x, env)
  | TUnary _ _ f df x rest => fun env => is_derive f (read x env) (df (read x env)) /\ smooth rest (f (read x env), env)
  | TBinary _ _ f dfx dfy x y rest => fun env => let a := read x env in let b := read y env in
      partials f a b (dfx a b) (dfy a b) /\ smooth rest (f a b, env)
  | TMove _ _ _ o rest => fun env => smooth rest (apply o env, env)
  end.

(** The tangent of a primitive of two arguments: two products and their sum. *)
Definition jvp_binary {G} (f dfx dfy : R -> R -> R) (x y : place Scalar G) : dual (el G) G R Scalar :=
  DLinear _ _ _ _ _ (fun env => Mul G (Tangent x) (dfx (read x env) (read y env)))
  (DLinear _ _ _ _ _ (fun env => Mul _ (Tangent (Second y)) (dfy (read x env) (read y env)))
  (DLinear _ _ _ _ _ (fun _ => Plus _ Scalar (Tangent (Second (First Here))) (Tangent (First Here)))
  (DYield _ _ _ _ (fun env => f (read x env) (read y env)) (fun _ => Value _ _ (Tangent (First Here)))))).

(** A linear statement beside each statement; its factors are partial derivatives at the values. A branch that is always
    taken stands for the statements of a primitive of two arguments. *)
Fixpoint jvp {G D} (p : trace G D) : dual (el G) G (el D) D := match p with
  | TYield _ _ r => DYield _ _ _ _ (values r) (fun _ => r)
  | TConst G s _ x rest => DValue _ _ _ _ _ (fun _ => x) (DLinear _ _ _ _ _ (fun _ => Zero G s) (jvp rest))
  | TUnary G _ f df x rest =>
      DValue _ _ _ _ _ (fun env => f (read x env))
        (DLinear _ _ _ _ _ (fun v => Mul G (Tangent x) (df (read x (snd v)))) (jvp rest))
  | TBinary G _ f dfx dfy x y rest =>
      DIf _ _ _ _ _ _ (fun _ => true) (jvp_binary f dfx dfy x y) (jvp_binary f dfx dfy x y) (jvp rest)
  | TMove _ _ _ o rest => DValue _ _ _ _ _ (apply o) (DLinear _ _ _ _ _ (fun _ => o) (jvp rest))
  end.

Theorem jvp_value G D (p : trace G D) : forall env denv, fst (run_dual (jvp p) env denv) = run_trace p env.
Proof. induction p; simpl; intros; auto; apply (IHp (_, _)). Qed.

(** Forward mode is right along each curve of the inputs. *)
Theorem jvp_derivative G D (p : trace G D) : forall env t denv, smooth p (env t) -> derives G env t denv ->
  derives D (fun t => run_trace p (env t)) t (snd (run_dual (jvp p) (env t) denv)).
Proof.
  induction p; simpl; intros env t denv S H.
  - now apply derives_values.
  - apply (IHp (fun t => (x, env t))); [exact S|]. split; [exact (derives_constant s x t) | exact H].
  - destruct S as [P S]. apply (IHp (fun t => (f (read x (env t)), env t))); [exact S|]. split; [|exact H]. simpl.
    unfold mul. evar_last.
    + apply (is_derive_comp f (fun t => read x (env t))); [exact P | exact (derives_read _ _ x _ _ _ H)].
    + reflexivity.
  - destruct S as [P S]. apply (IHp (fun t => (f (read x (env t)) (read y (env t)), env t))); [exact S|].
    split; [|exact H]. simpl. unfold mul.
    apply (P (fun t => read x (env t)) (fun t => read y (env t))); try reflexivity.
    + exact (derives_read _ _ x _ _ _ H).
    + exact (derives_read _ _ y _ _ _ H).
  - apply (IHp (fun t => (apply o (env t), env t))); [exact S|]. split; [|exact H]. now apply derives_apply.
Qed.

(** Reverse mode is right: with the cotangent [u] of the results, the cotangents that the transpose of the linear part
    gives are the gradient of [u] times the results. *)
Theorem gradient G D (p : trace G D) (env : R -> el G) t denv (u : el D) : smooth p (env t) -> derives G env t denv ->
  let (value, linear) := unzip (jvp p) (env t) in
  value = run_trace p (env t) /\
  is_derive (fun t => dot D u (run_trace p (env t))) t (dot G (transpose_block linear u (zero G)) denv).
Proof.
  intros S H. pose proof (reverse_adjoint _ _ _ _ (jvp p) (env t) u denv) as A.
  destruct (unzip (jvp p) (env t)) as [value linear]. destruct A as [V A]. split.
  - now rewrite V, jvp_value.
  - rewrite A. apply derives_dot. now apply jvp_derivative.
Qed.

(** Sums, differences, products and quotients have their partial derivatives. *)
Example sum_partials a b : partials (fun x y => x + y) a b 1 1.
Proof.
  intros x y t dx dy _ _ Dx Dy. rewrite !Rmult_1_r. now apply (is_derive_plus x y).
Qed.

Example difference_partials a b : partials (fun x y => x - y) a b 1 (-1).
Proof.
  intros x y t dx dy _ _ Dx Dy. replace (dx * 1 + dy * -1) with (dx - dy) by ring. now apply (is_derive_minus x y).
Qed.

Example product_partials a b : partials (fun x y => x * y) a b b a.
Proof.
  intros x y t dx dy <- <- Dx Dy. evar_last.
  - apply (is_derive_mult x y t dx dy Dx Dy). intros; apply Rmult_comm.
  - unfold plus, Hierarchy.plus, mult; simpl. ring.
Qed.

Example quotient_partials a b : b <> 0 -> partials (fun x y => x / y) a b (1 / b) (- (a / b * (1 / b))).
Proof.
  intros N x y t dx dy <- <- Dx Dy. evar_last.
  - apply (is_derive_div x y t dx dy Dx Dy N).
  - field. exact N.
Qed.
