//! Environments of functions whose type is erased, for `curry-env`.
//!
//! Type:  `∃τ. (τ, τ + τ)` (Definition 5.1): `Environment = Zero | Env(Any, Environment -> Environment -> Environment)`.
//!        `Any` is one word; beside it stands the sum of two environments of its type, since who adds does not know
//!        the type.
//! Law:   the `curry` that packs an environment is the one that opens it, so the cast gives back what was packed. The tagged
//!        version makes the same code with a tag in place of the cast, which it checks.
//!
//! ```text
//! tagged   match g_bar with Zero -> 0 | Env2 c_bar -> c_bar | _ -> broken
//! erased   match g_bar with Zero -> 0 | Env (c_bar as T c) plus -> c_bar
//! ```
//!
//! So the code of a definition names no environment but those of its own functions. The cotangent of an environment
//! is an environment in turn: a derivative of a derivative erases the cotangent of what was erased.

use pullback_base::bug;
use pullback_lambda::{Arm, Constructor, DefId, Expr, Type, TypeKind};

use super::code::{Code, Helper};
use super::types::ZERO;

/// The tag of a package that is there.
pub const ENV: usize = 1;

impl Code<'_> {
    /// The constructors of erased packages of this type.
    pub fn erased_constructors(&mut self, own: &Type) -> Vec<Constructor> {
        let plus = Type::funs([own.clone(), own.clone()], own.clone());
        let word = self.program.erased_word();
        vec![
            Constructor { name: "Zero".into(), fields: vec![] },
            Constructor { name: "Env".into(), fields: vec![word, plus] },
        ]
    }

    /// Whether this is a type of erased packages, which a derivative of a derivative meets.
    pub fn is_package(&self, ty: &Type) -> bool {
        let TypeKind::Data(data) = ty.kind() else { return false };
        let package = self.program.datas[*data].constructors.get(ENV);
        package.is_some_and(|con| con.fields.iter().any(|field| self.program.is_erased(field)))
    }

    /// A package of the cotangents of an environment of these types.
    pub fn packed(&mut self, fields: Vec<Expr>, types: &[Type]) -> Expr {
        let (packages, _) = self.packages();
        let plus = self.helper(Helper::Plus, &Type::tuple(types.to_vec()));
        let plus = self.program.global(plus, self.span);
        let environment = self.pack(fields);
        let environment = self.emit("env", environment);
        Expr::con(packages, ENV, vec![environment, plus], self.span)
    }

    /// The cotangents of an environment of these types, from its package: the cast.
    pub fn unpacked(&mut self, package: Expr, types: &[Type]) -> Vec<Expr> {
        let zeros = types.iter().map(|ty| self.zero(ty)).collect();
        let zeros = self.pack(zeros);
        let environment = self.cast(package, types, zeros, |_, environment| environment);
        let environment = self.emit("env", environment);
        (0..types.len()).map(|at| self.unpack(&environment, at, types.len())).collect()
    }

    /// What becomes of the environment in a package, or of a zero.
    fn cast(
        &mut self,
        package: Expr,
        types: &[Type],
        zero: Expr,
        then: impl FnOnce(&mut Self, Expr) -> Expr,
    ) -> Expr {
        let bars = types.iter().map(|ty| self.bar(ty)).collect();
        let (var, environment) = self.fresh("env", Self::pack_type(bars));
        let plus = self.plus_type();
        let (plus, _) = self.fresh("plus", plus);
        let found = self.scope(|code| then(code, environment));
        let arms = vec![Arm::new(ZERO, vec![], zero), Arm::new(ENV, vec![var, plus], found)];
        Expr::match_(package, arms, None, self.span)
    }

    fn plus_type(&mut self) -> Type {
        let (packages, _) = self.packages();
        let own = Type::new(TypeKind::Data(packages));
        Type::funs([own.clone(), own.clone()], own)
    }

    /// The type of `plus` for an environment of any type.
    pub fn plus_signature(&mut self) -> (&'static str, Type) {
        ("plus", self.plus_type())
    }

    /// `\a b -> a + b` for packages of an environment of these types.
    pub fn plus_body(&mut self, environment: &Type) -> Expr {
        let Some(types) = environment.components() else { bug("curry", "an environment") };
        let types: Vec<Type> = types.into_iter().cloned().collect();
        let (packages, _) = self.packages();
        let own = Type::new(TypeKind::Data(packages));
        let ((left, a), (right, b)) = (self.fresh("a", own.clone()), self.fresh("b", own));
        let both = self.cast(a.clone(), &types, b.clone(), |code, x| {
            code.cast(b, &types, a, |code, y| {
                let sum = code.add_all(&x, &y, &types);
                let sum = code.emit("s", sum);
                code.packed(vec![sum], &types)
            })
        });
        self.program.lam(vec![left, right], both)
    }

    /// `add_environments`: a package adds another one to itself.
    pub fn add_erased(&mut self, def: DefId) {
        let (packages, _) = self.packages();
        let own = Type::new(TypeKind::Data(packages));
        let ((left, a), (right, b)) = (self.fresh("a", own.clone()), self.fresh("b", own));
        let word = self.program.erased_word();
        let (unopened, _) = self.fresh("env", word);
        let plus = self.plus_type();
        let (plus_var, plus) = self.fresh("plus", plus);
        let sum = self.apply(plus, vec![a.clone(), b.clone()]);
        let arms = vec![Arm::new(ZERO, vec![], b), Arm::new(ENV, vec![unopened, plus_var], sum)];
        let body = Expr::match_(a, arms, None, self.span);
        self.program.defs[def].body = self.program.lam(vec![left, right], body);
    }
}
