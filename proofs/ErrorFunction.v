(** * The error function and its derivative

    The error function is defined by its integral, as nothing in the library has it. [d_erf] is its derivative. *)
From Coq Require Import Reals ZArith.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition gs t := exp (- (t * t)).

Lemma gs_cont x : continuous gs x. Proof. apply (ex_derive_continuous gs). unfold gs. auto_derive; auto. Qed.

Definition erf x := 2 / sqrt PI * RInt gs 0 x.

Lemma d_erf x : is_derive erf x (2 / sqrt PI * gs x).
Proof. unfold erf. apply (is_derive_scal (fun x => RInt gs 0 x)).
  apply (is_derive_RInt gs (fun x => RInt gs 0 x) 0 x); [|apply gs_cont].
 apply filter_forall. intro y. apply (RInt_correct (V := R_CompleteNormedModule)).
   apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros; apply gs_cont. Qed.
