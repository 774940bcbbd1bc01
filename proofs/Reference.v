(** * A reference implementation of the core language

    Code: crates/lambda has the core language; crates/eval and crates/engine evaluate and differentiate it.

    [eval] evaluates a program, whatever numbers are: [numbers] says what is done with them. With [plain] numbers it is
    ordinary evaluation. With [dual] numbers, which carry a tangent, it is differentiation by forward mode, with the
    partial derivatives of [Table]. [ReferenceCorrect] proves that it gives the derivative.
    [cargo xtask reference] compares the compiler with the program that Coq extracts from this file.

    A derivative inside a program evaluates its function with the [dual] numbers of the numbers that are in use. So each
    derivative has a level of its own, and the type of a number says its level. What the function captured is lifted to
    the new level with tangents of zero. Reverse mode is one forward pass for each Real of the argument.

    A derivative that the program defines itself ([custom_vjp], [custom_jvp]) is what the program says: its rule runs one
    level down, and what it gives is the tangent at the level above. What the function captured has the derivative that
    the function itself gives it. Texts are values without numbers, so they have no derivative.

    Left out are texts of Reals, and errors: a program that fails has the result [None]. [n] is how deep evaluation may
    go. *)
From Coq Require Import Arith ZArith List Bool.
From Pullback Require Import Table.
Import ListNotations.

(** A text is its bytes. *)
Definition text := list nat.

(** ** Terms
    Variables count binders from the inside. Functions have one parameter; [LetRec] binds functions that call each
    other. An arm has a tag and how many fields it binds. [EStop] is stop_gradient. [ECustom] is custom_vjp, or custom_jvp
    where the rule does not go backward: a function, its rule and an argument. *)
Inductive expr (L : Type) :=
  | EVar (i : nat)
  | EGlobal (i : nat)
  | EReal (l : L)
  | EInt (z : Z)
  | EBool (b : bool)
  | EStr (s : text)
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
  | EWhile (init condition e : expr L)
  | EJvp (f x dx : expr L)
  | EVjp (f x : expr L)
  | ELinearize (f x : expr L)
  | EZeros (e : expr L)
  | EStop (e : expr L)
  | ECustom (backward : bool) (f rule x : expr L).
Arguments EVar {L}. Arguments EGlobal {L}. Arguments EReal {L}. Arguments EInt {L}. Arguments EBool {L}. Arguments EStr {L}.
Arguments EPrim {L}. Arguments ELam {L}. Arguments EApp {L}. Arguments ELet {L}. Arguments ELetRec {L}.
Arguments EIf {L}. Arguments ETuple {L}. Arguments EProj {L}. Arguments ECon {L}. Arguments EMatch {L}.
Arguments EArray {L}. Arguments EBuild {L}. Arguments EFor {L}. Arguments EWhile {L}.
Arguments EJvp {L}. Arguments EVjp {L}. Arguments ELinearize {L}. Arguments EZeros {L}. Arguments EStop {L}.
Arguments ECustom {L}.

(** What is done with numbers: literals, constants of the table, integers as numbers, primitives, those with an integer
    as second or as first argument, comparisons, and a number without its tangents. *)
Record numbers (L N : Type) := {
  literal : L -> N;
  of_constant : number -> N;
  of_int : Z -> N;
  one : prim -> N -> option N;
  two : prim -> N -> N -> option N;
  power : prim -> N -> Z -> option N;
  order : prim -> Z -> N -> option N;
  decide : prim -> N -> N -> option bool;
  stopped : N -> option N }.
Arguments literal {L N}. Arguments of_constant {L N}. Arguments of_int {L N}. Arguments one {L N}. Arguments two {L N}.
Arguments power {L N}. Arguments order {L N}. Arguments decide {L N}. Arguments stopped {L N}.

(** Values; a function is its body and what it captured. [VPull] is a pullback: the point, and the tangent of the result
    for each Real of the point. [VPush] is a pushforward: the function and the point. *)
Inductive value (L N : Type) :=
  | VReal (x : N)
  | VInt (z : Z)
  | VBool (b : bool)
  | VStr (s : text)
  | VTuple (vs : list (value L N))
  | VCon (tag : nat) (vs : list (value L N))
  | VArray (vs : list (value L N))
  | VFun (e : expr L) (env : list (value L N))
  | VRec (es : list (expr L)) (i : nat) (env : list (value L N))
  | VPull (x : value L N) (columns : list (value L N))
  | VPush (f x : value L N).
