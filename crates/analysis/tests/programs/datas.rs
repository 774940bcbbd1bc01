//! Which data types values hold, read off a program as text.

use pullback_analysis::datas::{held_by, holds, signature, within};
use pullback_base::Id;
use pullback_ir::{DataId, Elem, Type};

use crate::text::{func, program};

const PROGRAM: &str = "\
data Tree.0 = Leaf.0(f64) | Fork.1(Tree.0, Tree.0)
data Pair.1 = Pair.0([]Tree.0, str)
data Sign.2 = Plus.0 | Minus.1

fn @f.0(x.0: Pair.1, n.1: i64) -> Sign.2 {
  s.2: Sign.2 = undef
  yield s.2
}
";

#[test]
fn a_type_holds_what_its_fields_hold() {
    let program = program(PROGRAM);
    let [tree, pair, sign] = [0, 1, 2].map(DataId::from_index);
    let of = |data: DataId| [tree, pair, sign].map(|other| held_by(&program, data)[other]);
    assert_eq!(
        [of(tree), of(pair), of(sign)],
        [[true, false, false], [true, false, false], [false; 3]]
    );
    let seen = within(&program, signature(&program, func(0)));
    assert_eq!([tree, pair, sign].map(|data| seen[data]), [true; 3]);
    let is_array_or_text = |ty: Type| ty.is_array() || ty.elem == Elem::Str;
    assert!(holds(&program, pair, is_array_or_text) && !holds(&program, tree, is_array_or_text));
}
