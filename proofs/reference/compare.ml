(* Compares the compiler with the reference implementation. Reads a line for each program, as crates/oracle/src/reference.rs
   writes it, and runs what Coq extracted from Reference.v on it, with the numbers of the machine. Ends without success
   if an answer differs. *)
open Reference

(* ** Lines in parentheses *)

type sexp = Atom of string | List of sexp list

let parse line =
  let length = String.length line in
  let rec items at found =
    if at >= length then (List.rev found, at)
    else match line.[at] with
      | ' ' -> items (at + 1) found
      | ')' -> (List.rev found, at + 1)
      | '(' -> let inner, at = items (at + 1) [] in items at (List inner :: found)
      | _ ->
        let rec word stop = if stop < length && not (String.contains " ()" line.[stop]) then word (stop + 1) else stop in
        let stop = word at in
        items stop (Atom (String.sub line at (stop - at)) :: found)
  in
  match items 0 [] with [one], _ -> one | _ -> failwith "a line is no single form"

let unary =
  [ "Neg", Neg; "Abs", Abs; "Signum", Signum; "Floor", Floor; "Ceil", Ceil; "Round", Round; "Sqrt", Sqrt; "Cbrt", Cbrt;
    "Exp", Exp; "Expm1", Expm1; "Log", Log; "Log1p", Log1p; "Sin", Sin; "Cos", Cos; "Tan", Tan; "Asin", Asin;
    "Acos", Acos; "Atan", Atan; "Sinh", Sinh; "Cosh", Cosh; "Tanh", Tanh; "Sech2", Sech2; "Asinh", Asinh;
    "Acosh", Acosh; "Atanh", Atanh; "Erf", Erf; "Erfc", Erfc; "Sigmoid", Sigmoid; "Softplus", Softplus ]

let others =
  [ "Add", Add; "Sub", Sub; "Mul", Mul; "Div", Div; "Rem", Rem; "Pow", Pow; "Max", Max; "Min", Min; "Atan2", Atan2;
    "Hypot", Hypot; "Xlogy", Xlogy; "PowInt", PowInt; "IntNeg", IntNeg; "IntAdd", IntAdd; "IntSub", IntSub;
    "IntMul", IntMul; "IntDiv", IntDiv; "IntRem", IntRem; "IntMax", IntMax; "IntMin", IntMin; "IntAbs", IntAbs;
    "IntSignum", IntSignum; "Lt", Lt0; "Le", Le; "Gt", Gt0; "Ge", Ge; "Eq", Eq0; "Ne", Ne; "IntLt", IntLt; "IntLe", IntLe;
    "IntGt", IntGt; "IntGe", IntGe; "IntEq", IntEq; "IntNe", IntNe; "BoolEq", BoolEq;
    "StrEq", StrEq; "StrJoin", StrJoin; "Quote", Quote; "ShowInt", ShowInt; "Not", Not; "ToReal", ToReal;
    "Size", Size; "Index", Index; "Update", Update; "Slice", Slice; "Concat", Concat; "Flatten", Flatten; "Sum", Sum;
    "Sized", Sized; "Argsort", Argsort; "Dim", Dim; "CheckSize", CheckSize ]

let prim name = match List.assoc_opt name (unary @ others) with
  | Some prim -> prim
  | None -> failwith ("no primitive of the reference: " ^ name)

let text bytes = List.map (function Atom byte -> int_of_string byte | List _ -> failwith "no byte") bytes

