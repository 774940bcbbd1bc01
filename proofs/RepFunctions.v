(** * Rep-functions with environment tangents

    Paper: Abadi, Wei, Plotkin, Vytiniotis, Belov, "The Differentiable Curry"; section 5 with figure 5,
    definitions 5.1 and 5.2.

    Modelled: a type together with the type of the tangents of each of its values ([U]). A rep-function hides the type
    of the tangents of what it has captured. The combinators curry, eval and composition are written with dependent
    types, so Coq's type checker checks them.

    Proved: [beta], that curry and then eval gives the value of the function and its cotangents. The printed form of
    curry in figure 5, with the unit type as what is hidden, does not type-check: Coq refuses [curry_as_printed]. *)
Set Implicit Arguments.

Definition U := {A : Type & A -> Set}.                               (* a type
  with the tangents of its values *)

Definition el (A : U) : Type := projT1 A.

Definition T (A : U) (x : el A) : Set := projT2 A x.

Definition rep (A B : U) : Type := {D : Set & forall x : el A, {y : el B & T B y
  -> (D * T A x)%type}}.   (* Definition 5.1 *)

Definition funU (A B : U) : U := existT (fun X => X -> Set) (rep A B) (fun v =>
    projT1 v).                (* Definition 5.2 *)

Definition prodU (A B : U) : U := existT (fun X => X -> Set) (el A * el B)%type (fun p =>
    (T A (fst p) * T B (snd p))%type).

Definition mk (A B : U) (D : Set) (f : forall x : el A, {y : el B & T B y -> (D * T A x)%type}) : rep A B :=
  existT _ D f.

Definition ans (A B : U) (D : Set) (x : el A) (y : el B) (pb : T B y -> (D * T A x)%type) : {y : el B & T B y
  -> (D * T A x)%type} := existT _ y pb.

Definition closure (S R Tt : U) (D : Set) (t : el Tt) (f : forall x : el (prodU Tt S), {y : el R & T R y
  -> (D * T (prodU Tt S) x)%type}) : rep S R :=
  mk S R (D := (D * T Tt t)%type) (fun s => let r := f (t, s) in ans S R s (projT1 r) (fun gr => let p :=
    projT2 r gr in ((fst p, fst (snd p)), snd (snd p)))).

Definition curry (Tt S R : U) (f : rep (prodU Tt S) R) : rep Tt (funU S R) := match f with existT _ D f =>
  mk Tt (funU S R) (D := D) (fun t => ans Tt (funU S R) t (@closure S R Tt D t f) (fun env => env)) end.

Fail Definition curry_as_printed (Tt S R : U) (f : rep (prodU Tt S) R) : rep Tt (funU S R) := match f
  with existT _ D f =>
  mk Tt (funU S R) (D := unit) (fun t => ans Tt (funU S R) t (@closure S R Tt D t f) (fun env => env)) end.

Definition eval (A B : U) : rep (prodU (funU A B) A) B :=
  mk (prodU (funU A B) A) B (D := unit) (fun fx => let r := projT2 (fst fx) (snd fx)
    in ans (prodU (funU A B) A) B fx (projT1 r) (fun g => (tt, projT2 r g))).

Definition comp (A B C : U) (f : rep A B) (g : rep B C) : rep A C :=
  mk A C (D := (projT1 f * projT1 g)%type) (fun a => let b := projT2 f a in let c := projT2 g (projT1 b) in
    ans A C a (projT1 c) (fun gc => let q := projT2 c gc in let p := projT2 b (snd q) in ((fst p, fst q),
      snd p))).

(* what f gives at (t, s), by curry and eval: the same value, the same cotangents, no tag and no cast *)
Theorem beta (Tt S R : U) (f : rep (prodU Tt S) R) (t : el Tt) (s : el S) :
  let g := projT2 (curry f) t in let y := projT2 (eval S R) (projT1 g, s) in let z := projT2 f (t, s) in
  exists e : projT1 y = projT1 z, forall gr, let q := projT2 y gr in let p :=
    projT2 z (eq_rect _ (T R) gr _ e) in
    snd (snd q) = snd (snd p) /\ snd (projT2 g (fst (snd q))) = fst (snd p).
Proof. destruct f as [D f]. exists eq_refl. intro gr. split; reflexivity. Qed.
