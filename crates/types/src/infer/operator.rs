//! Binary operators.

use pullback_base::{Diagnostic, Fix, Span, Spanned};
use pullback_syntax::ast::{Arithmetic, BinaryOp, Expr, NumberSide};

use super::callee::{Callee, Cause};
use super::clash::{Clash, Sizes};
use super::literal::is_int_literal;
use super::mismatch::Why;
use super::solver::Solver;
use super::state::Infer;
use crate::builtins;
use crate::tir::{Constraint, TExpr, TExprKind};
use crate::ty::Ty;

impl<'a> Infer<'a> {
    /// `lhs op rhs`; not `|>`.
    pub(super) fn binary(
        &mut self,
        op: &Spanned<BinaryOp>,
        lhs: &'a Expr,
        rhs: &'a Expr,
        span: Span,
    ) -> TExpr {
        let on = Why::Operator(op.node);
        let (lhs, rhs, ty) = match op.node {
            BinaryOp::Or | BinaryOp::And => {
                let lhs = self.check(lhs, &Ty::Bool, &on);
                (lhs, self.in_doubt(|this| this.check(rhs, &Ty::Bool, &on)), Ty::Bool)
            }
            BinaryOp::Eq | BinaryOp::Ne => {
                let (lhs, rhs) = self.operands(op, lhs, rhs);
                self.solver().require_at(lhs.span, Constraint::Eq(lhs.ty.clone()));
                (lhs, rhs, Ty::Bool)
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                let (lhs, rhs) = self.operands(op, lhs, rhs);
                self.solver().require_number(&lhs, op, Constraint::Ord);
                (lhs, rhs, Ty::Bool)
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
                let (lhs, rhs) = self.operands(op, lhs, rhs);
                self.solver().require_number(&lhs, op, Constraint::Num);
                // What has no arithmetic has been reported, so its result is not looked at.
                let head = self.unifier.table.head(&lhs.ty);
                let number = if let Ty::Sum(id, _) = head {
                    self.unifier.table.may_be_vector(id, &Constraint::Num(Ty::Error))
                } else {
                    !matches!(head, Ty::Bool | Ty::Str | Ty::Fun(..))
                };
                let ty = if number { lhs.ty.clone() } else { Ty::Error };
                (lhs, rhs, ty)
            }
            BinaryOp::Dotted(NumberSide::Right, Arithmetic::Pow) => self.power(op, lhs, rhs),
            BinaryOp::Dotted(NumberSide::Left, _) => {
                let (number, vector) = self.dotted(lhs, rhs, NumberSide::Left, op);
                let ty = vector.ty.clone();
                (number, vector, ty)
            }
            BinaryOp::Dotted(NumberSide::Right, _) => {
                let (number, vector) = self.dotted(rhs, lhs, NumberSide::Right, op);
                let ty = vector.ty.clone();
                (vector, number, ty)
            }
            BinaryOp::Join => {
                let lhs = self.check(lhs, &Ty::Str, &on);
                (lhs, self.check(rhs, &Ty::Str, &on), Ty::Str)
            }
            BinaryOp::MatMul => self.matmul(lhs, rhs),
            BinaryOp::Pow => self.power(op, lhs, rhs),
            // Application; the caller takes it apart.
            BinaryOp::Pipe => return TExpr::error(span),
        };
        let erroneous = |operand: &TExpr| matches!(operand.kind, TExprKind::Error);
        let ty = if erroneous(&lhs) || erroneous(&rhs) { Ty::Error } else { ty };
        let Some(builtin) = builtins::of_operator(op.node) else { return TExpr::error(span) };
        let fun = Ty::Fun(rhs.ty.clone().into(), ty.clone().into());
        let fun = Ty::Fun(lhs.ty.clone().into(), fun.into());
        let head = TExpr { kind: TExprKind::Builtin(builtin), ty: fun, span: op.span };
        TExpr { kind: TExprKind::App(Box::new(head), vec![lhs, rhs]), ty, span }
    }

