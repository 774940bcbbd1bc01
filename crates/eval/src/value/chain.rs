//! Chains: lists that grow at one end, such as the bindings of a run, with their nodes side by side.
//!
//! ```text
//! Step(a, i, Step(b, j, Empty))      2 of the nodes  [b j | a i]
//! ```
//!
//! A value is a number of nodes, the newest last, of an arena that longer chains share. Who adds a node to all of them
//! appends it to the arena; who adds one to fewer begins another arena. An arena may not hold itself, so a node with a
//! function, which may hold anything, is an ordinary constructor, and so is every node after it. Numbers take one word each.

use std::cell::RefCell;
use std::rc::Rc;

use super::free::free_all;
use super::{Chain, Fields, Head, Nodes, Value};
use crate::memory;

const CHAIN_BYTES: usize = memory::shared::<Chain>();
/// From how many fields on an arena takes no more nodes, so that places of fields have 32 bits.
const MOST_FIELDS: usize = 1 << 31;
/// The fields of a node beside the older chain, at most.
const WIDEST: usize = 8;

// Kinds of fields.
const INT: u16 = 0;
const REAL: u16 = 1;
const OTHER: u16 = 2;
/// Behind the last.
const NONE: u16 = 3;

impl Chain {
    /// A constructor with these fields, of which the last is the chain that it is added to.
    #[inline]
    pub(crate) fn cons(tag: u32, fields: &mut [Value]) -> Value {
        let Some((older, rest)) = fields.split_last_mut() else { return Value::Tag(tag) };
        let is_narrow = rest.len() <= WIDEST && tag <= u32::from(u16::MAX);
        let is_chain = is_narrow && matches!(older, Value::Tag(_) | Value::Chain(..));
        if !is_chain || !rest.iter().all(is_plain) {
            let all = fields.iter_mut().map(std::mem::take);
            return Value::Data(Fields::collect(tag, all.len(), all));
        }
        if let Value::Chain(length, chain) = older
            && chain.append(*length, tag, rest)
        {
            *length += 1;
            return std::mem::take(older);
        }
        memory::charge(CHAIN_BYTES);
        let chain = Self { before: std::mem::take(older), nodes: RefCell::default() };
        chain.append(0, tag, rest);
        Value::Chain(1, Rc::new(chain))
    }

    /// Appends a node if there are so many, and if there is a number for another.
    #[inline]
    fn append(&self, length: u32, tag: u32, fields: &mut [Value]) -> bool {
        let Nodes { heads, words, others } = &mut *self.nodes.borrow_mut();
        if heads.len() != length as usize || words.len() > MOST_FIELDS {
            return false;
        }
        let start = words.len() as u32;
        let mut kinds = u16::MAX;
        for (at, field) in fields.iter_mut().enumerate() {
            let (kind, word) = if let Value::Int(n) = field {
                (INT, *n as u64)
            } else if let Value::Real(x) = field {
                (REAL, x.to_bits())
            } else {
                others.push(std::mem::take(field));
                (OTHER, others.len() as u64 - 1)
            };
            kinds ^= (NONE ^ kind) << (2 * at);
            words.push(word);
        }
        heads.push(Head { tag: tag as u16, kinds, start });
        true
    }

    /// The tag of the newest of so many nodes.
    #[inline]
    pub(crate) fn tag(&self, length: u32) -> u32 {
        u32::from(self.nodes.borrow().heads.at(length as usize - 1).tag)
    }

    /// A field of the newest of so many nodes; behind the last is the chain that the node is added to.
    #[inline]
    pub(crate) fn field(chain: &Rc<Self>, length: u32, index: u32) -> Value {
        let nodes = chain.nodes.borrow();
        let head = nodes.heads.at(length as usize - 1);
        match nodes.field(head, index as usize) {
            Some(field) => field,
            None if length == 1 => chain.before.clone(),
            None => Value::Chain(length - 1, chain.clone()),
        }
    }

    /// All fields of the newest of so many nodes, into slots.
    #[inline]
    pub(crate) fn spread<'s>(
        chain: Rc<Self>,
        length: u32,
        slots: impl Iterator<Item = &'s mut Value>,
    ) {
        let nodes = chain.nodes.borrow();
        let head = nodes.heads.at(length as usize - 1);
        for (at, slot) in slots.enumerate() {
            let kind = head.kind(at);
            if kind == NONE {
                drop(nodes);
                *slot = if length == 1 {
                    chain.before.clone()
                } else {
                    Value::Chain(length - 1, chain)
                };
                return;
            }
            let word = *nodes.words.at(head.start as usize + at);
            // Numbers are written where they are wanted: a value that is written in parts is not read as a whole right after.
            match kind {
                INT => overwrite(slot, Value::Int(word as i64)),
                REAL => overwrite(slot, Value::Real(f64::from_bits(word))),
                _ => *slot = nodes.others.at(word as usize).clone(),
            }
        }
    }

    /// All of them.
    pub(crate) fn fields(chain: &Rc<Self>, length: u32) -> Vec<Value> {
        let count = {
            let nodes = chain.nodes.borrow();
            let head = nodes.heads.at(length as usize - 1);
            (0..WIDEST).take_while(|at| head.kind(*at) != NONE).count()
        };
        (0..=count as u32).map(|index| Self::field(chain, length, index)).collect()
    }

    /// What the first node is added to, which is to be freed.
    pub(super) fn into_before(mut self) -> Value {
        std::mem::take(&mut self.before)
    }
}

