(** * A reference implementation of the core language

    Code: crates/lambda has the core language; crates/eval and crates/engine evaluate and differentiate it.

    [eval] evaluates a program, whatever numbers are: [numbers] says what is done with them. With [plain] numbers it is
    ordinary evaluation. With [dual] numbers, which carry a tangent, it is differentiation by forward mode, with the
    partial derivatives of [Table]. [ReferenceCorrect] proves that it gives the derivative.
    [cargo xtask reference] compares the compiler with the program that Coq extracts from this file.

    Left out are nested derivatives, strings, and errors: a program that fails has the result [None]. [n] is how
    deep evaluation may go. *)
From Coq Require Import ZArith List Bool.
From Pullback Require Import Table.
Import ListNotations.

(** ** Terms
    Variables count binders from the inside. Functions have one parameter; [LetRec] binds functions that call each
    other. An arm has a tag and how many fields it binds. *)
Inductive expr (L : Type) :=
  | EVar (i : nat)
  | EGlobal (i : nat)
  | EReal (l : L)
  | EInt (z : Z)
  | EBool (b : bool)
  | EPrim (p : prim) (es : list (expr L))
  | ELam (e : expr L)
  | EApp (f e : expr L)
  | ELet (e f : expr L)
  | ELetRec (es : list (expr L)) (f : expr L)
  | EIf (c e f : expr L)
  | ETuple (es : list (expr L))
  | EProj (e : expr L) (i : nat)
  | ECon (tag : nat) (es : list (expr L))
  | EMatch (e : expr L) (arms : list (nat * (nat * expr L))) (default : option (expr L))
  | EArray (es : list (expr L))
  | EBuild (size e : expr L)
  | EFor (init count e : expr L)
  | EWhile (init condition e : expr L).
Arguments EVar {L}. Arguments EGlobal {L}. Arguments EReal {L}. Arguments EInt {L}. Arguments EBool {L}.
Arguments EPrim {L}. Arguments ELam {L}. Arguments EApp {L}. Arguments ELet {L}. Arguments ELetRec {L}.
Arguments EIf {L}. Arguments ETuple {L}. Arguments EProj {L}. Arguments ECon {L}. Arguments EMatch {L}.
Arguments EArray {L}. Arguments EBuild {L}. Arguments EFor {L}. Arguments EWhile {L}.

(** What is done with numbers: literals, integers as numbers, primitives, integer powers, comparisons. *)
Record numbers (L N : Type) := {
  literal : L -> N;
  of_int : Z -> N;
  one : prim -> N -> option N;
  two : prim -> N -> N -> option N;
  power : N -> Z -> option N;
  decide : prim -> N -> N -> option bool }.
Arguments literal {L N}. Arguments of_int {L N}. Arguments one {L N}. Arguments two {L N}. Arguments power {L N}.
Arguments decide {L N}.

(** Values; a function is its body and what it captured. *)
Inductive value (L N : Type) :=
  | VReal (x : N)
  | VInt (z : Z)
  | VBool (b : bool)
  | VTuple (vs : list (value L N))
  | VCon (tag : nat) (vs : list (value L N))
  | VArray (vs : list (value L N))
  | VFun (e : expr L) (env : list (value L N))
  | VRec (es : list (expr L)) (i : nat) (env : list (value L N)).
Arguments VReal {L N}. Arguments VInt {L N}. Arguments VBool {L N}. Arguments VTuple {L N}. Arguments VCon {L N}.
Arguments VArray {L N}. Arguments VFun {L N}. Arguments VRec {L N}.

Notation "'do' x <- e ; f" := (match e with Some x => f | None => None end)
  (at level 200, x name, e at level 100, f at level 200).

Fixpoint all {A B} (f : A -> option B) (xs : list A) : option (list B) := match xs with
  | [] => Some []
  | x :: xs => do y <- f x; do ys <- all f xs; Some (y :: ys)
  end.

(** Goes through a list with a state. *)
Fixpoint steps {A S} (f : A -> S -> option S) (xs : list A) (s : S) : option S := match xs with
  | [] => Some s
  | x :: xs => do s <- f x s; steps f xs s
  end.

(** Goes on while a condition holds, at most [n] times. *)
Fixpoint while {S} (n : nat) (condition : S -> option bool) (step : S -> option S) (s : S) : option S := match n with
  | O => None
  | S n => do go <- condition s; if go : bool then do s <- step s; while n condition step s else Some s
  end.

Definition below (z : Z) : list Z := map Z.of_nat (seq 0 (Z.to_nat z)).

Fixpoint arm {L} (tag : nat) (arms : list (nat * (nat * expr L))) : option (nat * expr L) := match arms with
  | [] => None
  | (t, found) :: arms => if Nat.eqb t tag then Some found else arm tag arms
  end.

Section Values.
Context {L N : Type} (S : numbers L N).
Notation value := (value L N).


(** The functions of a [LetRec], the last one first as they are bound. *)
Definition functions (es : list (expr L)) (env : list value) : list value :=
  rev (map (fun i => VRec es i env) (seq 0 (length es))).