let rec expr = function
  | List [ Atom "var"; Atom i ] -> EVar (int_of_string i)
  | List [ Atom "global"; Atom i ] -> EGlobal (int_of_string i)
  | List [ Atom "real"; Atom x ] -> EReal (float_of_string x)
  | List [ Atom "int"; Atom n ] -> EInt (int_of_string n)
  | List [ Atom "bool"; Atom b ] -> EBool (bool_of_string b)
  | List (Atom "str" :: bytes) -> EStr (text bytes)
  | List (Atom "prim" :: Atom name :: args) -> EPrim (prim name, List.map expr args)
  | List [ Atom "lam"; body ] -> ELam (expr body)
  | List [ Atom "app"; f; x ] -> EApp (expr f, expr x)
  | List [ Atom "let"; value; body ] -> ELet (expr value, expr body)
  | List [ Atom "letrec"; List functions; body ] -> ELetRec (List.map expr functions, expr body)
  | List [ Atom "if"; c; a; b ] -> EIf (expr c, expr a, expr b)
  | List (Atom "tuple" :: items) -> ETuple (List.map expr items)
  | List [ Atom "proj"; Atom i; value ] -> EProj (expr value, int_of_string i)
  | List (Atom "con" :: Atom tag :: fields) -> ECon (int_of_string tag, List.map expr fields)
  | List (Atom "match" :: value :: List arms :: default) ->
    EMatch (expr value, List.map arm arms, (match default with [] -> None | body :: _ -> Some (expr body)))
  | List (Atom "array" :: items) -> EArray (List.map expr items)
  | List [ Atom "build"; size; body ] -> EBuild (expr size, expr body)
  | List [ Atom "for"; init; count; body ] -> EFor (expr init, expr count, expr body)
  | List [ Atom "while"; init; condition; body ] -> EWhile (expr init, expr condition, expr body)
  | List [ Atom "jvp"; f; x; dx ] -> EJvp (expr f, expr x, expr dx)
  | List [ Atom "vjp"; f; x ] -> EVjp (expr f, expr x)
  | List [ Atom "linearize"; f; x ] -> ELinearize (expr f, expr x)
  | List [ Atom "zeros"; e ] -> EZeros (expr e)
  | List [ Atom "stop"; e ] -> EStop (expr e)
  | List [ Atom "custom_vjp"; f; rule; x ] -> ECustom (true, expr f, expr rule, expr x)
  | List [ Atom "custom_jvp"; f; rule; x ] -> ECustom (false, expr f, expr rule, expr x)
  | _ -> failwith "no form of the reference"

and arm = function
  | List [ Atom tag; Atom fields; body ] -> (int_of_string tag, (int_of_string fields, expr body))
  | _ -> failwith "no arm"

(* The argument; [real] makes its numbers, the first one first. *)
let rec data real = function
  | List [ Atom "real"; Atom x ] -> VReal (real (float_of_string x))
  | List [ Atom "int"; Atom n ] -> VInt (int_of_string n)
  | List [ Atom "bool"; Atom b ] -> VBool (bool_of_string b)
  | List (Atom "str" :: bytes) -> VStr (text bytes)
  | List (Atom "tuple" :: items) -> VTuple (datas real items)
  | List (Atom "con" :: Atom tag :: items) -> VCon (int_of_string tag, datas real items)
  | List (Atom "array" :: items) -> VArray (datas real items)
  | _ -> failwith "no value"

and datas real items = List.rev (List.fold_left (fun found item -> data real item :: found) [] items)

(* ** Numbers of the machine *)

let pi = 4.0 *. atan 1.0

let rec constant = function
  | Ratio (n, d) -> float_of_int n /. float_of_int d
  | TwoOverSqrtPi -> 2.0 /. sqrt pi
  | Third -> 1.0 /. 3.0
  | Minus x -> -.constant x

