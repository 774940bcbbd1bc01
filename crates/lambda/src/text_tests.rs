//! The textual form: random well-typed programs pass the verifier and read back as they were printed;
//! malformed text gives a diagnostic, never a panic. What the verifier finds is in `tests/lambda/problems`.

use pullback_base::{FileId, Span};

use crate::{
    AdOp, Arm, Constructor, Data, DataId, Def, DefId, Expr, ExprKind, Lit, Program, Stage, Type,
    TypeKind, VarId, ad_type, parse, verify,
};
use pullback_prim::Prim;

const NONE: Span = Span::NONE;

/// A generator of random programs.
struct Random {
    state: u64,
    program: Program,
    scope: Vec<VarId>,
}

impl Random {
    fn new(seed: u64) -> Self {
        let mut program = Program::default();
        let tree = Type::new(TypeKind::Data(DataId(0)));
        let constructors = vec![
            Constructor { name: "Leaf".into(), fields: vec![Type::real(), Type::int()] },
            Constructor { name: "Node".into(), fields: vec![tree.clone(), tree] },
            Constructor { name: "end".into(), fields: vec![] },
        ];
        program.datas.push(Data::new("Tree Int", constructors));
        program.datas.push(Data::new("Empty", vec![]));
        let mut random = Self { state: seed, program, scope: vec![] };
        for name in ["f", "let", "g'", "odd ` name\n"] {
            let ty = random.ty(2);
            let body = Expr::unit(NONE);
            random.program.defs.push(Def { name: name.into(), ty, body, span: NONE });
        }
        for id in random.program.defs.ids() {
            let ty = random.program.defs[id].ty.clone();
            let body = random.expr(&ty, 6);
            random.program.defs[id].body = body;
        }
        random
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.state >> 33) % limit
    }

    fn ty(&mut self, depth: u32) -> Type {
        match self.below(if depth == 0 { 4 } else { 10 }) {
            0 | 4 => Type::real(),
            1 => Type::int(),
            2 => Type::bool(),
            3 => Type::new(TypeKind::Data(DataId(0))),
            5 => Type::array(self.ty(depth - 1)),
            6 => {
                let count = self.below(4);
                Type::tuple((0..count).map(|_| self.ty(depth - 1)).collect())
            }
            7 => {
                let names = ["w", "in", "match"].into_iter().take(self.below(4) as usize);
                Type::new(TypeKind::Record(
                    names.map(|name| (name.into(), self.ty(depth - 1))).collect(),
                ))
            }
            8 => Type::fun(self.ty(depth - 1), self.ty(depth - 1)),
            _ => Type::str(),
        }
    }

    fn bind(&mut self, ty: Type) -> VarId {
        let name = ["x", "if", "y'", "a b", "_"][self.below(5) as usize];
        let var = self.program.fresh(name, ty);
        self.scope.push(var);
        var
    }

    /// A term of this type.
    fn expr(&mut self, ty: &Type, depth: u32) -> Expr {
        if depth == 0 {
            return self.leaf(ty);
        }
        let (scope, d) = (self.scope.len(), depth - 1);
        let expr = match self.below(12) {
            0 => self.leaf(ty),
            1 | 2 => {
                let value_ty = self.ty(2);
                let value = self.expr(&value_ty, d);
                let var = self.bind(value_ty);
                Expr::let_(var, value, self.expr(ty, d))
            }
            3 => {
                let cond = self.expr(&Type::bool(), d);
                Expr::if_(cond, self.expr(ty, d), self.expr(ty, d), NONE)
            }
            4 => {
                let from = self.ty(1);
                let function = self.expr(&Type::fun(from.clone(), ty.clone()), d);
                Expr::app(function, vec![self.expr(&from, d)], NONE)
            }
            5 => {
                let fun = Type::fun(self.ty(1), self.ty(1));
                let var = self.bind(fun.clone());
                let function = self.lambda(&fun, d);
                Expr::let_rec(vec![(var, function)], self.expr(ty, d))
            }
            6 => {
                let array = self.expr(&Type::array(ty.clone()), d);
                Expr::prim(Prim::Index, vec![array, self.expr(&Type::int(), d)], NONE)
            }
            7 => {
                let init = self.expr(ty, d);
                let count = self.expr(&Type::int(), d);
                let (var, index) = (self.bind(ty.clone()), self.bind(Type::int()));
                Expr::loop_for(var, init, index, count, self.expr(ty, d), NONE)
            }
            8 => self.matching(ty, d),
            9 => {
                let pair = Type::tuple(vec![self.ty(1), ty.clone()]);
                Expr::proj(self.expr(&pair, d), 1, NONE)
            }
            10 => Expr::fail(self.expr(&Type::str(), d), ty.clone(), NONE),
            _ => self.introduction(ty, d),
        };
        self.scope.truncate(scope);
        expr
    }

    fn lambda(&mut self, ty: &Type, depth: u32) -> Expr {
        let (from, to) =
            ty.as_fun().map(|(from, to)| (from.clone(), to.clone())).expect("a function");
        let scope = self.scope.len();
        let var = self.bind(from);
        let body = self.expr(&to, depth);
        self.scope.truncate(scope);
        self.program.lam(vec![var], body)
    }

    fn matching(&mut self, ty: &Type, depth: u32) -> Expr {
        let scrutinee = self.expr(&Type::new(TypeKind::Data(DataId(0))), depth);
        let scope = self.scope.len();
        let vars = vec![self.bind(Type::real()), self.bind(Type::int())];
        let arm = Arm { tag: 0, vars, body: self.expr(ty, depth) };
        self.scope.truncate(scope);
        let end = Arm { tag: 2, vars: vec![], body: self.expr(ty, depth) };
        Expr::match_(scrutinee, vec![end, arm], Some(self.expr(ty, depth)), NONE)
    }

    /// A form that makes a value of this very type.
    fn introduction(&mut self, ty: &Type, depth: u32) -> Expr {
        match ty.kind() {
            TypeKind::Real if self.below(3) == 0 => self.differentiation(depth),
            TypeKind::Real => {
                let args = vec![self.expr(ty, depth), self.expr(ty, depth)];
                Expr::prim(Prim::Atan2, args, NONE)
            }
            TypeKind::Int => Expr::prim(Prim::IntNeg, vec![self.expr(ty, depth)], NONE),
            TypeKind::Bool => {
                let args = vec![self.expr(&Type::real(), depth), self.expr(&Type::real(), depth)];
                Expr::prim(Prim::Lt, args, NONE)
            }
            TypeKind::Str => self.leaf(ty),
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                let components: Vec<_> = ty.components().into_iter().flatten().cloned().collect();
                let items = components.iter().map(|ty| self.expr(ty, depth)).collect();
                Expr::record(items, ty.clone(), NONE)
            }
            TypeKind::Data(data) => {
                let fields = vec![self.expr(ty, depth), self.expr(ty, depth)];
                Expr::con(*data, 1, fields, NONE)
            }
            TypeKind::Array(element) if self.below(2) == 0 => {
                let size = self.expr(&Type::int(), depth);
                let var = self.bind(Type::int());
                Expr::build(size, var, self.expr(element, depth), NONE)
            }
            TypeKind::Array(element) => {
                let items = (0..self.below(3)).map(|_| self.expr(element, depth)).collect();
                Expr::array(items, element.clone(), NONE)
            }
            TypeKind::Fun(_, _) => self.lambda(ty, depth),
        }
    }

    /// The second component of `jvp` of a function on trees.
    fn differentiation(&mut self, depth: u32) -> Expr {
        let tree = Type::new(TypeKind::Data(DataId(0)));
        let function_ty = Type::fun(tree.clone(), Type::real());
        let function = self.expr(&function_ty, depth);
        let point = self.expr(&tree, depth);
        let zeros_ty = ad_type(&mut self.program.datas, AdOp::Zeros, std::slice::from_ref(&tree));
        let zeros_ty = zeros_ty.expect("a tree is first-order");
        let dot = Expr::ad(AdOp::Zeros, vec![point.clone()], zeros_ty.clone(), NONE);
        let dot = self.program.copy(&dot);
        let types = [function_ty, tree, zeros_ty];
        let ty = ad_type(&mut self.program.datas, AdOp::Jvp, &types).expect("well-typed");
        Expr::proj(Expr::ad(AdOp::Jvp, vec![function, point, dot], ty, NONE), 1, NONE)
    }

    fn leaf(&mut self, ty: &Type) -> Expr {
        let fitting: Vec<_> =
            self.scope.iter().copied().filter(|var| self.program.vars[*var].ty == *ty).collect();
        if !fitting.is_empty() && self.below(4) > 0 {
            let var = fitting[self.below(fitting.len() as u64) as usize];
            return self.program.var(var, NONE);
        }
        let id = DefId(self.below(self.program.defs.len() as u64) as u32);
        if self.program.defs[id].ty == *ty {
            return self.program.global(id, NONE);
        }
        let reals = [0.1, -0.0, 1e300, -2.5e-7, 3.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        match ty.kind() {
            TypeKind::Real => Expr::real(reals[self.below(8) as usize], NONE),
            TypeKind::Int => Expr::int([0, 7, -1, i64::MIN][self.below(4) as usize], NONE),
            TypeKind::Bool => Expr::bool(self.below(2) == 0, NONE),
            TypeKind::Str => Expr::str("a \"b\" \\ \u{7} é\n -- c", NONE),
            TypeKind::Data(data) => Expr::con(*data, 2, vec![], NONE),
            TypeKind::Array(element) => Expr::array(vec![], element.clone(), NONE),
            TypeKind::Fun(_, _) => self.lambda(ty, 0),
            TypeKind::Tuple(_) | TypeKind::Record(_) => self.introduction(ty, 0),
        }
    }
}

