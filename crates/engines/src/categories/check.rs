//! The type system of CL (figure 11): `Γ ⊢ c : S => T`.
//!
//! Input: arrows. Output: the target for a source, or one sentence about what does not fit.

use pullback_base::bug;
use pullback_lambda::{Datas, Lit, Program, Type, TypeKind, admits, is_first_order, tangent};

use super::cl::{Cl, ClDef, ClKind, ClProgram, Function};

/// Checks all definitions.
pub fn check(program: &Program, defs: &ClProgram) -> Result<(), String> {
    let mut checker = Checker { program, defs, datas: program.datas.clone() };
    for def in defs.values() {
        let found = checker.arrow(&def.body, &def.from);
        let found = found.map_err(|why| format!("in `{}`: {why}", def.name))?;
        if found != def.to {
            let shown = |ty| program.show_type(ty);
            return Err(format!(
                "`{}` is declared to give {}, but gives {}",
                def.name,
                shown(&def.to),
                shown(&found)
            ));
        }
    }
    Ok(())
}

/// Stops where an arrow of a converted program is not well-typed, in every build.
pub fn demand(program: &Program, defs: &ClProgram) {
    if let Err(why) = check(program, defs) {
        bug("categories", format_args!("well-typed arrows of a converted program: {why}"));
    }
}

struct Checker<'p> {
    program: &'p Program,
    defs: &'p ClProgram,
    datas: Datas,
}