let one p x = match p with
  | Neg -> -.x
  | Abs -> abs_float x
  | Signum -> if x > 0.0 then 1.0 else if x < 0.0 then -1.0 else 0.0
  | Floor -> floor x
  | Ceil -> ceil x
  | Round -> Float.round x
  | Sqrt -> sqrt x
  | Cbrt -> Float.cbrt x
  | Exp -> exp x
  | Expm1 -> expm1 x
  | Log -> log x
  | Log1p -> log1p x
  | Sin -> sin x
  | Cos -> cos x
  | Tan -> tan x
  | Asin -> asin x
  | Acos -> acos x
  | Atan -> atan x
  | Sinh -> sinh x
  | Cosh -> cosh x
  | Tanh -> tanh x
  | Sech2 -> 1.0 /. (cosh x *. cosh x)
  | Asinh -> Float.log (abs_float x +. hypot 1.0 x) *. (if x < 0.0 then -1.0 else 1.0)
  | Acosh -> log (x +. sqrt ((x *. x) -. 1.0))
  | Atanh -> (log1p x -. log1p (-.x)) /. 2.0
  | Erf -> Float.erf x
  | Erfc -> Float.erfc x
  | Sigmoid -> 1.0 /. (1.0 +. exp (-.x))
  | Softplus -> Float.max x 0.0 +. log1p (exp (-.abs_float x))
  | ToReal -> x
  | _ -> failwith "a primitive without numbers"

let truth b = if b then 1.0 else 0.0

let two p x y = match p with
  | Add | IntAdd -> x +. y
  | Sub | IntSub -> x -. y
  | Mul | IntMul -> x *. y
  | Div -> x /. y
  | Rem -> x -. (y *. floor (x /. y))
  | Pow | PowInt -> x ** y
  | PowSlope -> if y = 0.0 then 0.0 else y *. (x ** (y -. 1.0))
  | Max -> Float.max x y
  | Min -> Float.min x y
  | Atan2 -> atan2 x y
  | Hypot -> hypot x y
  | Xlogy -> if x = 0.0 then 0.0 else x *. log y
  | Eq0 | IntEq -> truth (x = y)
  | Lt0 | IntLt -> truth (x < y)
  | Le | IntLe -> truth (x <= y)
  | Gt0 | IntGt -> truth (x > y)
  | Ge | IntGe -> truth (x >= y)
  | _ -> failwith "a primitive without numbers"

let machine =
  { constant; integer = float_of_int; value_of_one = one; value_of_two = two; is_one = (fun x -> x = 1.0) }

(* ** Comparing *)

let depth = 100_000

(* The numbers of the machine, and one level above them. *)
let plainly = ground (plain machine)
let one_above = above plainly

let run kind globals main argument =
  match eval globals kind depth (EApp (EGlobal main, EVar 0)) [ argument ] with
  | Some (VReal x) -> Some x
  | Some _ -> failwith "a result that is no number"
  | None -> None

(* The numbers of a function of an argument and a direction. *)
let run_along globals def argument direction =
  match eval globals plainly depth (EApp (EApp (EGlobal def, EVar 0), EVar 1)) [ argument; direction ] with
  | Some result -> leaves result
  | None -> None

(* How many derivatives stand inside each other. *)
let rec nested = function
  | Atom _ -> 0
  | List (Atom ("jvp" | "vjp" | "linearize") :: parts) -> 1 + deepest parts
  | List parts -> deepest parts

and deepest parts =
  List.fold_left (fun found part -> max found (nested part)) 0 parts

(* Whether a form with one of these names is inside. *)
let rec holds names = function
  | Atom name -> List.mem name names
  | List parts -> List.exists (holds names) parts

let compared = ref 0
let with_nested = ref 0
let with_two = ref 0
let with_rules = ref 0
let with_texts = ref 0
let derivatives = ref 0
let failed = ref 0
let left_out = ref 0
let worst = ref 0.0
let wrong = ref 0

(* How far two numbers are from each other, beside their size. *)
let distance x y =
  if x = y || (Float.is_nan x && Float.is_nan y) then 0.0
  else abs_float (x -. y) /. Float.max 1.0 (Float.max (abs_float x) (abs_float y))

(* Programs of mode `exact` compute without rounding, as far as their numbers have few digits. *)
let few_digits x = abs_float x < 0x1p24 && Float.is_integer (ldexp x 24)