    /// Two operands of the same type.
    fn operands(&mut self, op: &Spanned<BinaryOp>, lhs: &'a Expr, rhs: &'a Expr) -> (TExpr, TExpr) {
        let left = self.infer(lhs);
        let wanted = self.unifier.table.head(&left.ty);
        // A literal or a constructor takes its type from the other operand.
        let structured = matches!(wanted, Ty::Tangent(_) | Ty::Tuple(_) | Ty::Record(_))
            && matches!(op.node, BinaryOp::Eq | BinaryOp::Ne);
        let why = Why::Operand(op.node, left.span);
        if structured || (is_int_literal(rhs) && matches!(wanted, Ty::Real | Ty::Int)) {
            let right = self.check(rhs, &wanted, &why);
            return (left, right);
        }
        let right = self.infer(rhs);
        if (is_arithmetic(op.node) || is_comparison(op.node))
            && let Some((left, right)) = self.literal_beside(lhs, rhs, &left, &right)
        {
            self.solver().report_operands(op, &left, &right, &Clash::Types);
            return (TExpr::error(left.span), TExpr::error(right.span));
        }
        self.unifier.at = left.span.to(right.span);
        let (left, right) = match self.solver().unify(&right.ty, &left.ty, Sizes::Strict) {
            Ok(_) => (left, right),
            Err(clash) => {
                self.solver().report_operands(op, &left, &right, &clash);
                let spans = (left.span, right.span);
                self.typed.salvaged.extend([left, right]);
                (TExpr::error(spans.0), TExpr::error(spans.1))
            }
        };
        (left, right)
    }

    /// The operands where one is an integer literal and the other a structure, which it cannot be:
    /// the literal with the type of the structure's numbers.
    fn literal_beside(
        &mut self,
        lhs: &Expr,
        rhs: &Expr,
        left: &TExpr,
        right: &TExpr,
    ) -> Option<(TExpr, TExpr)> {
        let mut number_of = |structure: &TExpr| {
            let head = self.unifier.table.head(&structure.ty);
            let leaf = self.unifier.table.leaf(&head);
            let number = leaf.filter(|leaf| *leaf == Ty::Int).unwrap_or(Ty::Real);
            is_structure(&head).then_some(number)
        };
        if is_int_literal(rhs) {
            let ty = number_of(left)?;
            Some((left.clone(), TExpr { ty, ..right.clone() }))
        } else if is_int_literal(lhs) {
            let ty = number_of(right)?;
            Some((TExpr { ty, ..left.clone() }, right.clone()))
        } else {
            None
        }
    }

    /// A number and a structure of such numbers. They are Ints if one of the two is known to be, and
    /// Reals otherwise.
    fn dotted(
        &mut self,
        number: &'a Expr,
        structure: &'a Expr,
        side: NumberSide,
        op: &Spanned<BinaryOp>,
    ) -> (TExpr, TExpr) {
        let why = &Why::Operator(op.node);
        let is_literal = is_int_literal(number);
        let mut typed = None;
        if side == NumberSide::Left && !is_literal {
            typed = Some(self.infer(number));
        }
        let structure = self.infer(structure);
        if side == NumberSide::Right && !is_literal {
            typed = Some(self.infer(number));
        }
        let whole = matches!(self.unifier.table.leaf(&structure.ty), Some(Ty::Int))
            || typed.as_ref().is_some_and(|n| self.unifier.table.head(&n.ty) == Ty::Int);
        let scalar = if whole { Ty::Int } else { Ty::Real };
        let number = match typed {
            Some(typed) => self.solver().coerce(typed, &scalar, why),
            None => self.check(number, &scalar, why),
        };
        if whole {
            let constraint = Constraint::Whole(structure.ty.clone());
            self.solver().require_at(structure.span, constraint);
        } else {
            self.solver().require_number(&structure, op, Constraint::Vector);
        }
        (number, structure)
    }

    fn power(
        &mut self,
        op: &Spanned<BinaryOp>,
        lhs: &'a Expr,
        rhs: &'a Expr,
    ) -> (TExpr, TExpr, Ty) {
        let lhs = self.infer(lhs);
        let power = Spanned { node: BinaryOp::Pow, span: op.span };
        self.solver().require_number(&lhs, &power, Constraint::Num);
        let mut ty = lhs.ty.clone();
        let rhs = if is_int_literal(rhs) {
            self.check(rhs, &Ty::Int, &Why::Operator(BinaryOp::Pow))
        } else {
            let rhs = self.infer(rhs);
            self.solver().require_at(rhs.span, Constraint::Power(lhs.ty.clone(), rhs.ty.clone()));
            if matches!(
                (self.unifier.table.head(&ty), self.unifier.table.head(&rhs.ty)),
                (Ty::Int, Ty::Real)
            ) {
                ty = Ty::Error;
            }
            rhs
        };
        (lhs, rhs, ty)
    }