Arguments VReal {L N}. Arguments VInt {L N}. Arguments VBool {L N}. Arguments VStr {L N}. Arguments VTuple {L N}. Arguments VCon {L N}.
Arguments VArray {L N}. Arguments VFun {L N}. Arguments VRec {L N}. Arguments VPull {L N}. Arguments VPush {L N}.

Notation "'do' x <- e ; f" := (match e with Some x => f | None => None end)
  (at level 200, x name, e at level 100, f at level 200).

Section Lists.
Context {A B C S : Type} (f : A -> option B) (g : A -> S -> option S) (h : A -> B -> option C)
  (k : A -> S -> option (B * S)).

Fixpoint all (xs : list A) : option (list B) := match xs with
  | [] => Some []
  | x :: xs => do y <- f x; do ys <- all xs; Some (y :: ys)
  end.

(** Goes through a list with a state. *)
Fixpoint steps (xs : list A) (s : S) : option S := match xs with
  | [] => Some s
  | x :: xs => do s <- g x s; steps xs s
  end.

(** Goes through a list with a state, and gives a list. *)
Fixpoint through (xs : list A) (s : S) : option (list B * S) := match xs with
  | [] => Some ([], s)
  | x :: xs => do r <- k x s; do rs <- through xs (snd r); Some (fst r :: fst rs, snd rs)
  end.

(** Goes through two lists of the same length. *)
Fixpoint both (xs : list A) (ys : list B) : option (list C) := match xs, ys with
  | [], [] => Some []
  | x :: xs, y :: ys => do z <- h x y; do zs <- both xs ys; Some (z :: zs)
  | _, _ => None
  end.
End Lists.

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

(** An integer in digits, of which integers of the language have at most 19. *)
Fixpoint digits (n : nat) (z : Z) (found : text) : text := match n with
  | O => found
  | Datatypes.S n =>
      let found := (48 + Z.to_nat (z mod 10))%nat :: found in if Z.ltb z 10 then found else digits n (z / 10) found
  end.

Definition show_int (z : Z) : text := if Z.ltb z 0 then 45%nat :: digits 20 (- z) [] else digits 20 z [].

(** A text in quotation marks, with a backslash before what would end it, before backslashes, line ends and tabs. *)
Definition escaped (c : nat) : text :=
  if Nat.eqb c 34 || Nat.eqb c 92 then [92%nat; c] else if Nat.eqb c 10 then [92%nat; 110%nat]
  else if Nat.eqb c 9 then [92%nat; 116%nat] else [c].
Definition quote (s : text) : text := 34%nat :: flat_map escaped s ++ [34%nat].
Definition same_text (s u : text) : bool := if list_eq_dec Nat.eq_dec s u then true else false.

Definition int_one (p : prim) (z : Z) : option value := match p with
  | IntNeg => Some (VInt (- z))
  | IntAbs => Some (VInt (Z.abs z))
  | IntSignum => Some (VInt (Z.sgn z))
  | ToReal => Some (VReal (of_int S z))
  | ShowInt => Some (VStr (show_int z))
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
  | [VReal x; VInt z] => match p with PowInt | PowSlope => do y <- power S p x z; Some (VReal y) | _ => None end
  | [VInt z; VReal x] => match p with Polygamma => do y <- order S p z x; Some (VReal y) | _ => None end
  | [VInt z] => int_one p z
  | [VInt y; VInt z] => int_two p y z
  | [VBool b] => match p with Not => Some (VBool (negb b)) | _ => None end
  | [VBool b; VBool c] => match p with BoolEq => Some (VBool (Bool.eqb b c)) | _ => None end
  | [VStr s] => match p with Quote => Some (VStr (quote s)) | _ => None end
  | [VStr s; VStr u] => match p with
      | StrEq => Some (VBool (same_text s u))
      | StrJoin => Some (VStr (s ++ u))
      | _ => None
      end
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

(** ** Dual numbers *)