/// The variables that a program binds, with what it says of them.
fn bound(program: &Program) -> Vec<(VarId, String, Type)> {
    let mut vars = Vec::new();
    for def in program.defs.iter() {
        def.body.visit(&mut |node| vars.extend(node.binders()));
    }
    let entry = |var| (var, program.vars[var].name.to_string(), program.vars[var].ty.clone());
    vars.into_iter().map(entry).collect()
}

#[test]
fn random_programs_verify_and_read_back() {
    let mut size = 0;
    for seed in 0..300 {
        let program = Random::new(seed).program;
        verify(&program, Stage::Any)
            .unwrap_or_else(|errors| panic!("{errors:#?}\n{}", program.print()));
        let text = program.print();
        let again = parse(&text, FileId(0)).unwrap_or_else(|error| {
            let at = error.span().lo as usize;
            panic!("{error:?} at {:?} in\n{text}", text.get(at..(at + 60).min(text.len())))
        });
        verify(&again, Stage::Any).unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"));
        assert_eq!(again.print(), text);
        assert_eq!(again.datas, program.datas);
        assert_eq!(bound(&again), bound(&program));
        size += program.defs.iter().map(|def| def.body.size()).sum::<usize>();
    }
    assert!(size > 20_000, "only {size} nodes were printed");
}

