//! Random programs mean to the evaluator what they mean to an interpreter without registers, moves and
//! shared buffers: one environment of trees, walked as the forms are told.

mod random_programs;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use pullback_base::{SourceMap, memory};
use pullback_ir::eval::{Counts, Image, Items, Limits, Machine, Shape, Strips, Value};
use pullback_ir::{Atom, Block, FuncId, LoopForm, Op, Program, Stage, VarId, parse, verify};
use pullback_prim::Scalar;

/// One iteration after the other, and many at once.
const STRIPS: [Strips; 3] = [
    Strips { size: 1, fewest: usize::MAX },
    Strips { size: 2, fewest: 1 },
    Strips { size: 64, fewest: 2 },
];

/// A value that shares nothing but accumulators.
#[derive(Clone, Debug, Default)]
enum Tree {
    /// What an accumulator holds once it has been read.
    #[default]
    Gone,
    Real(f64),
    Int(i64),
    Bool(bool),
    Array(Vec<Tree>),
    Data(u32, Vec<Tree>),
    /// What is accumulated, and the place of the part that is meant.
    Acc(Rc<RefCell<Tree>>, Vec<usize>),
}

impl Tree {
    fn of(value: &Value) -> Self {
        match value {
            Value::Real(x) => Self::Real(*x),
            Value::Int(n) => Self::Int(*n),
            Value::Bool(b) => Self::Bool(*b),
            Value::Array(array) => {
                let reals = array.reals().expect("Reals").iter().map(|x| Self::Real(*x));
                rows(&mut reals.collect::<Vec<_>>().into_iter(), array.sizes())
            }
            Value::Tag(_) | Value::Data(_) => {
                let (tag, fields) = value.as_data().expect("data");
                Self::Data(tag, fields.iter().map(Self::of).collect())
            }
            Value::Undef | Value::Str(_) | Value::Acc(_) => panic!("{value:?}"),
        }
    }
    fn int(&self) -> i64 {
        if let Self::Int(n) = self { *n } else { panic!("{self:?}") }
    }
    fn truth(&self) -> bool {
        if let Self::Bool(b) = self { *b } else { panic!("{self:?}") }
    }
    fn items(&self) -> &[Self] {
        if let Self::Array(items) = self { items } else { panic!("{self:?}") }
    }
    fn at(&mut self, place: &[usize]) -> &mut Self {
        place.iter().fold(self, |tree, index| {
            let Self::Array(items) = tree else { panic!("no array") };
            &mut items[*index]
        })
    }
    fn plus(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Real(x), Self::Real(y)) => Self::Real(x + y),
            (Self::Array(a), Self::Array(b)) => {
                Self::Array(a.iter().zip(b).map(|(a, b)| a.plus(b)).collect())
            }
            other => panic!("{other:?}"),
        }
    }
    fn zero(&self) -> Self {
        match self {
            Self::Real(_) => Self::Real(0.0),
            Self::Array(items) => Self::Array(items.iter().map(Self::zero).collect()),
            Self::Gone | Self::Int(_) | Self::Bool(_) | Self::Data(..) | Self::Acc(..) => {
                panic!("{self:?}")
            }
        }
    }
}

fn rows(items: &mut dyn Iterator<Item = Tree>, sizes: &[usize]) -> Tree {
    match sizes {
        [] => items.next().expect("an element"),
        [size, rest @ ..] => Tree::Array((0..*size).map(|_| rows(items, rest)).collect()),
    }
}

type Env = BTreeMap<VarId, Tree>;

fn atom(env: &Env, atom: Atom) -> Tree {
    match atom {
        Atom::Var(var) => env[&var].clone(),
        Atom::Real(x) => Tree::Real(x),
        Atom::Int(n) => Tree::Int(n),
        Atom::Bool(b) => Tree::Bool(b),
        Atom::Str(_) => panic!("a String"),
    }
}

fn call(program: &Program, func: FuncId, args: Vec<Tree>) -> Vec<Tree> {
    let func = &program.funcs[func];
    let mut env: Env = func.params.iter().copied().zip(args).collect();
    block(program, &mut env, &func.body)
}