(** The value of a term of the table, at the arguments [x] and [y] and the result [r]. *)
Fixpoint term_of (x y r : value) (t : term) : option value := match t with
  | Arg O => Some x
  | Arg _ => Some y
  | Result => Some r
  | Real c => Some (VReal (of_constant S c))
  | Int z => Some (VInt z)
  | Zero | Nan => Some (VReal (of_int S 0))
  | Prim1 p t => do v <- term_of x y r t; apply_prim p [v]
  | Prim2 p t u => do v <- term_of x y r t; do w <- term_of x y r u; apply_prim p [v; w]
  | If c t u => do v <- term_of x y r c; match v with
      | VBool b => if b then term_of x y r t else term_of x y r u
      | _ => None
      end
  end.

Definition slope (x y : value) (r : N) (t : term) : option N :=
  do v <- term_of x y (VReal r) t; match v with VReal d => Some d | _ => None end.

(** The partial derivatives of a primitive, by the rows of the table; [r] is its result. *)
Definition slope_of_one (p : prim) (x r : N) : option N := match row p with
  | Some (_, [Some t]) => slope (VReal x) (VReal (of_int S 0)) r t
  | _ => None
  end.

Definition slopes_of_two (p : prim) (x y r : N) : option (N * N) := match row p with
  | Some (_, [Some t; Some u]) =>
      do d <- slope (VReal x) (VReal y) r t; do e <- slope (VReal x) (VReal y) r u; Some (d, e)
  | _ => None
  end.

Definition slope_of_power (p : prim) (x : N) (z : Z) (r : N) : option N := match row p with
  | Some (_, [Some t; None]) => slope (VReal x) (VInt z) r t
  | _ => None
  end.

Definition slope_of_order (p : prim) (z : Z) (x r : N) : option N := match row p with
  | Some (_, [None; Some u]) => slope (VInt z) (VReal x) r u
  | _ => None
  end.

(** A number with its tangent. Both are numbers of the level below. *)
Definition dual : numbers L (N * N) := {|
  literal := fun x => (literal S x, of_int S 0);
  of_constant := fun c => (of_constant S c, of_int S 0);
  of_int := fun z => (of_int S z, of_int S 0);
  one := fun p x =>
    do r <- one S p (fst x); do d <- slope_of_one p (fst x) r; do dr <- two S Mul (snd x) d; Some (r, dr);
  two := fun p x y =>
    do r <- two S p (fst x) (fst y); do d <- slopes_of_two p (fst x) (fst y) r;
    do a <- two S Mul (snd x) (fst d); do b <- two S Mul (snd y) (snd d); do dr <- two S Add a b; Some (r, dr);
  power := fun p x z =>
    do r <- power S p (fst x) z; do d <- slope_of_power p (fst x) z r; do dr <- two S Mul (snd x) d; Some (r, dr);
  order := fun p z x =>
    do r <- order S p z (fst x); do d <- slope_of_order p z (fst x) r; do dr <- two S Mul (snd x) d; Some (r, dr);
  decide := fun p x y => decide S p (fst x) (fst y);
  stopped := fun x => do y <- stopped S (fst x); Some (y, of_int S 0) |}.
End Values.

(** ** Values of another level *)

(** A value with other numbers, also in what functions captured. *)
Fixpoint map_value {L M N} (g : M -> N) (v : value L M) : value L N := match v with
  | VReal x => VReal (g x)
  | VInt z => VInt z
  | VBool b => VBool b
  | VStr s => VStr s
  | VTuple vs => VTuple (map (map_value g) vs)
  | VCon tag vs => VCon tag (map (map_value g) vs)
  | VArray vs => VArray (map (map_value g) vs)
  | VFun e env => VFun e (map (map_value g) env)
  | VRec es i env => VRec es i (map (map_value g) env)
  | VPull x columns => VPull (map_value g x) (map (map_value g) columns)
  | VPush f x => VPush (map_value g f) (map_value g x)
  end.

(** Data with other numbers. A tangent has [()] where an integer, a Bool or a text was. *)
Fixpoint map_data {L M N} (tangent : bool) (g : M -> option N) (v : value L M) : option (value L N) := match v with
  | VReal x => do y <- g x; Some (VReal y)
  | VInt z => Some (if tangent then VTuple [] else VInt z)
  | VBool b => Some (if tangent then VTuple [] else VBool b)
  | VStr s => Some (if tangent then VTuple [] else VStr s)
  | VTuple vs => do ws <- all (map_data tangent g) vs; Some (VTuple ws)
  | VCon tag vs => do ws <- all (map_data tangent g) vs; Some (VCon tag ws)
  | VArray vs => do ws <- all (map_data tangent g) vs; Some (VArray ws)
  | VFun _ _ | VRec _ _ _ | VPull _ _ | VPush _ _ => None
  end.