/// Stores a number. Most slots own nothing, which is overwritten without a call.
#[inline(always)]
fn overwrite(slot: &mut Value, number: Value) {
    if slot.owns_nothing() {
        std::mem::forget(std::mem::replace(slot, number));
    } else {
        *slot = number;
    }
}

/// Whether it holds no chain, as far as its fields' fields tell: those of deltas hold numbers and deltas.
#[inline]
fn is_plain(field: &Value) -> bool {
    let holds_none = |item: &Value| !item.is_function() && !matches!(item, Value::Chain(..));
    field.owns_nothing()
        || matches!(field, Value::Tuple(fields) | Value::Data(fields) if fields.items().iter().all(holds_none))
}

impl Head {
    #[inline(always)]
    fn kind(&self, at: usize) -> u16 {
        if at < WIDEST { (self.kinds >> (2 * at)) & NONE } else { NONE }
    }
}

impl Nodes {
    /// A field of a node, unless it is behind the last.
    #[inline(always)]
    fn field(&self, head: &Head, at: usize) -> Option<Value> {
        let kind = head.kind(at);
        if kind == NONE {
            return None;
        }
        let word = *self.words.at(head.start as usize + at);
        Some(match kind {
            INT => Value::Int(word as i64),
            REAL => Value::Real(f64::from_bits(word)),
            _ => self.others.at(word as usize).clone(),
        })
    }
}

impl Drop for Chain {
    fn drop(&mut self) {
        memory::release(CHAIN_BYTES);
        if self.before.is_last_owner() {
            free_all(vec![std::mem::take(&mut self.before)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cons(tag: u32, n: i64, older: Value) -> Value {
        Chain::cons(tag, &mut [Value::Int(n), older])
    }

    /// Tags and numbers of a chain, newest first.
    fn listed(mut chain: Value) -> Vec<(usize, i64)> {
        let mut nodes = vec![];
        while let Some((tag, fields)) = chain.constructor()
            && let [n, older] = &fields[..]
        {
            nodes.push((tag, n.as_int().expect("an Int")));
            chain = older.clone();
        }
        nodes
    }

    #[test]
    fn chains_share_what_they_have_in_common_and_nothing_else() {
        let two = cons(2, 20, cons(1, 10, Value::Tag(0)));
        let three = cons(3, 30, two.clone());
        let other = cons(4, 40, two.clone());
        let longer = cons(5, 50, three.clone());
        assert_eq!(listed(two.clone()), [(2, 20), (1, 10)]);
        assert_eq!(listed(three), [(3, 30), (2, 20), (1, 10)]);
        assert_eq!(listed(other), [(4, 40), (2, 20), (1, 10)]);
        assert_eq!(listed(longer), [(5, 50), (3, 30), (2, 20), (1, 10)]);
        let with_function = Chain::cons(6, &mut [Value::Closure(0, None), two]);
        assert!(matches!(with_function, Value::Data(_)), "{with_function:?}");
        let with_tuple = Chain::cons(7, &mut [Value::tuple(vec![Value::Int(1)]), Value::Tag(0)]);
        assert!(matches!(with_tuple, Value::Chain(1, _)), "{with_tuple:?}");
    }

    #[test]
    fn fields_of_all_kinds_come_back_and_wide_nodes_stay_constructors() {
        let fields = |older: Value| {
            [Value::Real(-0.0), Value::Int(i64::MIN), Value::IntOf(3, 7), Value::Unit, older]
        };
        let one = Chain::cons(9, &mut fields(Value::Tag(0)));
        let two = Chain::cons(9, &mut fields(one));
        let Value::Chain(2, chain) = &two else { panic!("{two:?}") };
        let mut slots = vec![Value::reals(vec![1.0]); 5];
        Chain::spread(chain.clone(), 2, slots.iter_mut());
        for found in [Chain::fields(chain, 2), slots] {
            assert!(matches!(found[0], Value::Real(x) if x.to_bits() == (-0.0f64).to_bits()));
            assert!(matches!(found[1], Value::Int(i64::MIN)), "{found:?}");
            assert!(matches!(found[2], Value::IntOf(3, 7)), "{found:?}");
            assert!(matches!(found[3], Value::Unit), "{found:?}");
            assert!(matches!(found[4], Value::Chain(1, _)), "{found:?}");
        }
        let mut wide: Vec<Value> = (0..9).map(Value::Int).chain([Value::Tag(0)]).collect();
        assert!(matches!(Chain::cons(1, &mut wide), Value::Data(_)));
        assert!(matches!(
            Chain::cons(1 << 16, &mut [Value::Int(1), Value::Tag(0)]),
            Value::Data(_)
        ));
    }

    #[test]
    fn long_chains_are_freed_without_recursion_and_leave_no_account() {
        let before = memory::live();
        let mut chain = Value::Tag(0);
        for n in 0..20_000 {
            // Every other arena is left behind, so that the next begins on it.
            let _branch = cons(1, n, chain.clone());
            chain = cons(1, n, chain);
        }
        drop(chain);
        assert_eq!(memory::live(), before);
    }
}