(** ** Primitives *)
Definition comparison (p : prim) : bool := match p with Lt | Le | Gt | Ge | Eq | Ne => true | _ => false end.

Definition int_one (p : prim) (z : Z) : option value := match p with
  | IntNeg => Some (VInt (- z))
  | IntAbs => Some (VInt (Z.abs z))
  | IntSignum => Some (VInt (Z.sgn z))
  | ToReal => Some (VReal (of_int S z))
  | _ => None
  end.

Definition int_two (p : prim) (y z : Z) : option value := match p with
  | IntAdd => Some (VInt (y + z))
  | IntSub => Some (VInt (y - z))
  | IntMul => Some (VInt (y * z))
  | IntDiv => if Z.eqb z 0 then None else Some (VInt (y / z))
  | IntRem => if Z.eqb z 0 then None else Some (VInt (y mod z))
  | IntMax => Some (VInt (Z.max y z))
  | IntMin => Some (VInt (Z.min y z))
  | IntLt => Some (VBool (Z.ltb y z))
  | IntLe => Some (VBool (Z.leb y z))
  | IntGt => Some (VBool (Z.ltb z y))
  | IntGe => Some (VBool (Z.leb z y))
  | IntEq => Some (VBool (Z.eqb y z))
  | IntNe => Some (VBool (negb (Z.eqb y z)))
  | _ => None
  end.

Definition rows (vs : list value) : option (list value) :=
  steps (fun v found => match v with VArray row => Some (found ++ row) | _ => None end) vs [].

Definition sum (vs : list value) : option N :=
  steps (fun v total => match v with VReal x => two S Add total x | _ => None end) vs (of_int S 0).

(** Sorting by insertion: the numbers with their indices; equal ones keep their order. *)
Fixpoint insert (x : N) (i : Z) (sorted : list (N * Z)) : option (list (N * Z)) := match sorted with
  | [] => Some [(x, i)]
  | (y, j) :: rest => do less <- decide S Lt x y;
      if less : bool then Some ((x, i) :: (y, j) :: rest) else do more <- insert x i rest; Some ((y, j) :: more)
  end.

Fixpoint sort (i : Z) (vs : list value) (sorted : list (N * Z)) : option (list (N * Z)) := match vs with
  | [] => Some sorted
  | VReal x :: vs => do more <- insert x i sorted; sort (i + 1) vs more
  | _ => None
  end.

Definition array_one (p : prim) (vs : list value) : option value := match p with
  | Size => Some (VInt (Z.of_nat (length vs)))
  | Sum => do x <- sum vs; Some (VReal x)
  | Flatten => do found <- rows vs; Some (VArray found)
  | Argsort => do found <- sort 0 vs []; Some (VArray (map (fun p => VInt (snd p)) found))
  | _ => None
  end.

Definition at_index (vs : list value) (z : Z) : option value :=
  if Z.ltb z 0 then None else nth_error vs (Z.to_nat z).

Definition update (vs : list value) (z : Z) (v : value) : option value :=
  do old <- at_index vs z;
  Some (VArray (firstn (Z.to_nat z) vs ++ v :: skipn (Datatypes.S (Z.to_nat z)) vs)).

Definition slice (vs : list value) (y z : Z) : option value :=
  if Z.ltb y 0 || Z.ltb z y || Z.ltb (Z.of_nat (length vs)) z then None
  else Some (VArray (firstn (Z.to_nat (z - y)) (skipn (Z.to_nat y) vs))).

Definition apply_prim (p : prim) (vs : list value) : option value := match vs with
  | [VReal x] => do y <- one S p x; Some (VReal y)
  | [VReal x; VReal y] =>
      if comparison p then do b <- decide S p x y; Some (VBool b) else do z <- two S p x y; Some (VReal z)
  | [VReal x; VInt z] => match p with PowInt => do y <- power S x z; Some (VReal y) | _ => None end
  | [VInt z] => int_one p z
  | [VInt y; VInt z] => int_two p y z
  | [VBool b] => match p with Not => Some (VBool (negb b)) | _ => None end
  | [VBool b; VBool c] => match p with BoolEq => Some (VBool (Bool.eqb b c)) | _ => None end
  | [VArray us] => array_one p us
  | [VArray us; VInt z] => match p with Index => at_index us z | _ => None end
  | [VArray us; VArray ws] => match p with Concat => Some (VArray (us ++ ws)) | _ => None end
  | [VArray us; VInt z; v] => match p, v with
      | Update, _ => update us z v
      | Slice, VInt y => slice us z y
      | Sized, _ => Some (VArray us)
      | _, _ => None
      end
  | _ => None
  end.

(** ** Evaluation *)
Variable globals : list (expr L).