(** Data and a tangent of its shape, as one value with pairs of numbers. *)
Fixpoint bundle {L N} (v dv : value L N) : option (value L (N * N)) := match v, dv with
  | VReal x, VReal dx => Some (VReal (x, dx))
  | VInt z, VTuple [] => Some (VInt z)
  | VBool b, VTuple [] => Some (VBool b)
  | VStr s, VTuple [] => Some (VStr s)
  | VTuple vs, VTuple dvs => do ws <- both bundle vs dvs; Some (VTuple ws)
  | VCon tag vs, VCon dtag dvs => if Nat.eqb tag dtag then do ws <- both bundle vs dvs; Some (VCon tag ws) else None
  | VArray vs, VArray dvs => do ws <- both bundle vs dvs; Some (VArray ws)
  | _, _ => None
  end.

(** The numbers of data, from left to right. *)
Fixpoint leaves {L N} (v : value L N) : option (list N) := match v with
  | VReal x => Some [x]
  | VInt _ | VBool _ | VStr _ => Some []
  | VTuple vs | VCon _ vs | VArray vs => do found <- all leaves vs; Some (concat found)
  | VFun _ _ | VRec _ _ _ | VPull _ _ | VPush _ _ => None
  end.

(** The tangent of this shape with these numbers, and the numbers that are left. *)
Fixpoint fill {L M N} (v : value L M) (xs : list N) : option (value L N * list N) := match v with
  | VReal _ => match xs with x :: xs => Some (VReal x, xs) | [] => None end
  | VInt _ | VBool _ | VStr _ => Some (VTuple [], xs)
  | VTuple vs => do r <- through fill vs xs; Some (VTuple (fst r), snd r)
  | VCon tag vs => do r <- through fill vs xs; Some (VCon tag (fst r), snd r)
  | VArray vs => do r <- through fill vs xs; Some (VArray (fst r), snd r)
  | VFun _ _ | VRec _ _ _ | VPull _ _ | VPush _ _ => None
  end.

Section Derivatives.
Context {L N : Type} (S : numbers L N).

(** One level up: numbers from outside are constant there. *)
Definition lift (v : value L N) : value L (N * N) := map_value (fun x => (x, of_int S 0)) v.

(** The tangent that is 1 at the [i]-th of [n] numbers and 0 at the others. *)
Definition direction (x : value L N) (n i : nat) : option (value L N) :=
  do r <- fill x (map (fun j => of_int S (if Nat.eqb i j then 1 else 0)) (seq 0 n)); Some (fst r).

Definition product (v w : value L N) : option N :=
  do z <- bundle v w; do pairs <- leaves z;
  steps (fun p total => do x <- two S Mul (fst p) (snd p); two S Add total x) pairs (of_int S 0).

(** Applies a pullback: a product of the cotangent with each column. *)
Definition pull (x : value L N) (columns : list (value L N)) (bar : value L N) : option (value L N) :=
  do products <- all (fun column => product column bar) columns; do r <- fill x products; Some (fst r).

(** Differentiates a function at [x] along [dx]: applies it one level up, where [run] does so. *)
Definition forward (run : value L (N * N) -> value L (N * N) -> option (value L (N * N))) (f x dx : value L N) :
  option (value L N * value L N) :=
  do z <- bundle x dx; do r <- run (lift f) z;
  do y <- map_data false (fun p => Some (fst p)) r; do dy <- map_data true (fun p => Some (snd p)) r; Some (y, dy).

(** ** Derivatives that the program defines *)

(** The sum of two tangents of one shape. *)
Definition plus (v w : value L N) : option (value L N) :=
  do z <- bundle v w; do pairs <- leaves z; do sums <- all (fun p => two S Add (fst p) (snd p)) pairs;
  do r <- fill v sums; Some (fst r).

(** What a rule gives beside the value. *)
Definition second (v : value L N) : option (value L N) := match v with VTuple [_; w] => Some w | _ => None end.

