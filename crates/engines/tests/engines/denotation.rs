//! Random programs as trees, and their meaning: a partial function of two numbers with its derivative.
//!
//! The meaning is written down here, apart from the engines: a tree is evaluated with nested dual numbers, and has no value
//! where a comparison is a tie, an operation is at an edge, or a number is not finite. It shares no table, no trace and
//! no rule with what it checks. Operations are those that binary64 rounds in one way, so that a tie here is one there.

use pullback_oracle::Entropy;

/// A term of Reals. Variables are numbered from the outermost.
enum Tree {
    Var(usize),
    Number(f64),
    Unary(&'static str, Box<Tree>),
    Binary(&'static str, Box<Tree>, Box<Tree>),
    /// `if a < b then … else …`, or `>`.
    If(&'static str, Box<[Tree; 4]>),
    Let(Box<Tree>, Box<Tree>),
    /// `let rec h(q, n) = if n < 0.5 then base else h(step, n - 1.0) in h(start, times)`. `base` and `step` see the
    /// variables outside, which `h` captures, and `q`.
    Rec {
        base: Box<Tree>,
        step: Box<Tree>,
        start: Box<Tree>,
        times: f64,
    },
    /// `w.rd_v(x. body)`
    Rd {
        w: Box<Tree>,
        v: Box<Tree>,
        body: Box<Tree>,
    },
}

/// A random program `f(x, y)`.
pub struct Made(Tree);

/// What a program means at a point.
pub enum Meaning {
    /// A value with its derivatives. No comparison and no edge is nearer than `margin`, and no number on the way is
    /// larger than `scale`.
    Some { value: f64, slopes: [f64; 2], margin: f64, scale: f64 },
    /// Nothing: there is a tie, an edge, or a number that is not finite.
    None,
    /// Rounding decides.
    Unsure,
}

impl Made {
    /// The program that these bytes make.
    pub fn new(bytes: &[u8], rd: bool) -> Self {
        Self(Maker { entropy: Entropy::new(bytes), rd }.tree(2, 4))
    }

    /// The program in the text of the calculus.
    pub fn text(&self) -> String {
        let out = String::from(
            "def f : (Real, Real) -> Real = \\($p : (Real, Real)) ->\n  let $x : Real = $p.0 in\n  let $y : Real = $p.1 in\n  ",
        );
        let scope = vec!["$x".to_owned(), "$y".to_owned()];
        let mut printer = Printer { scope, next: 0, out };
        printer.print(&self.0);
        printer.out + "\n"
    }

    /// What it means at a point.
    pub fn meaning(&self, x: f64, y: f64) -> Meaning {
        let mut denote = Denote { level: 2, margin: f64::INFINITY, scale: 1.0, after_rd: false };
        // Two directions, each a level of its own.
        let dual = |level, x| Number::Dual(level, Box::new([Number::Real(x), Number::Real(1.0)]));
        let mut scope = vec![dual(1, x), dual(2, y)];
        match denote.tree(&self.0, &mut scope) {
            Ok(result) => {
                let slope = |level| result.parts(level).1.map_or(0.0, |tangent| tangent.primal());
                let slopes = [slope(1), slope(2)];
                if slopes.iter().all(|slope| slope.is_finite()) {
                    let Denote { margin, scale, .. } = denote;
                    Meaning::Some { value: result.primal(), slopes, margin, scale }
                } else {
                    Meaning::Unsure
                }
            }
            Err(Stop::Undefined) => Meaning::None,
            Err(Stop::Unsure) => Meaning::Unsure,
        }
    }
}

struct Maker<'e> {
    entropy: Entropy<'e>,
    rd: bool,
}

const GRID: [f64; 6] = [0.5, 1.0, -1.0, 0.0, 2.0, 0.25];

impl Maker<'_> {
    fn tree(&mut self, scope: usize, depth: usize) -> Tree {
        if depth == 0 {
            return match self.entropy.below(4) {
                0 => Tree::Number(GRID[self.entropy.below(GRID.len())]),
                _ => Tree::Var(self.entropy.below(scope)),
            };
        }
        let depth = depth - 1;
        let choice = self.entropy.below(if self.rd { 14 } else { 12 });
        let mut part = |scope| Box::new(self.tree(scope, depth));
        match choice {
            0 => *part(scope),
            1 => Tree::Binary("add", part(scope), part(scope)),
            2 => Tree::Binary("sub", part(scope), part(scope)),
            3 => Tree::Binary("mul", part(scope), part(scope)),
            4 => {
                let (a, b) = (part(scope), part(scope));
                let name = ["max", "min", "div"][self.entropy.below(3)];
                Tree::Binary(name, a, b)
            }
            5 | 6 => {
                let a = part(scope);
                let names = ["sin", "neg", "exp", "abs", "log", "sqrt"];
                Tree::Unary(names[self.entropy.below(names.len())], a)
            }
            7 | 8 => {
                let parts = Box::new([0; 4].map(|_| *part(scope)));
                Tree::If(["lt", "gt"][self.entropy.below(2)], parts)
            }
            9 => Tree::Let(part(scope), part(scope + 1)),
            10 | 11 => {
                let (base, step, start) = (part(scope + 1), part(scope + 1), part(scope));
                // A start of a half is a tie.
                let times = [0.0, 1.0, 2.0, 3.0, 0.5][self.entropy.below(5)];
                Tree::Rec { base, step, start, times }
            }
            _ => Tree::Rd { w: part(scope), v: part(scope), body: part(scope + 1) },
        }
    }
}

/// Each variable has a name of its own: in the text a name stands for one thing.
struct Printer {
    scope: Vec<String>,
    next: usize,
    out: String,
}

impl Printer {
    fn fresh(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    /// A part that sees one variable more.
    fn with(&mut self, variable: usize, tree: &Tree) {
        self.scope.push(format!("$v{variable}"));
        self.print(tree);
        self.scope.pop();
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn print(&mut self, tree: &Tree) {
        match tree {
            Tree::Var(var) => {
                let name = self.scope[*var].clone();
                self.put(&name);
            }
            Tree::Number(x) => self.put(&format!("{x:?}")),
            Tree::Unary(name, a) => {
                self.put(&format!("({name} "));
                self.print(a);
                self.put(")");
            }
            Tree::Binary(name, a, b) => {
                self.put(&format!("({name} "));
                self.print(a);
                self.put(" ");
                self.print(b);
                self.put(")");
            }
            Tree::If(name, parts) => {
                let words = [format!("(if {name} "), " ".into(), " then ".into(), " else ".into()];
                for (word, part) in words.iter().zip(parts.iter()) {
                    self.put(word);
                    self.print(part);
                }
                self.put(")");
            }
            Tree::Let(value, body) => {
                let v = self.fresh();
                self.put(&format!("(let $v{v} : Real = "));
                self.print(value);
                self.put(" in ");
                self.with(v, body);
                self.put(")");
            }
            Tree::Rec { base, step, start, times } => {
                // What `base` and `step` see of it are two variables of one value.
                let (h, v, w) = (self.fresh(), self.fresh(), self.fresh());
                self.put(&format!(
                    "(let rec $h{h} : (Real, Real) -> Real = \\($q{h} : (Real, Real)) -> "
                ));
                self.put(&format!("if lt $q{h}.1 0.5 then (let $v{v} : Real = $q{h}.0 in "));
                self.with(v, base);
                self.put(&format!(") else (let $v{w} : Real = $q{h}.0 in $h{h} ("));
                self.with(w, step);
                self.put(&format!(", sub $q{h}.1 1.0)) in $h{h} ("));
                self.print(start);
                self.put(&format!(", {times:?}))"));
            }
            Tree::Rd { w, v, body } => {
                let x = self.fresh();
                self.put(&format!("((vjp (\\($v{x} : Real) -> "));
                self.with(x, body);
                self.put(") ");
                self.print(v);
                self.put(").1 ");
                self.print(w);
                self.put(")");
            }
        }
    }
}

/// Why there is no number.
enum Stop {
    Undefined,
    Unsure,
}

type Denoted = Result<Number, Stop>;

/// A number, or a number with its tangent in the direction of a level.
#[derive(Clone)]
enum Number {
    Real(f64),
    Dual(u32, Box<[Number; 2]>),
}

impl Number {
    fn level(&self) -> u32 {
        if let Self::Dual(level, _) = self { *level } else { 0 }
    }
    /// The number below a level, and its tangent there.
    fn parts(&self, level: u32) -> (&Self, Option<&Self>) {
        match self {
            Self::Dual(own, parts) if *own == level => (&parts[0], Some(&parts[1])),
            Self::Dual(own, parts) if *own > level => parts[0].parts(level),
            Self::Dual(..) | Self::Real(_) => (self, None),
        }
    }
    fn primal(&self) -> f64 {
        match self {
            Self::Real(x) => *x,
            Self::Dual(_, parts) => parts[0].primal(),
        }
    }
}

struct Denote {
    /// The newest level.
    level: u32,
    margin: f64,
    /// The largest number so far.
    scale: f64,
    /// Whether a derivative has been taken, whose last bits may be others than those of reverse mode.
    after_rd: bool,
}

impl Denote {
    fn tree(&mut self, tree: &Tree, scope: &mut Vec<Number>) -> Denoted {
        match tree {
            Tree::Var(var) => Ok(scope[*var].clone()),
            Tree::Number(x) => Ok(Number::Real(*x)),
            Tree::Unary(name, a) => {
                let a = self.tree(a, scope)?;
                self.unary(name, &a)
            }
            Tree::Binary(name, a, b) => {
                let (a, b) = (self.tree(a, scope)?, self.tree(b, scope)?);
                self.binary(name, &a, &b)
            }
            Tree::If(name, parts) => {
                let [a, b, then, other] = &**parts;
                let (a, b) = (self.tree(a, scope)?.primal(), self.tree(b, scope)?.primal());
                self.apart(a - b)?;
                let holds = if *name == "lt" { a < b } else { a > b };
                self.tree(if holds { then } else { other }, scope)
            }
            Tree::Let(value, body) => {
                let value = self.tree(value, scope)?;
                self.with(value, body, scope)
            }
            Tree::Rec { base, step, start, times } => {
                let (mut q, mut n) = (self.tree(start, scope)?, *times);
                loop {
                    self.apart(n - 0.5)?;
                    if n < 0.5 {
                        return self.with(q, base, scope);
                    }
                    q = self.with(q, step, scope)?;
                    n -= 1.0;
                }
            }
            Tree::Rd { w, v, body } => {
                let (v, w) = (self.tree(v, scope)?, self.tree(w, scope)?);
                self.level += 1;
                let level = self.level;
                let moving = Number::Dual(level, Box::new([v, Number::Real(1.0)]));
                let result = self.with(moving, body, scope)?;
                self.after_rd = true;
                let slope = result.parts(level).1.cloned().unwrap_or(Number::Real(0.0));
                self.binary("mul", &slope, &w)
            }
        }
    }

    fn with(&mut self, value: Number, body: &Tree, scope: &mut Vec<Number>) -> Denoted {
        scope.push(value);
        let result = self.tree(body, scope);
        scope.pop();
        result
    }

    /// Goes on where this is not 0, and keeps how near that is.
    fn apart(&mut self, distance: f64) -> Result<(), Stop> {
        if self.after_rd && distance.abs() < 1e-7 {
            return Err(Stop::Unsure);
        }
        if distance == 0.0 || distance.is_nan() {
            return Err(Stop::Undefined);
        }
        self.margin = self.margin.min(distance.abs());
        Ok(())
    }

    /// A value of the program, which must be finite.
    fn finite(&mut self, value: f64) -> Denoted {
        if value.is_finite() {
            self.scale = self.scale.max(value.abs());
            return Ok(Number::Real(value));
        }
        // Reverse mode multiplies in another order.
        Err(if self.after_rd { Stop::Unsure } else { Stop::Undefined })
    }

    fn unary(&mut self, name: &str, a: &Number) -> Denoted {
        let Number::Dual(level, parts) = a else {
            let x = a.primal();
            match name {
                // The last bits of a derivative turn the sine of a large number around.
                "sin" | "cos" if self.after_rd && x.abs() > 1e4 => return Err(Stop::Unsure),
                "abs" => self.apart(x)?,
                "log" | "sqrt" => {
                    self.apart(x)?;
                    if x < 0.0 {
                        return Err(Stop::Undefined);
                    }
                }
                _ => {}
            }
            let value = match name {
                "sin" => x.sin(),
                "cos" => x.cos(),
                "neg" => -x,
                "exp" => x.exp(),
                "abs" => x.abs(),
                "log" => x.ln(),
                _ => x.sqrt(),
            };
            return self.finite(value);
        };
        let [primal, tangent] = &**parts;
        let value = self.unary(name, primal)?;
        let one = Number::Real(1.0);
        let slope = match name {
            "sin" => self.unary("cos", primal)?,
            "cos" => {
                let sine = self.unary("sin", primal)?;
                self.unary("neg", &sine)?
            }
            "neg" => Number::Real(-1.0),
            "exp" => value.clone(),
            "abs" => Number::Real(primal.primal().signum()),
            "log" => self.tangent("div", &one, primal)?,
            _ => self.tangent("div", &Number::Real(0.5), &value)?,
        };
        let tangent = self.tangent("mul", &slope, tangent)?;
        Ok(Number::Dual(*level, Box::new([value, tangent])))
    }

    /// An operation of the derivative, which may overflow where reverse mode does not.
    fn tangent(&mut self, name: &str, a: &Number, b: &Number) -> Denoted {
        self.binary(name, a, b).map_err(|_| Stop::Unsure)
    }

    fn binary(&mut self, name: &str, a: &Number, b: &Number) -> Denoted {
        let level = a.level().max(b.level());
        if level == 0 {
            let (x, y) = (a.primal(), b.primal());
            match name {
                "max" | "min" => self.apart(x - y)?,
                "div" => self.apart(y)?,
                _ => {}
            }
            let value = match name {
                "add" => x + y,
                "sub" => x - y,
                "mul" => x * y,
                "div" => x / y,
                "max" => x.max(y),
                _ => x.min(y),
            };
            return self.finite(value);
        }
        let ((x, dx), (y, dy)) = (a.parts(level), b.parts(level));
        let value = self.binary(name, x, y)?;
        let one = Number::Real(1.0);
        let is_first = (x.primal() > y.primal()) == (name == "max");
        let (by_x, by_y) = match name {
            "add" => (one.clone(), one),
            "sub" => (one, Number::Real(-1.0)),
            "mul" => (y.clone(), x.clone()),
            "div" => {
                let inverse = self.tangent("div", &one, y)?;
                let ratio = self.tangent("mul", &value, &inverse)?;
                (inverse, self.unary("neg", &ratio)?)
            }
            _ if is_first => (one, Number::Real(0.0)),
            _ => (Number::Real(0.0), one),
        };
        let mut sum = Number::Real(0.0);
        for (slope, tangent) in [(by_x, dx), (by_y, dy)] {
            if let Some(tangent) = tangent {
                let part = self.tangent("mul", &slope, tangent)?;
                sum = self.tangent("add", &sum, &part)?;
            }
        }
        Ok(Number::Dual(level, Box::new([value, sum])))
    }
}