Fixpoint eval (n : nat) (e : expr L) (env : list value) : option value := match n with
  | O => None
  | Datatypes.S n =>
    let apply f v := match f with
      | VFun e captured => eval n e (v :: captured)
      | VRec es i captured => do e <- nth_error es i; eval n e (v :: functions es captured ++ captured)
      | _ => None
      end in
    match e with
    | EVar i => nth_error env i
    | EGlobal i => do e <- nth_error globals i; eval n e []
    | EReal l => Some (VReal (literal S l))
    | EInt z => Some (VInt z)
    | EBool b => Some (VBool b)
    | EPrim p es => do vs <- all (fun e => eval n e env) es; apply_prim p vs
    | ELam e => Some (VFun e env)
    | EApp f e => do f <- eval n f env; do v <- eval n e env; apply f v
    | ELet e f => do v <- eval n e env; eval n f (v :: env)
    | ELetRec es f => eval n f (functions es env ++ env)
    | EIf c e f => do v <- eval n c env; match v with VBool b => eval n (if b then e else f) env | _ => None end
    | ETuple es => do vs <- all (fun e => eval n e env) es; Some (VTuple vs)
    | EProj e i => do v <- eval n e env; match v with VTuple vs => nth_error vs i | _ => None end
    | ECon tag es => do vs <- all (fun e => eval n e env) es; Some (VCon tag vs)
    | EMatch e arms default => do v <- eval n e env; match v with
        | VCon tag vs => match arm tag arms with
            | Some (fields, body) => if Nat.eqb fields (length vs) then eval n body (rev vs ++ env) else None
            | None => do body <- default; eval n body env
            end
        | _ => None
        end
    | EArray es => do vs <- all (fun e => eval n e env) es; Some (VArray vs)
    | EBuild size e => do v <- eval n size env; match v with
        | VInt z => if Z.ltb z 0 then None else do vs <- all (fun i => eval n e (VInt i :: env)) (below z); Some (VArray vs)
        | _ => None
        end
    | EFor init count e => do v <- eval n init env; do c <- eval n count env; match c with
        | VInt z => steps (fun i v => eval n e (VInt i :: v :: env)) (below z) v
        | _ => None
        end
    | EWhile init condition e => do v <- eval n init env;
        while n (fun v => do c <- eval n condition (v :: env); match c with VBool b => Some b | _ => None end)
          (fun v => eval n e (v :: env)) v
    end
  end.
End Values.

(** ** Numbers and dual numbers *)

(** The numbers of a machine or of mathematics: constants of the table, and primitives. A comparison gives the number 1
    where it holds. *)
Record base (N : Type) := {
  constant : number -> N;
  integer : Z -> N;
  value_of_one : prim -> N -> N;
  value_of_two : prim -> N -> N -> N;
  is_one : N -> bool }.
Arguments constant {N}. Arguments integer {N}. Arguments value_of_one {N}. Arguments value_of_two {N}.
Arguments is_one {N}.

Section Base.
Context {N : Type} (B : base N).

(** The value of a term of the table, at the arguments [x] and [y] and the result [r]. *)
Fixpoint term_of (x y r : N) (t : term) : N := match t with
  | Arg O => x
  | Arg _ => y
  | Result => r
  | Real c => constant B c
  | Int z => integer B z
  | Zero | Nan => integer B 0
  | Prim1 p t => value_of_one B p (term_of x y r t)
  | Prim2 p t u => value_of_two B p (term_of x y r t) (term_of x y r u)
  | If c t u => if is_one B (term_of x y r c) then term_of x y r t else term_of x y r u
  end.

Definition compare (p : prim) (x y : N) : bool := match p with
  | Ne => negb (is_one B (value_of_two B Eq x y))
  | _ => is_one B (value_of_two B p x y)
  end.

Definition plain : numbers N N := {|
  literal := fun x => x;
  of_int := integer B;
  one := fun p x => Some (value_of_one B p x);
  two := fun p x y => Some (value_of_two B p x y);
  power := fun x z => Some (value_of_two B PowInt x (integer B z));
  decide := fun p x y => Some (compare p x y) |}.

(** The partial derivatives of a primitive, by the rows of the table. *)
Definition slope_of_one (p : prim) (x : N) : option N := match row p with
  | Some (_, [Some t]) => Some (term_of x (integer B 0) (value_of_one B p x) t)
  | _ => None
  end.

Definition slopes_of_two (p : prim) (x y : N) : option (N * N) := match row p with
  | Some (_, [Some t; Some u]) =>
      let r := value_of_two B p x y in Some (term_of x y r t, term_of x y r u)
  | _ => None
  end.

Definition slope_of_power (x : N) (z : Z) : option N := match row PowInt with
  | Some (_, [Some t; None]) =>
      let n := integer B z in Some (term_of x n (value_of_two B PowInt x n) t)
  | _ => None
  end.

Definition times := value_of_two B Mul.

(** A number with its tangent. *)
Definition dual : numbers N (N * N) := {|
  literal := fun x => (x, integer B 0);
  of_int := fun z => (integer B z, integer B 0);
  one := fun p x => do d <- slope_of_one p (fst x); Some (value_of_one B p (fst x), times (snd x) d);
  two := fun p x y => do d <- slopes_of_two p (fst x) (fst y);
    Some (value_of_two B p (fst x) (fst y), value_of_two B Add (times (snd x) (fst d)) (times (snd y) (snd d)));
  power := fun x z => do d <- slope_of_power (fst x) z;
    Some (value_of_two B PowInt (fst x) (integer B z), times (snd x) d);
  decide := fun p x y => Some (compare p (fst x) (fst y)) |}.
End Base.