(** A function with its rule, one level above numbers [N]. [below] applies it one level down, [call] applies a function
    there, [run] applies one at the level itself. The value comes from one level down. The tangent is that by what the
    function captured, with the argument held, and that by the argument, from the rule. A pullback is transposed: it is
    applied to each cotangent that is 1 at one place. *)
Definition custom (below : value L N -> value L N -> value L N -> option (value L N))
  (call : value L N -> value L N -> option (value L N))
  (run : value L (N * N) -> value L (N * N) -> option (value L (N * N)))
  (backward : bool) (f rule x : value L (N * N)) : option (value L (N * N)) :=
  do x0 <- map_data false (fun p => Some (fst p)) x; do dx <- map_data true (fun p => Some (snd p)) x;
  do y <- below (map_value fst f) (map_value fst rule) x0;
  do held <- run f (lift x0); do captured <- map_data true (fun p => Some (snd p)) held;
  do given <- call (map_value fst rule) x0;
  do ruled <- (if backward then
      do pullback <- second given; do found <- leaves y;
      do columns <- all (fun i => do bar <- direction y (length found) i; call pullback bar) (seq 0 (length found));
      pull y columns dx
    else do pair <- call given dx; second pair);
  do dy <- plus captured ruled; bundle y dy.
End Derivatives.

(** ** Levels
    Numbers that are given, and the dual numbers of a level. Of given numbers is also said which rules are trusted, at
    which depth of evaluation: where a rule is not, a program has no result. Evaluation trusts all of them ([ground]);
    the theorem asks which are derivatives. *)
Inductive kind (L : Type) : Type -> Type :=
  | Ground N (S : numbers L N) (trusted : nat -> bool -> value L N -> value L N -> value L N -> bool) : kind L N
  | Above N (K : kind L N) : kind L (N * N).
Arguments Ground {L N}. Arguments Above {L N}.

Fixpoint numbers_of {L N} (K : kind L N) : numbers L N := match K with
  | Ground given _ => given
  | Above K => dual (numbers_of K)
  end.

Definition ground {L N} (S : numbers L N) : kind L N := Ground S (fun _ _ _ _ _ => true).

(** ** Evaluation *)
Section Evaluation.
Context {L : Type}.
Variable globals : list (expr L).

