//! The canonical order of record fields. Records are structural: the same set of fields is the same
//! type. Each set has one order, the one of the first declaration (or else the first use) seen, in
//! which its types list their fields and its values are printed.

use pullback_base::Name;
use rustc_hash::FxHashMap;

use crate::ty::Ty;

/// The order chosen for each set of fields.
#[derive(Debug, Default)]
pub struct RecordOrders {
    orders: FxHashMap<Vec<Name>, Vec<Name>>,
}

impl RecordOrders {
    /// Fixes the order of a set of fields, unless it is fixed already.
    pub fn declare(&mut self, fields: &[Name]) {
        let mut key = fields.to_vec();
        key.sort();
        self.orders.entry(key).or_insert_with(|| fields.to_vec());
    }
    /// The record type of these fields (without repetitions), in canonical order.
    pub fn record(&mut self, fields: Vec<(Name, Ty)>) -> Ty {
        let names: Vec<Name> = fields.iter().map(|(name, _)| name.clone()).collect();
        self.declare(&names);
        let mut key = names;
        key.sort();
        let order = &self.orders[&key];
        let mut sorted = fields;
        sorted.sort_by_key(|(name, _)| order.iter().position(|known| known == name));
        Ty::Record(sorted.into())
    }
}