fn block(program: &Program, env: &mut Env, code: &Block) -> Vec<Tree> {
    for stmt in &code.stmts {
        let results = op(program, env, &stmt.op);
        assert_eq!(results.len(), stmt.vars.len());
        env.extend(stmt.vars.iter().copied().zip(results));
    }
    code.results.iter().map(|result| atom(env, *result)).collect()
}

#[expect(clippy::wildcard_enum_match_arm, reason = "those that random programs have")]
fn op(program: &Program, env: &mut Env, op: &Op) -> Vec<Tree> {
    let get = |one: &Atom| atom(env, *one);
    let place = |at: &[Atom]| -> Vec<usize> {
        at.iter().map(|index| usize::try_from(get(index).int()).expect("an index")).collect()
    };
    vec![match op {
        Op::Copy(a) | Op::Stop(a) => get(a),
        Op::MulZero(t, x) => match (atom(env, *t), atom(env, *x)) {
            (Tree::Real(0.0), Tree::Real(_)) => Tree::Real(0.0),
            (Tree::Real(t), Tree::Real(x)) => Tree::Real(t * x),
            other => panic!("{other:?}"),
        },
        Op::Prim(prim, args) => {
            let scalars: Vec<Scalar> = args.iter().map(|arg| scalar(&get(arg))).collect();
            match prim.eval_scalar(&scalars).expect("a value") {
                Scalar::Real(x) => Tree::Real(x),
                Scalar::Int(n) => Tree::Int(n),
                Scalar::Bool(b) => Tree::Bool(b),
                Scalar::Str(_) => panic!("a String"),
            }
        }
        Op::Select(c, a, b) => get(if get(c).truth() { a } else { b }),
        Op::Call(func, args) => return call(program, *func, args.iter().map(get).collect()),
        Op::If(cond, then, other) => {
            let chosen = if get(cond).truth() { then } else { other };
            return block(program, env, chosen);
        }
        Op::Match(cases) => {
            let Tree::Data(tag, fields) = get(&cases.scrutinee) else { panic!("no data") };
            let Some(arm) = cases.arms.iter().find(|arm| arm.tag == tag) else {
                return block(program, env, cases.default.as_ref().expect("a default"));
            };
            env.extend(arm.params.iter().copied().zip(fields));
            return block(program, env, &arm.block);
        }
        Op::Loop(_) => return repeat(program, env, op),
        Op::Array(items) => Tree::Array(items.iter().map(get).collect()),
        Op::Index(a, at) => get(a).at(&place(at)).clone(),
        Op::Update(a, at, value) => {
            let mut array = get(a);
            *array.at(&place(at)) = get(value);
            array
        }
        Op::Slice(a, from, to) => {
            let range = place(&[*from])[0]..place(&[*to])[0];
            Tree::Array(get(a).items()[range].to_vec())
        }
        Op::Concat(a, b) => Tree::Array([get(a).items(), get(b).items()].concat()),
        Op::Flatten(a) => {
            Tree::Array(get(a).items().iter().flat_map(Tree::items).cloned().collect())
        }
        Op::Dim(a, dimension) => {
            let mut array = get(a);
            Tree::Int(array.at(&vec![0; usize::from(*dimension)]).items().len() as i64)
        }
        Op::Sum(a) => get(a).items().iter().fold(Tree::Real(0.0), |total, x| total.plus(x)),
        Op::Con(tag, fields) => Tree::Data(*tag, fields.iter().map(get).collect()),
        Op::Zero(a) => get(a).zero(),
        Op::Plus(a, b) => get(a).plus(&get(b)),
        Op::NewAcc(a) => Tree::Acc(Rc::new(RefCell::new(get(a))), vec![]),
        Op::AddAcc(acc, at, value) => {
            let Tree::Acc(cell, mut path) = get(acc) else { panic!("no accumulator") };
            path.extend(place(at));
            let mut total = cell.borrow_mut();
            let part = total.at(&path);
            *part = part.plus(&get(value));
            return vec![];
        }
        Op::AtAcc(acc, at) => {
            let Tree::Acc(cell, mut path) = get(acc) else { panic!("no accumulator") };
            path.extend(place(at));
            Tree::Acc(cell, path)
        }
        Op::ReadAcc(acc) => {
            let Tree::Acc(cell, _) = get(acc) else { panic!("no accumulator") };
            cell.take()
        }
        other => panic!("{other:?} is not among the random ones"),
    }]
}

