//! Chains: lists that grow at one end, such as the bindings of a run, with their nodes side by side.
//!
//! ```text
//! Step(a, i, Step(b, j, Empty))      2 of the nodes  [b j | a i]
//! ```
//!
//! A value is a number of nodes, the newest last, of an arena that longer chains share. Who adds a node to all of them
//! appends it to the arena; who adds one to fewer begins another arena. An arena may not hold itself, so a node with a
//! function, which may hold anything, is an ordinary constructor, and so is every node after it.

use std::cell::RefCell;
use std::rc::Rc;

use super::free::free_all;
use super::{Chain, Fields, Nodes, Value};
use crate::memory;

const CHAIN_BYTES: usize = memory::shared::<Chain>();
/// From how many fields on an arena takes no more nodes, so that places of fields have 32 bits.
const MOST_FIELDS: usize = 1 << 31;

impl Chain {
    /// A constructor with these fields, of which the last is the chain that it is added to.
    #[inline]
    pub(crate) fn cons(tag: u32, fields: &mut [Value]) -> Value {
        let Some((older, rest)) = fields.split_last_mut() else { return Value::Tag(tag) };
        if !matches!(older, Value::Tag(_) | Value::Chain(..)) || !rest.iter().all(is_plain) {
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
        let Nodes { heads, fields: all } = &mut *self.nodes.borrow_mut();
        if heads.len() != length as usize || all.len() > MOST_FIELDS {
            return false;
        }
        heads.push((tag, all.len() as u32));
        fields.iter_mut().for_each(|field| all.push(std::mem::take(field)));
        true
    }

    /// The tag of the newest of so many nodes.
    #[inline]
    pub(crate) fn tag(&self, length: u32) -> u32 {
        self.nodes.borrow().heads.at(length as usize - 1).0
    }

    /// A field of the newest of so many nodes; behind the last is the chain that the node is added to.
    #[inline]
    pub(crate) fn field(chain: &Rc<Self>, length: u32, index: u32) -> Value {
        let nodes = chain.nodes.borrow();
        let at = nodes.heads.at(length as usize - 1).1 + index;
        if (at as usize) < nodes.end(length) {
            nodes.fields.at(at as usize).clone()
        } else if length == 1 {
            chain.before.clone()
        } else {
            Value::Chain(length - 1, chain.clone())
        }
    }

    /// All fields of the newest of so many nodes, into slots.
    #[inline]
    pub(crate) fn spread<'s>(
        chain: Rc<Self>,
        length: u32,
        mut slots: impl Iterator<Item = &'s mut Value>,
    ) {
        let nodes = chain.nodes.borrow();
        let start = nodes.heads.at(length as usize - 1).1 as usize;
        for (at, slot) in (start..nodes.end(length)).zip(&mut slots) {
            *slot = nodes.fields.at(at).clone();
        }
        drop(nodes);
        if let Some(slot) = slots.next() {
            *slot =
                if length == 1 { chain.before.clone() } else { Value::Chain(length - 1, chain) };
        }
    }

    /// All of them.
    pub(crate) fn fields(chain: &Rc<Self>, length: u32) -> Vec<Value> {
        let nodes = chain.nodes.borrow();
        let count = nodes.end(length) as u32 - nodes.heads.at(length as usize - 1).1;
        (0..=count).map(|index| Self::field(chain, length, index)).collect()
    }

    /// What the first node is added to, which is to be freed.
    pub(super) fn into_before(mut self) -> Value {
        std::mem::take(&mut self.before)
    }
}

/// Whether it holds no chain, as far as its fields' fields tell: those of deltas hold numbers and deltas.
#[inline]
fn is_plain(field: &Value) -> bool {
    let holds_none = |item: &Value| !item.is_function() && !matches!(item, Value::Chain(..));
    field.owns_nothing()
        || matches!(field, Value::Tuple(fields) | Value::Data(fields) if fields.items().iter().all(holds_none))
}

impl Nodes {
    /// Where the fields of the newest of so many nodes end.
    #[inline]
    fn end(&self, length: u32) -> usize {
        if (length as usize) < self.heads.len() {
            self.heads.at(length as usize).1 as usize
        } else {
            self.fields.len()
        }
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