    fn matmul(&mut self, lhs: &'a Expr, rhs: &'a Expr) -> (TExpr, TExpr, Ty) {
        let (lhs, rhs) = (self.infer(lhs), self.infer(rhs));
        if self.solver().report_bad_matrices(&lhs, &rhs) {
            let (left, right) = (TExpr::error(lhs.span), TExpr::error(rhs.span));
            return (left, right, Ty::Error);
        }
        let side = self.unifier.left_operand(&lhs.ty, &rhs.ty);
        let product = match side {
            Some(side) => self.solver().product_types(side, rhs.span),
            None => self.solver().open_product(rhs.span),
        };
        let why = Why::Operator(BinaryOp::MatMul);
        let lhs = self.solver().coerce(lhs, &product.left, &why);
        let rhs = self.solver().coerce(rhs, &product.right, &why);
        (lhs, rhs, product.result)
    }
}

impl Solver<'_> {
    /// A constraint on an operand, unless it is plainly satisfied.
    fn require_number(
        &mut self,
        operand: &TExpr,
        op: &Spanned<BinaryOp>,
        constraint: fn(Ty) -> Constraint,
    ) {
        if !matches!(self.unifier.table.head(&operand.ty), Ty::Real | Ty::Error) {
            let used = builtins::of_operator(op.node).map(Callee::Builtin);
            let constraint = constraint(operand.ty.clone());
            let cause = Cause { used, inside: None, operator: Some(op.span) };
            self.caused(cause, |this| this.require_at(operand.span, constraint));
        }
    }

    /// Reports operands of `@` that are plainly no matrix and no vector.
    fn report_bad_matrices(&mut self, lhs: &TExpr, rhs: &TExpr) -> bool {
        let (left, right) = (self.unifier.known(&lhs.ty), self.unifier.known(&rhs.ty));
        let open = |ty: &Ty| matches!(ty, Ty::Var(_) | Ty::Error | Ty::Tangent(_));
        let matrix = |ty: &Ty| {
            if let Ty::Array(_, row) = ty {
                matches!(row.as_ref(), Ty::Array(..)) || open(row)
            } else {
                open(ty)
            }
        };
        let array = |ty: &Ty| matches!(ty, Ty::Array(..)) || open(ty);
        let row =
            |ty: &Ty| matches!(ty, Ty::Array(_, item) if matches!(**item, Ty::Real | Ty::Int));
        if matrix(&left) && array(&right) || row(&left) && matrix(&right) {
            return false;
        }
        let is_left = if row(&left) { array(&right) } else { !matrix(&left) };
        let (span, bad) = if is_left { (lhs.span, &left) } else { (rhs.span, &right) };
        let found = self.show(bad);
        let diagnostic = Diagnostic::error(
            "E0316",
            span,
            format!("`@` multiplies matrices, but this is `{found}`"),
            format!("this is `{found}`"),
        )
        .note(
            "`@` multiplies a matrix `[n][m]Real` by a matrix `[m][k]Real` or a vector `[m]Real`, and a row `[n]Real` by a matrix",
        );
        let diagnostic = match (&left, &right) {
            (Ty::Array(..), Ty::Array(..)) => diagnostic.hint("the inner product of two vectors is `dot a b`, the matrix of all products `[ x * y | x <- a, y <- b ]`"),
            _ => diagnostic.hint("use `*` for numbers and `*.` to scale"),
        };
        self.unifier.report(diagnostic);
        true
    }

    fn report_operands(
        &mut self,
        op: &Spanned<BinaryOp>,
        left: &TExpr,
        right: &TExpr,
        clash: &Clash,
    ) {
        let (a, b) = (self.unifier.known(&left.ty), self.unifier.known(&right.ty));
        if matches!(a, Ty::Fun(..)) && matches!(b, Ty::Int | Ty::Real) && op.node == BinaryOp::Sub {
            let found = self.show(&a);
            let diagnostic = Diagnostic::error("E0303", left.span, "a number is subtracted from a function", format!("this is `{found}`"))
                .note("`f -1.0` is a difference, not an application")
                .fixes(
                    "put parentheses around a negative argument, `f (-1.0)`, or give the function its missing arguments",
                    Fix::around(op.span.to(right.span), "(", ")"),
                );
            self.unifier.report(diagnostic);
            return;
        }
        if matches!(a, Ty::Fun(..)) && !matches!(b, Ty::Fun(..) | Ty::Var(_)) {
            self.report_mismatch(left.span, &a, &b, &Why::Operand(op.node, right.span));
            return;
        }
        let arithmetic = is_arithmetic(op.node);
        let number = |ty: &Ty| matches!(ty, Ty::Int | Ty::Real);
        let dotted: String;
        let structure = |ty: &Ty| is_structure(ty) || matches!(ty, Ty::Tangent(_));
        let hint = match (&a, &b) {
            (Ty::Int, Ty::Real) => {
                Some("write `real` before the Int operand to turn it into a Real")
            }
            (Ty::Real, Ty::Int) => {
                Some("write `real` before the Int operand to turn it into a Real")
            }
            (x, y) if arithmetic && number(x) && structure(y) => {
                dotted = self.dotted_hint(op.node, NumberSide::Left, x, y);
                Some(dotted.as_str())
            }
            (x, y) if arithmetic && structure(x) && number(y) => {
                dotted = self.dotted_hint(op.node, NumberSide::Right, y, x);
                Some(dotted.as_str())
            }
            (x, y) if op.node == BinaryOp::Mul && is_product(x, y) => Some(
                "`*` multiplies number by number; the product of a matrix and a vector, and of matrices, is `a @ b`",
            ),
            (x, y) if op.node == BinaryOp::Add && moved(x, y) => {
                Some("write `move x dx`: it displaces a value by a tangent")
            }
            (x, y) if op.node == BinaryOp::Sub && moved(x, y) => {
                Some("write `move x (-dx)`: it displaces a value by a tangent")
            }
            (Ty::Array(..), y) if is_comparison(op.node) && number(y) => {
                dotted = compare_hint(op.node, "x", "s");
                Some(dotted.as_str())
            }
            (x, Ty::Array(..)) if is_comparison(op.node) && number(x) => {
                dotted = compare_hint(op.node, "s", "x");
                Some(dotted.as_str())
            }
            _ => None,
        };
        let Some(hint) = hint.filter(|_| matches!(clash, Clash::Types)) else {
            self.report_clash(
                right.span,
                &right.ty,
                &left.ty,
                clash,
                &Why::Operand(op.node, left.span),
            );
            return;
        };
        let mut show = crate::show::Show::new(self.typed, &[]);
        let (a_text, b_text) = (show.ty(&a), show.ty(&b));
        let text = op.node.text();
        let diagnostic = Diagnostic::error(
            "E0301",
            op.span,
            format!("the operands of `{text}` have different types: `{a_text}` and `{b_text}`"),
            "",
        )
        .label(left.span, format!("this is `{a_text}`"))
        .label(right.span, format!("this is `{b_text}`"))
        .note(if is_comparison(op.node) {
            "only two values of the same type can be compared"
        } else if op.node == BinaryOp::Mul && is_product(&a, &b) {
            "`*` goes through two structures of one shape"
        } else if moved(&a, &b) {
            "what is discrete has no room in a tangent, so a value and its tangent are no operands of one operator"
        } else {
            "numbers are not converted by themselves"
        })
        .fixes(hint, self.operand_fixes(op, left, right));
        self.unifier.report(diagnostic);
    }

    /// What makes the operands fit, where only one thing does.
    fn operand_fixes(&mut self, op: &Spanned<BinaryOp>, left: &TExpr, right: &TExpr) -> Vec<Fix> {
        let (a, b) = (self.unifier.known(&left.ty), self.unifier.known(&right.ty));
        let number = |ty: &Ty| matches!(ty, Ty::Int | Ty::Real);
        let structure = |ty: &Ty| is_structure(ty) || matches!(ty, Ty::Tangent(_));
        let side = match (&a, &b) {
            (Ty::Int, Ty::Real) => return Fix::around(left.span, "(real (", "))").into(),
            (Ty::Real, Ty::Int) => return Fix::around(right.span, "(real (", "))").into(),
            (x, y) if is_arithmetic(op.node) && number(x) && structure(y) => NumberSide::Left,
            (x, y) if is_arithmetic(op.node) && number(y) && structure(x) => NumberSide::Right,
            (x, y) if op.node == BinaryOp::Mul && is_product(x, y) => {
                return vec![Fix::new(op.span, "@")];
            }
            (x, y) if matches!(op.node, BinaryOp::Add | BinaryOp::Sub) && moved(x, y) => {
                return moving(op.node, left, right);
            }
            _ => return vec![],
        };
        let (number, structure) = if side == NumberSide::Left { (&a, &b) } else { (&b, &a) };
        let leaf = self.unifier.table.leaf(structure);
        if leaf.is_some_and(|leaf| matches!(leaf, Ty::Int | Ty::Real) && leaf != *number) {
            return vec![];
        }
        let plain = op.node.text();
        let text = if side == NumberSide::Left { format!("{plain}.") } else { format!(".{plain}") };
        vec![Fix::new(op.span, text)]
    }

    /// What to write for arithmetic between a number and a structure of numbers.
    fn dotted_hint(
        &mut self,
        op: BinaryOp,
        side: NumberSide,
        number: &Ty,
        structure: &Ty,
    ) -> String {
        let op = op.text();
        let leaf = self.unifier.table.leaf(structure);
        let differ = leaf.is_some_and(|leaf| matches!(leaf, Ty::Int | Ty::Real) && leaf != *number);
        let dotted = match side {
            NumberSide::Left => {
                format!("write `s {op}. v`: the dot stands on the side of the structure")
            }
            NumberSide::Right => {
                format!("write `v .{op} s`: the dot stands on the side of the structure")
            }
        };
        if differ {
            format!("{dotted}; `real n` turns an Int into a Real, and `map real` an array of them")
        } else {
            dotted
        }
    }
}