let agree mode x y =
  let d = distance x y in
  worst := Float.max !worst d;
  if mode = "exact" && few_digits x && few_digits y then d = 0.0 else d <= 1e-9

let numbers = function
  | List items -> Some (List.map (function Atom x -> float_of_string x | List _ -> failwith "no number") items)
  | Atom _ -> None

let tell seed what theirs ours =
  incr wrong;
  let show xs = String.concat " " (List.map (Printf.sprintf "%.17g") xs) in
  Printf.printf "seed %s: %s is %s, and %s by the reference\n" seed what (show theirs) (show ours)

let case = function
  | List [ Atom "case"; Atom seed; Atom mode; List (_ :: globals); Atom main; argument; List direction; tangent; value;
      forward; reverse; List nested ] ->
    let main = int_of_string main in
    (* The definitions after the main one are its derivatives. *)
    let own = List.filteri (fun i _ -> i <= main) globals in
    let inside = deepest own in
    let globals = List.map expr globals in
    let direction = List.map (function Atom x -> float_of_string x | List _ -> failwith "no direction") direction in
    let check what theirs ours =
      if not (List.length theirs = List.length ours && List.for_all2 (agree mode) theirs ours) then tell seed what theirs ours in
    let along direction =
      let rest = ref direction in
      let next x = match !rest with d :: ds -> rest := ds; (x, d) | [] -> failwith "a short direction" in
      run one_above globals main (data next argument) in
    (match run plainly globals main (data (fun x -> x) argument), numbers value with
     | None, None -> incr failed
     | None, Some _ -> incr left_out
     | Some x, None -> tell seed "no value" [] [ x ]
     (* Nothing is said about infinities. *)
     | Some x, Some _ when Float.abs x = infinity || Float.is_nan x -> incr left_out
     | Some x, Some theirs ->
       incr compared;
       if inside > 0 then incr with_nested;
       if inside > 1 then incr with_two;
       if holds [ "custom_vjp"; "custom_jvp" ] (List own) then incr with_rules;
       if holds [ "str"; "ShowInt" ] (List own) then incr with_texts;
       check "the value" theirs [ x ];
       (match along direction, numbers forward with
        | Some (x, dx), Some theirs -> check "the derivative" theirs [ x; dx ]
        | _ -> tell seed "the derivative" [] []);
       let unit i = List.mapi (fun j _ -> if i = j then 1.0 else 0.0) direction in
       let slope i = match along (unit i) with Some (_, d) -> d | None -> nan in
       (match numbers reverse with
        | Some theirs -> check "the gradient" theirs (List.mapi (fun i _ -> slope i) direction)
        | None -> tell seed "the gradient" [] []);
       let point = data (fun x -> x) argument and tangent = data (fun x -> x) tangent in
       let derivative = function
         | List [ Atom def; result ] ->
           (match run_along globals (int_of_string def) point tangent, numbers result with
            | Some ours, Some _ when List.exists (fun x -> Float.abs x = infinity || Float.is_nan x) ours -> ()
            | Some ours, Some theirs ->
              incr derivatives;
              check "a derivative inside" theirs ours
            | None, None -> ()
            | _ -> tell seed "a derivative inside" [] [])
         | _ -> failwith "no derivative"
       in
       List.iter derivative nested)
  | _ -> failwith "a line is no case"

let () =
  (try while true do case (parse (input_line stdin)) done with End_of_file -> ());
  Printf.printf
    "%d programs compared, and %d functions made of their derivatives, %d answers differ; %d programs have derivatives \
     inside, %d of them in each other; %d have rules of their own, %d have texts; %d fail in both, %d use what the \
     reference leaves out; numbers differ by at most %.1e\n"
    !compared !derivatives !wrong !with_nested !with_two !with_rules !with_texts !failed !left_out !worst;
  let few part = 10 * !part < !compared in
  if !wrong > 0 || !compared < 4 * !left_out || few with_nested || few with_rules || few with_texts then exit 1
