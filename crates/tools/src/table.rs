//! Tables of names and numbers.

use std::time::Duration;

/// Rows as text: the first column to the left, the others to the right.
pub fn aligned(rows: Vec<Vec<String>>) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            if column == 0 {
                text.push_str(&format!("{cell:<width$}"));
            } else {
                text.push_str(&format!("  {cell:>width$}"));
            }
        }
        text.push('\n');
    }
    text
}

/// A time, to a microsecond.
pub fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}

/// A time with three or four digits that matter.
pub fn duration(time: Duration) -> String {
    let nanoseconds = time.as_nanos();
    let (unit, scale) = match nanoseconds {
        0..10_000 => return format!("{nanoseconds} ns"),
        10_000..10_000_000 => ("µs", 1e6),
        10_000_000..10_000_000_000 => ("ms", 1e3),
        _ => ("s", 1.0),
    };
    let amount = time.as_secs_f64() * scale;
    let places = if amount < 100.0 { 2 } else { 1 };
    format!("{amount:.places$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_to_the_left_and_numbers_to_the_right() {
        let row = |a: &str, b: &str| vec![a.to_owned(), b.to_owned()];
        assert_eq!(
            aligned(vec![row("pass", "size"), row("jvp", "12")]),
            "pass  size\njvp     12\n"
        );
        assert_eq!(milliseconds(Duration::from_micros(1234)), "1.234 ms");
        assert_eq!(duration(Duration::from_nanos(1234)), "1234 ns");
        assert_eq!(duration(Duration::from_nanos(12_346)), "12.35 µs");
        assert_eq!(duration(Duration::from_micros(123_456)), "123.5 ms");
        assert_eq!(duration(Duration::from_millis(12_346)), "12.35 s");
    }
}
