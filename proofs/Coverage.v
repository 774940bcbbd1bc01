(** * Where each form of the array IR is treated

    [Forms] has the forms of the compiler. Here each gets a word on what the proofs say of it, so that a new form cannot
    be forgotten: Coq refuses a [match] without it. A Rust test reads this file too (crates/proofs/tests/linear.rs): the
    linear statements that [jvp] makes of random programs have no form that is [ValuesOnly] or [Removed] here. *)
From Pullback Require Import Forms.

Inductive treatment :=
  | Operation     (* a linear operation: a constructor of [Transpose.operation] *)
  | Statement     (* a statement with blocks, a call or an effect: a constructor of [Transpose.block] *)
  | AsCopy        (* a linear operation that moves a value as it is: [Transpose.Copy] *)
  | AsPlace       (* a part of a value: a place of [Spaces.place] *)
  | ValuesOnly    (* it has no tangent: it stands among the values, and [Unzip.DValue] is any function of them *)
  | Removed.      (* no linear part has it: the passes before have taken it away *)

Definition treatment_of (f : form) : treatment := match f with
  | Copy | Sized | NewAcc | ReadAcc => AsCopy
  | Prim | Select | MulZero | Array | Index | Update | Slice | Concat | Flatten | Sum | Con | Zero | Plus
  | Undef => Operation
  | Call | If | Match | Loop | AddAcc | Custom => Statement
  | AtAcc | PartAcc | Unpack => AsPlace
  | Dim | CheckSize | CheckCount | Argsort | Shape | Tell | Fail | Stop => ValuesOnly
  | Jvp | Linearize | Apply | ToTangent | FromTangent => Removed
  end.