#[test]
fn mutilated_text_never_panics() {
    let text = Random::new(11).program.print();
    let mut state = 1_u64;
    for _ in 0..400 {
        let mut below = |limit: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % limit
        };
        let mut chars: Vec<char> = text.chars().collect();
        let (from, count) = (below(chars.len()), 1 + below(12));
        let to = (from + count).min(chars.len());
        let insert: Vec<char> =
            ["", "(", "let", "7", "| ", "\"", "`", "."][below(8)].chars().collect();
        chars.splice(from..to, insert);
        let mutilated: String = chars.into_iter().collect();
        if let Ok(program) = parse(&mutilated, FileId(0)) {
            // What can be read can be judged and printed, right or wrong.
            let _judged = verify(&program, Stage::Any);
            let _printed = program.print();
        }
    }
}

#[test]
fn deep_nesting_is_a_diagnostic() {
    let text = format!("def f.0 : Int =\n  {}1", "(".repeat(100_000));
    let on_big_stack = std::thread::Builder::new().stack_size(256 << 20);
    let thread = on_big_stack.spawn(move || parse(&text, FileId(0)).expect_err("too deep"));
    let error = thread.expect("threads start").join().expect("no panic");
    assert_eq!(error.code, "E0190");
    assert!(error.labels[0].text.contains("nested"), "{error:?}");
}