fn repeat(program: &Program, env: &mut Env, op: &Op) -> Vec<Tree> {
    let Op::Loop(looped) = op else { panic!("no loop") };
    let mut states: Vec<Tree> = looped.init.iter().map(|first| atom(env, *first)).collect();
    let mut collected = vec![vec![]; looped.body.results.len() - states.len()];
    let mut indices: Box<dyn Iterator<Item = i64>> = match &looped.form {
        LoopForm::For { count, down: false, .. } => Box::new(0..atom(env, *count).int()),
        LoopForm::For { count, down: true, .. } => Box::new((0..atom(env, *count).int()).rev()),
        LoopForm::While(_) => Box::new(0..),
    };
    loop {
        env.extend(looped.states.iter().copied().zip(states.iter().cloned()));
        let index = indices.next();
        match (&looped.form, index) {
            (LoopForm::For { .. }, None) => break,
            (LoopForm::For { index, .. }, Some(i)) => {
                env.insert(*index, Tree::Int(i));
            }
            (LoopForm::While(cond), _) => {
                if !block(program, env, cond)[0].truth() {
                    break;
                }
            }
        }
        let mut results = block(program, env, &looped.body);
        for (items, item) in collected.iter_mut().zip(results.split_off(states.len())) {
            items.push(item);
        }
        states = results;
    }
    if matches!(looped.form, LoopForm::For { down: true, .. }) {
        // What is collected stands in the order of the index.
        collected.iter_mut().for_each(|items| items.reverse());
    }
    states.into_iter().chain(collected.into_iter().map(Tree::Array)).collect()
}

fn scalar(tree: &Tree) -> Scalar {
    match tree {
        Tree::Real(x) => Scalar::Real(*x),
        Tree::Int(n) => Scalar::Int(*n),
        Tree::Bool(b) => Scalar::Bool(*b),
        Tree::Gone | Tree::Array(_) | Tree::Data(..) | Tree::Acc(..) => panic!("{tree:?}"),
    }
}

#[test]
fn random_programs_mean_what_a_naive_interpreter_says() {
    let (mut results, mut strips_run) = (0, 0);
    for seed in 0..3000 {
        let program = random_programs::program(seed);
        if let Err(breaches) = verify(&program, Stage { resolved: false, linear: false }) {
            panic!("seed {seed}: {}\n{}", breaches[0], program.print());
        }
        let main = FuncId(program.funcs.len() as u32 - 1);
        let wanted = call(&program, main, vec![]);
        let before = memory::live();
        {
            let image = Image::new(&program);
            let wanted = format!("{wanted:?}");
            let mut counts = None;
            for strips in STRIPS {
                let mut machine = Machine::new(&image, Limits::default()).in_strips(strips);
                let values = machine.call(main, vec![]);
                let values = values.unwrap_or_else(|told| panic!("{told:?}\n{}", program.print()));
                let told: Vec<Tree> = values.iter().map(Tree::of).collect();
                let told = format!("{told:?}");
                assert_eq!(told, wanted, "seed {seed}, {strips:?}\n{}", program.print());
                results += values.len();
                let counted = done(machine.counts());
                let first = *counts.get_or_insert(counted);
                assert_eq!(counted, first, "seed {seed}, {strips:?}\n{}", program.print());
                strips_run += machine.strips_run();
            }
        }
        assert_eq!(memory::live(), before, "what has been freed has left the account");
    }
    assert!(results > 9000, "only {results} results");
    assert!(strips_run > 9000, "only {strips_run} strips");
}

/// Sums over `k` of what is read by `i`, `j` and `k`, in the second dimension of what is collected.
fn matrix_of(term: &str) -> String {
    format!(
        "fn @main.0(x.0: [][]f64, y.1: [][]f64, v.2: []f64) -> [][]f64, [][]f64 {{
           out.3: [][]f64, sums.4: [][]f64 = for i.5 < 5 {{
             row.6: []f64, other.7: []f64 = for j.8 < 7 {{
               m.30: i64 = int_mul(j.8, j.8)
               n.31: i64 = int_rem(m.30, 7)
               s.9: f64, t.10: f64 = for k.11 < 7 with a.12: f64 = 0.5, b.13: f64 = -0.0 {{
                 {term}
                 yield c.20, d.21
               }}
               collect s.9, t.10
             }}
             collect row.6, other.7
           }}
           yield out.3, sums.4
         }}"
    )
}

