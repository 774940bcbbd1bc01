(** * Functions whose tangents are lists of calls

    Paper: Abadi, Wei, Plotkin, Vytiniotis, Belov, "The Differentiable Curry"; sections 3 and 4 with figures 2, 3, 4 and 6.

    Modelled: types with their values and their tangents, each with an equivalence ([ty]). The tangent of a function is a
    list of calls: the argument, and the cotangent of the result. Lists are the same up to their order; a call with the
    cotangent zero is none, and two calls with one argument are one with the sum ([calls]). Rep-functions are functions with
    additive pullbacks ([rep]). [curry] and [eval] are those of figure 3.

    Proved: the laws of cartesian closed categories, up to the equivalence, and the three equivalences of figure 4. *)
From Coq Require Import Reals List Psatz.
Import ListNotations.
Open Scope R_scope.

Record ty := {
  el : Type;
  same : el -> el -> Prop;
  same_refl : forall x, same x x;
  same_sym : forall x y, same x y -> same y x;
  same_trans : forall x y z, same x y -> same y z -> same x z;
  tan : Type;
  zero : tan;
  plus : tan -> tan -> tan;
  eqv : tan -> tan -> Prop;
  eqv_refl : forall g, eqv g g;
  eqv_sym : forall g h, eqv g h -> eqv h g;
  eqv_trans : forall g h k, eqv g h -> eqv h k -> eqv g k;
  plus_eqv : forall g g' h h', eqv g g' -> eqv h h' -> eqv (plus g h) (plus g' h');
  plus_zero : forall g, eqv (plus g zero) g;
  plus_comm : forall g h, eqv (plus g h) (plus h g);
  plus_assoc : forall g h k, eqv (plus g (plus h k)) (plus (plus g h) k) }.

Local Hint Resolve same_refl same_sym eqv_refl eqv_sym plus_eqv plus_zero plus_comm plus_assoc : laws.
Arguments same {t}. Arguments plus {t}. Arguments zero {t}. Arguments eqv {t}.

Lemma zero_plus (a : ty) (g : tan a) : eqv (plus zero g) g.
Proof. eapply eqv_trans; [apply plus_comm | apply plus_zero]. Qed.

(** Four parts in another order. *)
Lemma exchange (a : ty) (g h k l : tan a) : eqv (plus (plus g h) (plus k l)) (plus (plus g k) (plus h l)).
Proof.
  eapply eqv_trans; [apply eqv_sym, plus_assoc|]. eapply eqv_trans; [|apply plus_assoc].
  apply plus_eqv; [apply eqv_refl|]. eapply eqv_trans; [apply plus_assoc|].
  eapply eqv_trans; [|apply eqv_sym, plus_assoc]. apply plus_eqv; [apply plus_comm | apply eqv_refl].
Qed.

(** ** Numbers and pairs *)
Definition real : ty.
Proof.
  refine {| el := R; same := eq; tan := R; zero := 0; plus := Rplus; eqv := eq |}; intros; subst; auto; ring.
Defined.

Definition pair (a b : ty) : ty.
Proof.
  refine {| el := el a * el b; same := fun x y => same (fst x) (fst y) /\ same (snd x) (snd y);
    tan := tan a * tan b; zero := (zero, zero); plus := fun g h => (plus (fst g) (fst h), plus (snd g) (snd h));
    eqv := fun g h => eqv (fst g) (fst h) /\ eqv (snd g) (snd h) |}; simpl; intros;
  repeat match goal with H : _ /\ _ |- _ => destruct H end; split; eauto using same_trans, eqv_trans with laws.
Defined.

(** ** Functions *)
Section Function.
Variables a b : ty.

(** A function with its pullback at each argument. Both respect equivalence, and the pullback is additive. *)
Record rep := {
  run : el a -> el b;
  pull : el a -> tan b -> tan a;
  run_same : forall x y, same x y -> same (run x) (run y);
  pull_eqv : forall x y g h, same x y -> eqv g h -> eqv (pull x g) (pull y h);
  pull_zero : forall x, eqv (pull x zero) zero;
  pull_plus : forall x g h, eqv (pull x (plus g h)) (plus (pull x g) (pull x h)) }.

