(** Writes [Reference] as OCaml: [make reference] does it. Integers and natural numbers become those of OCaml. *)
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt ExtrOcamlZInt.
From Pullback Require Import Table Reference.
Extraction Language OCaml.
Set Extraction Output Directory ".".
Definition above {L N} (K : kind L N) : kind L (N * N) := Above K.
Extraction "reference.ml" eval plain ground above leaves.
