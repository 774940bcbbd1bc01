//! Plots in a terminal: curves in the eight dots of braille characters, heat maps in shades.

use pullback_data::output::rounded_text;

use super::figure::{Curve, Heat, Stroke, colour_numbers, connected, vertical};
use super::scale::{Scale, is_drawn};

/// Escape sequences of colours, in the order of the curves.
const COLOURS: [&str; 6] = ["34", "33", "32", "31", "35", "36"];

/// From the least to the largest value; a space is none.
const SHADES: [char; 5] = ['·', '░', '▒', '▓', '█'];

/// How many dots a dash has, and the space behind it.
const DASH: (i64, i64) = (3, 5);

/// A character with the colour of the last curve through it.
#[derive(Clone, Copy)]
struct Cell {
    letter: char,
    colour: Option<usize>,
}

/// Characters in rows from above, with axes.
struct Page {
    cells: Vec<Vec<Cell>>,
}

impl Page {
    fn new(columns: usize, rows: usize) -> Self {
        Self { cells: vec![vec![Cell { letter: ' ', colour: None }; columns]; rows] }
    }
    fn size(&self) -> (usize, usize) {
        (self.cells.first().map_or(0, Vec::len), self.cells.len())
    }
    /// Sets a dot; there are two a column and four a row. Dots outside are none.
    fn dot(&mut self, x: i64, y: i64, colour: usize) {
        // The bits of the dots of a braille character, by row and column.
        const BITS: [[u32; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        const NO_DOTS: u32 = 0x2800;
        let (columns, rows) = self.size();
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        if x / 2 >= columns || y / 4 >= rows {
            return;
        }
        let cell = &mut self.cells[y / 4][x / 2];
        let dots = if cell.letter == ' ' { NO_DOTS } else { u32::from(cell.letter) };
        if let Some(letter) = char::from_u32(dots | BITS[y % 4][x % 2]) {
            *cell = Cell { letter, colour: Some(colour) };
        }
    }
    /// A line between two dots.
    fn line(&mut self, from: (i64, i64), to: (i64, i64), colour: usize, stroke: Stroke) {
        let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs()).max(1);
        for step in 0..=steps {
            let between = |from: i64, to: i64| {
                from + ((to - from) as f64 * step as f64 / steps as f64).round() as i64
            };
            let (x, y) = (between(from.0, to.0), between(from.1, to.1));
            let is_drawn = match stroke {
                Stroke::Solid => true,
                Stroke::Dashed => x.rem_euclid(DASH.1) < DASH.0,
            };
            if is_drawn {
                self.dot(x, y, colour);
            }
        }
    }
    /// The page with its axes, whose ticks are at these rows and columns.
    fn text(
        &self,
        left: &[(usize, String)],
        below: &[(usize, String)],
        name: &str,
        colours: bool,
    ) -> String {
        let margin = left.iter().map(|(_, label)| label.chars().count()).max().unwrap_or(0);
        let (columns, rows) = self.size();
        let mut lines = Vec::new();
        for (row, cells) in self.cells.iter().enumerate() {
            let label = left.iter().find(|(at, _)| *at == row);
            let mark = if label.is_some() { '┤' } else { '│' };
            let label = label.map_or("", |(_, label)| label);
            let mut line = format!("{label:>margin$} {mark}");
            for run in cells.chunk_by(|first, second| first.colour == second.colour) {
                let letters: String = run.iter().map(|cell| cell.letter).collect();
                match run[0].colour.filter(|_| colours) {
                    Some(colour) => line.push_str(&coloured(&letters, colour)),
                    None => line.push_str(&letters),
                }
            }
            lines.push(line.trim_end().to_owned());
        }
        debug_assert_eq!(lines.len(), rows);
        let mut axis = vec!['─'; columns];
        let mut labels = vec![' '; margin + 2 + columns];
        let mut free = 0;
        for (at, label) in below {
            axis[*at] = '┬';
            let width = label.chars().count();
            let start = (margin + 2 + at).saturating_sub(width / 2);
            let start = start.min(labels.len().saturating_sub(width));
            if start >= free {
                labels[start..start + width]
                    .iter_mut()
                    .zip(label.chars())
                    .for_each(|(to, c)| *to = c);
                free = start + width + 1;
            }
        }
        lines.push(format!("{:margin$} └{}", "", axis.into_iter().collect::<String>()));
        lines.push(labels.into_iter().collect::<String>().trim_end().to_owned());
        let middle = margin + 2 + columns / 2 + name.chars().count() / 2;
        lines.push(format!("{name:>middle$}"));
        lines.join("\n") + "\n"
    }
}

fn coloured(text: &str, colour: usize) -> String {
    format!("\x1b[{}m{text}\x1b[0m", COLOURS[colour % COLOURS.len()])
}

/// Curves over a range.
pub fn curves(
    name: &str,
    range: (f64, f64),
    curves: &[Curve],
    (width, height): (usize, usize),
    colours: bool,
) -> String {
    let (x, y) = (Scale { from: range.0, to: range.1 }, vertical(curves));
    let numbers = colour_numbers(curves);
    let legend = curves.iter().zip(&numbers).map(|(curve, number)| {
        let mark = match curve.stroke {
            Stroke::Solid => "───",
            Stroke::Dashed => "╴╴╴",
        };
        let mark = if colours { coloured(mark, *number) } else { mark.to_owned() };
        format!("{mark} {}", curve.name)
    });
    let legend: Vec<String> = legend.collect();
    let rows = height.saturating_sub(4).max(4);
    let y_ticks = y.ticks((rows / 3).max(2));
    let margin = y_ticks.iter().map(|(_, label)| label.chars().count()).max().unwrap_or(0);
    let columns = width.saturating_sub(margin + 2).max(10);
    let mut page = Page::new(columns, rows);
    let last = (2 * columns - 1, 4 * rows - 1);
    let place = |(at_x, at_y): (f64, f64)| {
        let down = 1.0 - y.part(at_y);
        // Dots far outside are not looked at one by one.
        let down = down.clamp(-1.0, 2.0);
        ((x.part(at_x) * last.0 as f64).round() as i64, (down * last.1 as f64).round() as i64)
    };
    // The first curve is drawn last, so that it is on top.
    for (curve, colour) in curves.iter().zip(&numbers).rev() {
        for part in connected(curve, &y) {
            for pair in part.windows(2) {
                page.line(place(pair[0]), place(pair[1]), *colour, curve.stroke);
            }
            if let [point] = part {
                let (x, y) = place(*point);
                page.dot(x, y, *colour);
            }
        }
    }
    let left: Vec<(usize, String)> =
        y_ticks.into_iter().map(|(tick, label)| (row(y.part(tick), rows), label)).collect();
    let below = below(&x, columns);
    format!("{}\n{}", legend.join("   "), page.text(&left, &below, name, colours))
}

/// The row, from above, of a place on the scale.
fn row(part: f64, rows: usize) -> usize {
    (((1.0 - part) * rows as f64) as usize).min(rows - 1)
}

fn below(x: &Scale, columns: usize) -> Vec<(usize, String)> {
    let ticks = x.ticks((columns / 10).max(2)).into_iter();
    ticks
        .map(|(tick, label)| (((x.part(tick) * columns as f64) as usize).min(columns - 1), label))
        .collect()
}

/// A heat map in shades, with their values beneath.
pub fn heat(heat: &Heat, (width, height): (usize, usize)) -> String {
    let [x, y] = heat.ranges.map(|(from, to)| Scale { from, to });
    let values = Scale::of_range(heat.cells.iter().flatten().copied());
    let rows = height.saturating_sub(4).max(4);
    let y_ticks = y.ticks((rows / 3).max(2));
    let margin = y_ticks.iter().map(|(_, label)| label.chars().count()).max().unwrap_or(0);
    let columns = width.saturating_sub(margin + 2).max(10);
    let mut page = Page::new(columns, rows);
    let (there, across) = (heat.cells.len(), heat.cells.first().map_or(0, Vec::len));
    for (row, line) in page.cells.iter_mut().enumerate() {
        let from = (rows - 1 - row) * there / rows;
        for (column, cell) in line.iter_mut().enumerate() {
            let value = heat.cells[from][column * across / columns];
            if is_drawn(value) {
                let shade = (values.part(value) * SHADES.len() as f64) as usize;
                cell.letter = SHADES[shade.min(SHADES.len() - 1)];
            }
        }
    }
    let left: Vec<(usize, String)> =
        y_ticks.into_iter().map(|(tick, label)| (row(y.part(tick), rows), label)).collect();
    let bound = |at: usize| {
        let part = at as f64 / SHADES.len() as f64;
        let value = values.from + part * (values.to - values.from);
        rounded_text(value, Some(3)).replace('-', "−")
    };
    let shades = SHADES.iter().enumerate().map(|(at, shade)| format!("{} {shade}", bound(at)));
    let key: Vec<String> = shades.collect();
    format!(
        "{}: {} {}\n{}",
        heat.title,
        key.join(" "),
        bound(SHADES.len()),
        page.text(
            &left,
            &below(&x, columns),
            &format!("{} across, {} up", heat.names[0], heat.names[1]),
            false
        )
    )
}