(** [call] applies a function at this level, [along] differentiates one. *)
Fixpoint eval {N} (K : kind L N) (n : nat) (e : expr L) (env : list (value L N)) : option (value L N) := match n with
  | O => None
  | Datatypes.S n =>
    let S := numbers_of K in
    let eval_here := eval K n in
    let call f v := eval K n (EApp (EVar 0) (EVar 1)) [f; v] in
    let along := forward S (fun f z => eval (Above K) n (EApp (EVar 0) (EVar 1)) [f; z]) in
    match e with
    | EVar i => nth_error env i
    | EGlobal i => do e <- nth_error globals i; eval_here e []
    | EReal l => Some (VReal (literal S l))
    | EInt z => Some (VInt z)
    | EBool b => Some (VBool b)
    | EStr s => Some (VStr s)
    | EPrim p es => do vs <- all (fun e => eval_here e env) es; apply_prim S p vs
    | ELam e => Some (VFun e env)
    | EApp f e => do f <- eval_here f env; do v <- eval_here e env; match f with
        | VFun e captured => eval_here e (v :: captured)
        | VRec es i captured => do e <- nth_error es i; eval_here e (v :: functions es captured ++ captured)
        | VPull x columns => pull S x columns v
        | VPush f x => do r <- along f x v; Some (snd r)
        | _ => None
        end
    | ELet e f => do v <- eval_here e env; eval_here f (v :: env)
    | ELetRec es f => eval_here f (functions es env ++ env)
    | EIf c e f => do v <- eval_here c env; match v with VBool b => eval_here (if b then e else f) env | _ => None end
    | ETuple es => do vs <- all (fun e => eval_here e env) es; Some (VTuple vs)
    | EProj e i => do v <- eval_here e env; match v with VTuple vs => nth_error vs i | _ => None end
    | ECon tag es => do vs <- all (fun e => eval_here e env) es; Some (VCon tag vs)
    | EMatch e arms default => do v <- eval_here e env; match v with
        | VCon tag vs => match arm tag arms with
            | Some (fields, body) => if Nat.eqb fields (length vs) then eval_here body (rev vs ++ env) else None
            | None => do body <- default; eval_here body env
            end
        | _ => None
        end
    | EArray es => do vs <- all (fun e => eval_here e env) es; Some (VArray vs)
    | EBuild size e => do v <- eval_here size env; match v with
        | VInt z => if Z.ltb z 0 then None else do vs <- all (fun i => eval_here e (VInt i :: env)) (below z); Some (VArray vs)
        | _ => None
        end
    | EFor init count e => do v <- eval_here init env; do c <- eval_here count env; match c with
        | VInt z => steps (fun i v => eval_here e (VInt i :: v :: env)) (below z) v
        | _ => None
        end
    | EWhile init condition e => do v <- eval_here init env;
        while n (fun v => do c <- eval_here condition (v :: env); match c with VBool b => Some b | _ => None end)
          (fun v => eval_here e (v :: env)) v
    | EJvp f x dx => do f <- eval_here f env; do x <- eval_here x env; do dx <- eval_here dx env;
        do r <- along f x dx; Some (VTuple [fst r; snd r])
    | EVjp f x => do f <- eval_here f env; do x <- eval_here x env; do y <- call f x; do found <- leaves x;
        do columns <- all (fun i => do dx <- direction S x (length found) i; do r <- along f x dx; Some (snd r))
          (seq 0 (length found));
        Some (VTuple [y; VPull x columns])
    | ELinearize f x => do f <- eval_here f env; do x <- eval_here x env; do y <- call f x; Some (VTuple [y; VPush f x])
    | EZeros e => do v <- eval_here e env; map_data true (fun _ => Some (of_int S 0)) v
    | EStop e => do v <- eval_here e env; map_data false (stopped S) v
    | ECustom backward f rule x => do f <- eval_here f env; do rule <- eval_here rule env; do x <- eval_here x env;
        match K in kind _ N return value L N -> value L N -> value L N -> option (value L N) with
        | Ground given trusted => fun f rule x => if trusted n backward f rule x
            then eval (Ground given trusted) n (EApp (EVar 0) (EVar 1)) [f; x] else None
        | Above K => custom (numbers_of K)
            (fun f rule x => eval K n (ECustom backward (EVar 0) (EVar 1) (EVar 2)) [f; rule; x])
            (fun f x => eval K n (EApp (EVar 0) (EVar 1)) [f; x])
            (fun f x => eval (Above K) n (EApp (EVar 0) (EVar 1)) [f; x]) backward
        end f rule x
    end
  end.

(** Applies a function with its rule, as [eval] does. *)
Definition apply_custom {N} (K : kind L N) (n : nat) (backward : bool) :
  value L N -> value L N -> value L N -> option (value L N) :=
  match K in kind _ N return value L N -> value L N -> value L N -> option (value L N) with
  | Ground given trusted => fun f rule x => if trusted n backward f rule x
      then eval (Ground given trusted) n (EApp (EVar 0) (EVar 1)) [f; x] else None
  | Above K => custom (numbers_of K)
      (fun f rule x => eval K n (ECustom backward (EVar 0) (EVar 1) (EVar 2)) [f; rule; x])
      (fun f x => eval K n (EApp (EVar 0) (EVar 1)) [f; x])
      (fun f x => eval (Above K) n (EApp (EVar 0) (EVar 1)) [f; x]) backward
  end.

Lemma eval_custom {N} (K : kind L N) n backward f rule x env : eval K (Datatypes.S n) (ECustom backward f rule x) env =
  do f <- eval K n f env; do rule <- eval K n rule env; do x <- eval K n x env; apply_custom K n backward f rule x.
Proof. reflexivity. Qed.
End Evaluation.

(** ** Numbers *)

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

Definition compare (p : prim) (x y : N) : bool := match p with
  | Ne => negb (is_one B (value_of_two B Eq x y))
  | _ => is_one B (value_of_two B p x y)
  end.

Definition plain : numbers N N := {|
  literal := fun x => x;
  of_constant := constant B;
  of_int := integer B;
  one := fun p x => Some (value_of_one B p x);
  two := fun p x y => Some (value_of_two B p x y);
  power := fun p x z => Some (value_of_two B p x (integer B z));
  order := fun p z x => Some (value_of_two B p (integer B z) x);
  decide := fun p x y => Some (compare p x y);
  stopped := fun x => Some x |}.
End Base.