#[test]
fn sums_of_products_are_those_of_a_naive_interpreter() {
    let reads = [
        "x.0[i.5, k.11]",
        "x.0[k.11, i.5]",
        "y.1[k.11, j.8]",
        "y.1[j.8, k.11]",
        "y.1[n.31, k.11]",
        "v.2[k.11]",
        "v.2[j.8]",
    ];
    let number = |nth: usize| match nth % 11 {
        3 => f64::INFINITY,
        5 => 0.0,
        7 if nth == 7 => f64::NAN,
        rest => (rest as f64 - 4.3) * 1.1f64.powi(nth as i32 % 17),
    };
    let matrix = |from: usize| {
        let items = (from..from + 49).map(number).collect();
        Value::array(Shape::new(&[7, 7]), Items::Real(items))
    };
    let mut infinite = 0;
    for (one, other) in reads.iter().flat_map(|one| reads.iter().map(move |other| (one, other))) {
        for op in [Some("mul"), Some("mul_zero"), None] {
            let (product, added) = match op {
                Some(op) => (format!("r.16: f64 = {op}(p.14, q.15)"), "r.16"),
                None => (String::new(), "q.15"),
            };
            let term = format!(
                "p.14: f64 = {one}\n q.15: f64 = {other}\n {product}
                 c.20: f64 = add(a.12, {added})\n d.21: f64 = add(p.14, b.13)"
            );
            let mut sources = SourceMap::default();
            let text = matrix_of(&term);
            let file = sources.add("sums.ir", &text);
            let program = parse(&text, file).unwrap_or_else(|told| panic!("{told:?}\n{text}"));
            let args = [matrix(0), matrix(20), Value::reals((30..37).map(number).collect())];
            let wanted = call(&program, FuncId(0), args.iter().map(Tree::of).collect());
            let wanted = format!("{wanted:?}");
            infinite += usize::from(wanted.contains("inf"));
            let image = Image::new(&program);
            let counts = STRIPS.map(|strips| {
                let mut machine = Machine::new(&image, Limits::default()).in_strips(strips);
                let values = machine.call(FuncId(0), args.to_vec()).expect("a value");
                let values: Vec<Tree> = values.iter().map(Tree::of).collect();
                assert_eq!(format!("{values:?}"), wanted, "{strips:?}\n{text}");
                assert_eq!(machine.strips_run() > 0, strips.fewest < 7, "{strips:?}");
                done(machine.counts())
            });
            assert!(counts.iter().all(|one| *one == counts[0]), "{counts:?}\n{text}");
        }
    }
    assert!(infinite > 20, "only {infinite} with infinities");
}

/// What does not hang on how loops run: operations, by number and weight, copies, moves, and steps.
fn done(counts: Counts) -> [u64; 5] {
    [counts.operations, counts.weight(), counts.copied, counts.moved, counts.steps]
}

#[test]
fn a_program_fails_in_strips_as_it_fails_one_iteration_after_the_other() {
    let (mut failures, mut values) = (0, 0);
    for seed in 0..3000 {
        let program = random_programs::program_with(seed, true);
        let main = FuncId(program.funcs.len() as u32 - 1);
        let image = Image::new(&program);
        let [alone, others @ ..] = STRIPS.map(|strips| {
            let mut machine = Machine::new(&image, Limits::default()).in_strips(strips);
            let told = match machine.call(main, vec![]) {
                Ok(values) => {
                    let values: Vec<Tree> = values.iter().map(Tree::of).collect();
                    Ok((format!("{values:?}"), done(machine.counts())))
                }
                Err(fault) => Err(format!("{fault:?}")),
            };
            (told, strips)
        });
        *(if alone.0.is_ok() { &mut values } else { &mut failures }) += 1;
        for (told, strips) in others {
            assert_eq!(told, alone.0, "seed {seed}, {strips:?}\n{}", program.print());
        }
    }
    assert!(failures > 500 && values > 500, "{failures} failures, {values} values");
}