impl Checker<'_> {
    fn shown(&self, ty: &Type) -> String {
        self.program.show_type(ty)
    }

    fn same(&self, wanted: &Type, found: &Type, what: &str) -> Result<(), String> {
        if wanted == found {
            return Ok(());
        }
        Err(format!("{what} is {}, not {}", self.shown(found), self.shown(wanted)))
    }

    /// The target for this source; it must be the one that the arrow declares.
    fn arrow(&mut self, cl: &Cl, from: &[Type]) -> Result<Type, String> {
        let to = self.target(cl, from)?;
        self.same(&cl.to, &to, "the target of an arrow")?;
        Ok(to)
    }

    fn target(&mut self, cl: &Cl, from: &[Type]) -> Result<Type, String> {
        match &cl.kind {
            ClKind::Identity => Ok(Type::tuple(from.to_vec())),
            ClKind::Constant(lit) => Ok(match lit {
                Lit::Real(_) => Type::real(),
                Lit::Int(_) => Type::int(),
                Lit::Bool(_) => Type::bool(),
                Lit::Str(_) => Type::str(),
            }),
            ClKind::Prune(kept, count) => {
                if *count != from.len() {
                    return Err(format!("a pruning of {count} is given {}", from.len()));
                }
                let kept = kept.iter().map(|at| from.get(*at).cloned());
                let kept: Option<Vec<Type>> = kept.collect();
                Ok(Type::tuple(kept.ok_or("a pruning keeps what is not there")?))
            }
            ClKind::Function(function) => self.function(function, from, &cl.to),
            ClKind::Compose(first, second) => {
                let middle = self.arrow(first, from)?;
                let parts = middle.components().ok_or("a composition through what is no tuple")?;
                let parts: Vec<Type> = parts.into_iter().cloned().collect();
                self.arrow(second, &parts)
            }
            ClKind::Tuple(items) => {
                let mut types = vec![];
                for item in items {
                    types.push(self.arrow(item, from)?);
                }
                self.tuple(types, &cl.to)
            }
            ClKind::If(cond, then, other) => {
                let cond = self.arrow(cond, from)?;
                self.same(&Type::bool(), &cond, "a condition")?;
                let then = self.arrow(then, from)?;
                let other = self.arrow(other, from)?;
                self.same(&then, &other, "a branch")?;
                Ok(then)
            }
            ClKind::Let(_, value, body) => {
                let value = self.arrow(value, from)?;
                self.arrow(body, &extended(from, &[value]))
            }
            ClKind::Build(size, _, body) => {
                let size = self.arrow(size, from)?;
                self.same(&Type::int(), &size, "a size")?;
                Ok(Type::array(self.arrow(body, &extended(from, &[size]))?))
            }
            ClKind::Fold { init, count, body, .. } => {
                let state = self.arrow(init, from)?;
                let count = self.arrow(count, from)?;
                self.same(&Type::int(), &count, "a count")?;
                let next = self.arrow(body, &extended(from, &[state.clone(), count]))?;
                self.same(&state, &next, "the next state")?;
                Ok(state)
            }
            ClKind::While { init, cond, body, .. } => {
                let state = self.arrow(init, from)?;
                let inner = extended(from, std::slice::from_ref(&state));
                let cond = self.arrow(cond, &inner)?;
                self.same(&Type::bool(), &cond, "a condition")?;
                let next = self.arrow(body, &inner)?;
                self.same(&state, &next, "the next state")?;
                Ok(state)
            }
            ClKind::Case(..) => self.case(cl, from),
        }
    }

    fn tuple(&self, types: Vec<Type>, to: &Type) -> Result<Type, String> {
        if let TypeKind::Record(fields) = to.kind() {
            let wanted: Vec<Type> = fields.iter().map(|(_, ty)| ty.clone()).collect();
            self.same(&Type::tuple(wanted), &Type::tuple(types), "the content of a record")?;
            return Ok(to.clone());
        }
        Ok(Type::tuple(types))
    }

    fn case(&mut self, cl: &Cl, from: &[Type]) -> Result<Type, String> {
        let ClKind::Case(scrutinee, arms, default) = &cl.kind else {
            return Err("no case analysis".to_owned());
        };
        let ty = self.arrow(scrutinee, from)?;
        let TypeKind::Data(data) = ty.kind() else {
            return Err(format!("a case analysis of {}", self.shown(&ty)));
        };
        let constructors = self.program.datas[*data].constructors.clone();
        let covered = constructors.iter().enumerate();
        let covered = covered.filter(|(tag, _)| arms.iter().any(|arm| arm.tag == *tag)).count();
        if default.is_none() && covered < constructors.len() {
            return Err("a case analysis that leaves constructors out".to_owned());
        }
        for arm in arms {
            let con = constructors.get(arm.tag).ok_or("an arm for no constructor")?;
            if con.fields.len() != arm.vars.len() {
                return Err(format!("an arm for {} has the wrong number of fields", con.name));
            }
            let found = self.arrow(&arm.body, &extended(from, &con.fields))?;
            self.same(&cl.to, &found, "an arm")?;
        }
        if let Some(default) = default {
            let found = self.arrow(default, from)?;
            self.same(&cl.to, &found, "the last arm")?;
        }
        Ok(cl.to.clone())
    }

    fn function(&mut self, function: &Function, from: &[Type], to: &Type) -> Result<Type, String> {
        match function {
            Function::Def(def) => {
                let def = self.defs.get(def).ok_or("a definition that has no arrow")?;
                self.given(def, from)?;
                Ok(def.to.clone())
            }
            Function::Prim(prim) => {
                let row = prim.row();
                if admits(*prim, from, to) {
                    return Ok(to.clone());
                }
                let given: Vec<String> = from.iter().map(|ty| self.shown(ty)).collect();
                Err(format!("`{}` is given ({})", row.name, given.join(", ")))
            }
            Function::Component(at) => {
                from.get(*at).cloned().ok_or_else(|| "a component that is not there".to_owned())
            }
            Function::Con(tag) => {
                let TypeKind::Data(data) = to.kind() else {
                    return Err("a constructor of no sum".to_owned());
                };
                let con = self.program.datas[*data].constructors.get(*tag);
                let con = con.ok_or("a constructor that is not there")?;
                let (fields, given) = (Type::tuple(con.fields.clone()), Type::tuple(from.to_vec()));
                self.same(&fields, &given, "the content of a constructor")?;
                Ok(to.clone())
            }
            Function::Array => {
                let element = to.element().ok_or("an array literal of no array")?;
                for ty in from {
                    self.same(element, ty, "an element")?;
                }
                Ok(to.clone())
            }
            Function::StopGradient | Function::Zeros => {
                let [ty] = from else { return Err("an operator of one argument".to_owned()) };
                if !is_first_order(&self.datas, ty) {
                    return Err("an operator on a function".to_owned());
                }
                if *function == Function::StopGradient {
                    return Ok(ty.clone());
                }
                tangent(&mut self.datas, ty).ok_or_else(|| "a tangent of a function".to_owned())
            }
            Function::Custom(custom) => {
                let value = self.defs.get(&custom.value).ok_or("a value that has no arrow")?;
                self.given(value, from)?;
                Ok(value.to.clone())
            }
        }
    }

    fn given(&self, def: &ClDef, from: &[Type]) -> Result<(), String> {
        let (wanted, found) = (Type::tuple(def.from.clone()), Type::tuple(from.to_vec()));
        self.same(&wanted, &found, &format!("what `{}` is given", def.name))
    }
}

fn extended(from: &[Type], more: &[Type]) -> Vec<Type> {
    from.iter().chain(more).cloned().collect()
}
