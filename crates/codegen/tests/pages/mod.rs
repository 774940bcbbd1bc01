//! How much memory there is.

/// The memory of this process, in pages.
pub fn pages() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("a count of pages");
    text.split(' ').nth(1).and_then(|count| count.parse().ok()).expect("a number")
}