/// What makes `move x dx` of `x + dx`, and `move x (-dx)` of `x - dx`.
fn moving(op: BinaryOp, x: &TExpr, dx: &TExpr) -> Vec<Fix> {
    let is_name = |expr: &TExpr| matches!(expr.kind, TExprKind::Local(..) | TExprKind::Global(..));
    let (open, close) = if is_name(x) { ("move ", " ") } else { ("move (", ") ") };
    let (before, behind) = match (op, is_name(dx)) {
        (BinaryOp::Sub, true) => ("(-", ")"),
        (BinaryOp::Sub, false) => ("(-(", "))"),
        (_, true) => ("", ""),
        (_, false) => ("(", ")"),
    };
    let between = x.span.end().to(dx.span.start());
    vec![
        Fix::new(x.span.start(), open),
        Fix::new(between, format!("{close}{before}")),
        Fix::new(dx.span.end(), behind),
    ]
}

fn is_arithmetic(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem)
}

fn is_comparison(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge
    )
}

/// What to write for a comparison of the elements of an array with a number.
fn compare_hint(op: BinaryOp, left: &str, right: &str) -> String {
    let comparison = format!("\\x -> {left} {} {right}", op.text());
    format!(
        "`map ({comparison}) xs` compares every element; `all ({comparison}) xs` and `any ({comparison}) xs` are one answer"
    )
}