Definition same_rep (f f' : rep) : Prop := forall x, same (run f x) (run f' x) /\ forall g, eqv (pull f x g) (pull f' x g).

Inductive calls : list (el a * tan b) -> list (el a * tan b) -> Prop :=
  | calls_refl l : calls l l
  | calls_sym l m : calls l m -> calls m l
  | calls_trans l m n : calls l m -> calls m n -> calls l n
  | calls_app l l' m m' : calls l l' -> calls m m' -> calls (l ++ m) (l' ++ m')
  | calls_swap l m : calls (l ++ m) (m ++ l)
  | calls_none x : calls [(x, zero)] []
  | calls_merge x g h : calls [(x, g); (x, h)] [(x, plus g h)]
  | calls_same x y g h : same x y -> eqv g h -> calls [(x, g)] [(y, h)].

Definition function : ty.
Proof.
  refine {| el := rep; same := same_rep; tan := list (el a * tan b); zero := []; plus := fun l m => l ++ m; eqv := calls |}.
  - intros f x. split; auto with laws.
  - intros f f' H x. destruct (H x). split; auto with laws.
  - intros f f' f'' H K x. destruct (H x), (K x). split; eauto using same_trans, eqv_trans.
  - apply calls_refl.
  - apply calls_sym.
  - apply calls_trans.
  - intros. now apply calls_app.
  - intro. rewrite app_nil_r. apply calls_refl.
  - apply calls_swap.
  - intros. rewrite app_assoc. apply calls_refl.
Defined.
End Function.
Arguments run {a b}. Arguments pull {a b}. Arguments run_same {a b}. Arguments pull_eqv {a b}. Arguments pull_zero {a b}.
Arguments pull_plus {a b}. Arguments same_rep {a b}.

Infix "~" := same_rep (at level 70).

(** ** Combinators: figures 2 and 3 *)
Definition id a : rep a a.
Proof. refine {| run := fun x => x; pull := fun _ g => g |}; auto with laws. Defined.

(** First [f], then [g]. *)
Definition comp {a b c} (f : rep a b) (g : rep b c) : rep a c.
Proof.
  refine {| run := fun x => run g (run f x); pull := fun x k => pull f x (pull g (run f x) k) |}; intros.
  - now apply run_same, run_same.
  - apply pull_eqv; [assumption|]. apply pull_eqv; [now apply run_same | assumption].
  - eapply eqv_trans; [apply pull_eqv; [apply same_refl | apply pull_zero] | apply pull_zero].
  - eapply eqv_trans; [apply pull_eqv; [apply same_refl | apply pull_plus] | apply pull_plus].
Defined.

Definition first a b : rep (pair a b) a.
Proof.
  refine {| run := fun p : el (pair a b) => fst p; pull := fun _ g => (g, zero) : tan (pair a b) |}; simpl; intros; try tauto;
    split; auto with laws; apply eqv_sym, plus_zero.
Defined.

Definition second a b : rep (pair a b) b.
Proof.
  refine {| run := fun p : el (pair a b) => snd p; pull := fun _ g => (zero, g) : tan (pair a b) |}; simpl; intros; try tauto;
    split; auto with laws; apply eqv_sym, plus_zero.
Defined.

Definition fork {a b c} (f : rep a b) (g : rep a c) : rep a (pair b c).
Proof.
  refine {| run := fun x => (run f x, run g x) : el (pair b c);
    pull := fun x gs => plus (pull f x (fst gs)) (pull g x (snd gs)) |}; simpl; intros.
  - split; now apply run_same.
  - destruct H0. apply plus_eqv; now apply pull_eqv.
  - eapply eqv_trans; [apply plus_eqv; apply pull_zero | apply plus_zero].
  - eapply eqv_trans; [apply plus_eqv; apply pull_plus | apply exchange].
Defined.

(** The function of the second argument, at a first one. *)
Definition partial {a b c} (f : rep (pair a b) c) (t : el a) : rep b c.
Proof.
  refine {| run := fun s => run f (t, s); pull := fun s g => snd (pull f (t, s) g) |}; intros.
  - apply run_same. split; [apply same_refl | assumption].
  - apply (pull_eqv f (t, x) (t, y)); [split; [apply same_refl | assumption] | assumption].
  - apply (pull_zero f (t, x)).
  - apply (pull_plus f (t, x)).
Defined.

(** The sum over all calls, each differentiated again. *)
Fixpoint all_calls {a b c} (f : rep (pair a b) c) (t : el a) (l : list (el b * tan c)) : tan a := match l with
  | [] => zero
  | (s, g) :: l => plus (fst (pull f (t, s) g)) (all_calls f t l)
  end.

Lemma all_calls_app a b c (f : rep (pair a b) c) t l m :
  eqv (all_calls f t (l ++ m)) (plus (all_calls f t l) (all_calls f t m)).
Proof.
  induction l as [|[s g] l IH]; simpl; [apply eqv_sym, zero_plus|].
  eapply eqv_trans; [|apply plus_assoc]. apply plus_eqv; [apply eqv_refl | exact IH].
Qed.

Lemma all_calls_eqv a b c (f : rep (pair a b) c) t l m : calls b c l m -> eqv (all_calls f t l) (all_calls f t m).
Proof.
  induction 1; simpl.
  - apply eqv_refl.
  - now apply eqv_sym.
  - eapply eqv_trans; eassumption.
  - eapply eqv_trans; [apply all_calls_app|]. eapply eqv_trans; [|apply eqv_sym, all_calls_app]. now apply plus_eqv.
  - eapply eqv_trans; [apply all_calls_app|]. eapply eqv_trans; [|apply eqv_sym, all_calls_app]. apply plus_comm.
  - eapply eqv_trans; [apply plus_zero|]. apply (pull_zero f (t, x)).
  - eapply eqv_trans; [apply plus_assoc|]. apply plus_eqv; [|apply eqv_refl]. apply eqv_sym, (pull_plus f (t, x)).
  - apply plus_eqv; [|apply eqv_refl]. apply (pull_eqv f (t, x) (t, y)); [split; [apply same_refl | assumption] | assumption].
Qed.

Lemma all_calls_same a b c (f : rep (pair a b) c) t u l : same t u -> eqv (all_calls f t l) (all_calls f u l).
Proof.
  intro H. induction l as [|[s g] l IH]; simpl; [apply eqv_refl|]. apply plus_eqv; [|exact IH].
  apply (pull_eqv f (t, s) (u, s)); [split; [assumption | apply same_refl] | apply eqv_refl].
Qed.

Definition curry {a b c} (f : rep (pair a b) c) : rep a (function b c).
Proof.
  refine {| run := fun t => partial f t : el (function b c); pull := fun t l => all_calls f t l |}.
  - intros t u H s. split; simpl.
    + apply run_same. split; [assumption | apply same_refl].
    + intro g. apply (pull_eqv f (t, s) (u, s)); [split; [assumption | apply same_refl] | apply eqv_refl].
  - intros t u l m H K. eapply eqv_trans; [apply all_calls_same; eassumption | now apply all_calls_eqv].
  - intro t. apply eqv_refl.
  - intros t l m. apply all_calls_app.
Defined.

Definition eval a b : rep (pair (function a b) a) b.
Proof.
  refine {| run := fun p : el (pair (function a b) a) => run (fst p : rep a b) (snd p);
    pull := fun p g => ([(snd p, g)], pull (fst p : rep a b) (snd p) g) : tan (pair (function a b) a) |}.
  - intros [f x] [f' x'] [F X]. simpl in *. eapply same_trans; [apply F | now apply run_same].
  - intros [f x] [f' x'] g h [F X] G. simpl in *. split; [now apply calls_same|].
    eapply eqv_trans; [apply F | now apply pull_eqv].
  - intros [f x]. simpl. split; [apply calls_none | apply pull_zero].
  - intros [f x] g h. simpl. split; [apply calls_sym, calls_merge | apply pull_plus].
Defined.

(** ** Laws *)
Theorem identities a b (f : rep a b) : comp (id a) f ~ f /\ comp f (id b) ~ f.
Proof. split; intro x; split; simpl; auto with laws. Qed.

Theorem associativity a b c d (f : rep a b) (g : rep b c) (h : rep c d) : comp (comp f g) h ~ comp f (comp g h).
Proof. intro x. split; simpl; auto with laws. Qed.

Theorem projections a b c (f : rep a b) (g : rep a c) :
  comp (fork f g) (first b c) ~ f /\ comp (fork f g) (second b c) ~ g.
Proof.
  split; intro x; (split; simpl; [apply same_refl|]); intro k.
  - eapply eqv_trans; [apply plus_eqv; [apply eqv_refl | apply pull_zero] | apply plus_zero].
  - eapply eqv_trans; [apply plus_eqv; [apply pull_zero | apply eqv_refl] | apply zero_plus].
Qed.

Theorem pairs_unique a b c (h : rep a (pair b c)) : fork (comp h (first b c)) (comp h (second b c)) ~ h.
Proof.
  intro x. split; simpl; [split; apply same_refl|]. intros [k l]. simpl.
  eapply eqv_trans; [apply eqv_sym, (pull_plus h)|]. apply (pull_eqv h); [apply same_refl|].
  split; simpl; [apply plus_zero | apply zero_plus].
Qed.

Theorem fork_after a b c d (h : rep a b) (f : rep b c) (g : rep b d) : comp h (fork f g) ~ fork (comp h f) (comp h g).
Proof. intro x. split; simpl; [split; apply same_refl|]. intro k. apply pull_plus. Qed.

(** Curry and then eval is the function. *)
Theorem beta a b c (f : rep (pair a b) c) : comp (fork (comp (first a b) (curry f)) (second a b)) (eval b c) ~ f.
Proof.
  intros [t s]. split; simpl; [apply same_refl|]. intro g. split; simpl.
  - eapply eqv_trans; [apply plus_zero | apply plus_zero].
  - apply zero_plus.
Qed.

Lemma all_calls_of_eval a b c (f : rep a (function b c)) t l :
  eqv (all_calls (comp (fork (comp (first a b) f) (second a b)) (eval b c)) t l) (pull f t l).
Proof.
  induction l as [|[s g] l IH]; [apply eqv_sym, (pull_zero f t)|]. cbn [all_calls].
  eapply eqv_trans; [apply plus_eqv; [apply plus_zero | exact IH]|]. apply eqv_sym, (pull_plus f t [(s, g)] l).
Qed.

(** Eval and then curry is the function. *)
Theorem eta a b c (f : rep a (function b c)) : curry (comp (fork (comp (first a b) f) (second a b)) (eval b c)) ~ f.
Proof.
  intro t. split.
  - intro s. split; simpl; [apply same_refl|]. intro g. apply zero_plus.
  - intro l. apply all_calls_of_eval.
Qed.

(** The combinators respect the equivalence, so that laws hold inside programs. *)
Theorem comp_respects a b c (f f' : rep a b) (g g' : rep b c) : f ~ f' -> g ~ g' -> comp f g ~ comp f' g'.
Proof.
  intros F G x. destruct (F x) as [Y P]. split; simpl.
  - eapply same_trans; [apply run_same; exact Y | apply G].
  - intro k. eapply eqv_trans; [apply P|]. apply pull_eqv; [apply same_refl|].
    eapply eqv_trans; [apply pull_eqv; [exact Y | apply eqv_refl] | apply G].
Qed.

Theorem fork_respects a b c (f f' : rep a b) (g g' : rep a c) : f ~ f' -> g ~ g' -> fork f g ~ fork f' g'.
Proof.
  intros F G x. destruct (F x) as [Y P], (G x) as [Z Q]. split; simpl; [now split|]. intro k. apply plus_eqv; auto.
Qed.

Theorem curry_respects a b c (f f' : rep (pair a b) c) : f ~ f' -> curry f ~ curry f'.
Proof.
  intros F t. split.
  - intro s. destruct (F (t, s)) as [Y P]. split; simpl; [exact Y | intro g; apply (P g)].
  - intro l. simpl. induction l as [|[s g] l IH]; simpl; [apply eqv_refl|]. apply plus_eqv; [|exact IH].
    apply (proj2 (F (t, s)) g).
Qed.

(** ** Figure 4 *)
Definition apply {a b c} (f : rep a (function b c)) (x : rep a b) : rep a c := comp (fork f x) (eval b c).

(** Partial application: to bind [f a] and to apply it later is to apply [f] to both. *)
Theorem partial_application a b c d (f : rep (pair a b) c) (x : rep d a) (y : rep d b) :
  apply (comp x (curry f)) y ~ comp (fork x y) f.
Proof.
  intro z. split; simpl; [apply same_refl|]. intro g.
  apply plus_eqv; [|apply eqv_refl]. apply pull_eqv; [apply same_refl | apply plus_zero].
Qed.

(** Forgetting results: a call whose result is not used leaves no trace. *)
Theorem forgetting a b c d (f : rep d (function a b)) (g : rep d (function a c)) (x : rep d a) :
  comp (fork (apply f x) (apply g x)) (first b c) ~ apply f x.
Proof. apply projections. Qed.

(** Summing results: two calls are one call whose result is used twice. *)
Theorem summing a b d e (f : rep d (function a b)) (x : rep d a) (add : rep (pair b b) e) :
  comp (fork (apply f x) (apply f x)) add ~ comp (comp (apply f x) (fork (id b) (id b))) add.
Proof.
  intro z. split; simpl; [apply same_refl|]. intro k. apply eqv_sym. exact (pull_plus (apply f x) z _ _).
Qed.
