//! A list that grows by chunks: what is in it is never copied, however long it becomes, and its room
//! is in the account of memory from the moment it exists.

use pullback_base::memory::Charge;

/// How many items a full chunk has, as a power of two.
const BITS: usize = 16;
const FULL: usize = 1 << BITS;

/// A list that grows by chunks.
#[derive(Debug)]
pub struct Chunks<T> {
    /// The chunks before the last one, of [`FULL`] items each.
    full: Vec<Vec<T>>,
    /// The chunk that is being filled. The first one is small and doubles until it is full.
    last: Vec<T>,
    /// How many items there is room for in the last chunk.
    room: usize,
    charge: Charge,
}

impl<T> Default for Chunks<T> {
    fn default() -> Self {
        Self { full: vec![], last: vec![], room: 0, charge: Charge::default() }
    }
}

impl<T> Chunks<T> {
    /// How many items it has.
    #[inline]
    pub fn len(&self) -> usize {
        self.full.len() * FULL + self.last.len()
    }

    /// Whether it has no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends an item.
    #[inline]
    pub fn push(&mut self, item: T) {
        if self.last.len() == self.room {
            self.grow();
        }
        self.last.push(item);
    }

    /// The item at an index, which must be in range.
    #[inline(always)]
    pub fn at(&self, index: usize) -> &T {
        match self.full.get(index >> BITS) {
            Some(chunk) => &chunk[index % FULL],
            None => &self.last[index % FULL],
        }
    }

    /// The items in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.full.iter().flatten().chain(&self.last)
    }

    /// The items in order, to change.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.full.iter_mut().flatten().chain(&mut self.last)
    }

    /// The item with this key, in a list that ascends by keys.
    pub fn find_by_key<K: Ord>(&self, key: &K, mut key_of: impl FnMut(&T) -> K) -> Option<&T> {
        let before = |chunk: &Vec<T>| chunk.last().is_some_and(|item| key_of(item) < *key);
        let chunk = self.full.partition_point(before);
        let chunk = self.full.get(chunk).unwrap_or(&self.last);
        chunk.binary_search_by_key(key, key_of).ok().map(|at| &chunk[at])
    }

    #[cold]
    fn grow(&mut self) {
        let before = self.full.len() * FULL + self.room;
        if self.room == FULL {
            self.charge.set((before + FULL) * size_of::<T>());
            self.full.push(std::mem::replace(&mut self.last, Vec::with_capacity(FULL)));
            return;
        }
        let room = (self.room * 2).clamp(16, FULL);
        // While the items move there are two copies of them.
        self.charge.set((before + room) * size_of::<T>());
        self.last.reserve_exact(room - self.room);
        self.room = room;
        self.charge.set((self.full.len() * FULL + room) * size_of::<T>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pullback_base::memory;

    #[test]
    fn items_keep_their_order_and_are_found() {
        let mut list = Chunks::default();
        for n in 0..3 * FULL + 5 {
            list.push(2 * n);
        }
        assert_eq!(list.len(), 3 * FULL + 5);
        assert!(list.iter().enumerate().all(|(index, item)| *item == 2 * index));
        for index in [0, 15, 16, FULL - 1, FULL, 2 * FULL + 7, 3 * FULL + 4] {
            assert_eq!(*list.at(index), 2 * index);
            assert_eq!(list.find_by_key(&(2 * index), |item| *item), Some(&(2 * index)));
            assert_eq!(list.find_by_key(&(2 * index + 1), |item| *item), None);
        }
    }

    #[test]
    fn the_room_is_in_the_account_and_exceeds_the_items_by_a_chunk_at_most() {
        let before = memory::live();
        let mut list = Chunks::default();
        for n in 0..10 * FULL {
            list.push(n as u64);
            let held = memory::live() - before;
            let items = (n + 1) * size_of::<u64>();
            assert!(
                (items..=items + 2 * FULL * size_of::<u64>()).contains(&held),
                "{held} for {items}"
            );
        }
        drop(list);
        assert_eq!(memory::live(), before);
    }
}