#[test]
fn printed_text_is_readable() {
    let text = "\
data `Tree Real`.0 = Leaf(Real) | Node(`Tree Real`.0, `Tree Real`.0)

def total.0 : `Tree Real`.0 -> Real =
  \\(t.0 : `Tree Real`.0) ->
    match t.0 with
    | Leaf x.1 -> mul x.1 (sin x.1)
    | Node l.2 r.3 ->
        let a.4 : Real = @total.0 l.2 in
        let b.5 : Real = @total.0 r.3 in
        add a.4 b.5
    end

def main.1 : Real =
  sum [ loop s.6 : Real = 1.0 for j.8 < 3 do mul s.6 (real i.7) | i.7 < 10 ]
";
    let program = parse(text, FileId(0)).expect("well-formed");
    assert_eq!(verify(&program, Stage::Any), Ok(()));
    assert_eq!(program.print(), text);
}

/// A field of the erased type takes any value, and opens at any type; its neighbours do not.
#[test]
fn erased_fields_open_at_any_type() {
    let text = "\
data Any.0 erased
data Package.1 = Zero() | Env(Any.0, Int)

def packed.0 : Real -> Package.1 =
  \\(x.0 : Real) -> Package.1::Env((x.0, x.0), 1)

def opened.1 : Package.1 -> Real =
  \\(p.1 : Package.1) ->
    match p.1 with | Zero -> 0.0 | Env (pair.2 as (Real, Real)) n.3 -> pair.2.0 end
";
    let program = parse(text, FileId(0)).expect("well-formed");
    assert_eq!(verify(&program, Stage::Any), Ok(()));
    assert_eq!(program.print(), text);
    let wrong = text.replace(", 1)", ", 1.0)");
    let program = parse(&wrong, FileId(0)).expect("well-formed");
    let problems = verify(&program, Stage::Any).expect_err("a Real for an Int");
    assert!(problems[0].contains("a field"), "{problems:?}");
}

#[test]
fn a_variable_bound_twice_is_found() {
    let mut program = Program::default();
    let x = program.fresh("x", Type::int());
    let body =
        Expr::let_(x, Expr::int(1, NONE), Expr::let_(x, Expr::int(2, NONE), Expr::int(3, NONE)));
    program.defs.push(Def { name: "f".into(), ty: Type::int(), body, span: NONE });
    assert_eq!(verify(&program, Stage::Any), Err(vec!["in `f`: v0 is bound twice".to_string()]));
}

#[test]
fn literals_keep_their_bits() {
    for x in [0.1, -0.0, 1e-310, f64::MAX, 1e16, 123_456_789.123] {
        let text = format!("def f.0 : Real =\n  {}", crate::print::print_lit(&Lit::Real(x)));
        let program = parse(&text, FileId(0)).expect("well-formed");
        let ExprKind::Lit(Lit::Real(read)) = program.defs[DefId(0)].body.kind else {
            panic!("{text}")
        };
        assert_eq!(read.to_bits(), x.to_bits());
    }
}