/// Whether these are the operands of `@`: a matrix and a vector, or a row and a matrix.
fn is_product(left: &Ty, right: &Ty) -> bool {
    let rank = |ty: &Ty| {
        let Ty::Array(_, element) = ty else { return 0 };
        let Ty::Array(_, element) = &**element else { return 1 };
        if matches!(**element, Ty::Array(..)) { 0 } else { 2 }
    };
    matches!((rank(left), rank(right)), (1, 2) | (2, 1))
}

fn is_structure(ty: &Ty) -> bool {
    matches!(ty, Ty::Array(..) | Ty::Tuple(_) | Ty::Record(_))
}

/// Whether the second may be the tangent of the first, and has another type.
fn moved(x: &Ty, dx: &Ty) -> bool {
    let discrete = |ty: &Ty| matches!(ty, Ty::Int | Ty::Bool | Ty::Str);
    let all = |pairs: &mut dyn Iterator<Item = (&Ty, &Ty)>| {
        let (mut apart, mut fits) = (false, true);
        for (x, dx) in pairs {
            let part = moved(x, dx) || (discrete(x) && *dx == Ty::Tuple([].into()));
            apart |= part;
            fits &= part || x == dx;
        }
        apart && fits
    };
    match (x, dx) {
        (_, Ty::Tangent(of)) => **of == *x,
        (Ty::Array(_, x), Ty::Array(_, dx)) => all(&mut std::iter::once((&**x, &**dx))),
        (Ty::Tuple(x), Ty::Tuple(dx)) if x.len() == dx.len() => all(&mut x.iter().zip(dx.iter())),
        (Ty::Record(x), Ty::Record(dx))
            if x.iter().map(|(name, _)| name).eq(dx.iter().map(|(name, _)| name)) =>
        {
            all(&mut x.iter().zip(dx.iter()).map(|((_, x), (_, dx))| (x, dx)))
        }
        _ => false,
    }
}
