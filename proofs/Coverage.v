(** * Where each form of the array IR is treated

    [Forms] has the forms of the compiler. Here each gets a word on what the proofs say of it, so that a new form cannot
    be forgotten: Coq refuses a [match] without it. *)
From Pullback Require Import Forms.

Inductive treatment :=
  | Operation     (* a linear operation: a constructor of [Transpose.operation]; all but [Con] and [Zero] have a sample *)
  | Statement     (* a statement with blocks, a call or an effect: a constructor of [Transpose.block] *)
  | AsCopy        (* a linear operation that moves a value as it is: [Transpose.Copy] *)
  | AsPlace       (* a part of a value: a place of [Spaces.place] *)
  | ValuesOnly    (* it has no tangent: it stands among the values, and [Unzip.DValue] is any function of them *)
  | Removed       (* no linear part has it: the passes before have taken it away *)
  | LeftOut.      (* in linear parts, and not modelled *)

Definition treatment_of (f : form) : treatment := match f with
  | Copy | Sized | NewAcc | ReadAcc => AsCopy
  | Prim | Select | MulZero | Array | Index | Update | Slice | Concat | Flatten | Sum | Con | Zero | Plus => Operation
  | Call | If | Match | Loop | AddAcc => Statement
  | AtAcc | PartAcc | Unpack => AsPlace
  | Dim | CheckSize | CheckCount | Argsort | Shape | Tell | Fail | Stop => ValuesOnly
  | Jvp | Linearize | Apply | ToTangent | FromTangent => Removed
  | Undef | Custom => LeftOut
  end.
