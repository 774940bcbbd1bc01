//! Plots as SVG. The same numbers give the same bytes. Lines and words are of a middle grey, which is read on light and
//! on dark pages alike; the background is that of the page.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::figure::{Curve, Heat, Stroke, colour_numbers, connected, vertical};
use super::scale::{Scale, is_drawn};

/// The size of the drawing, and the margins around its axes.
const SIZE: (f64, f64) = (720.0, 440.0);
const LEFT: f64 = 72.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 48.0;

/// The room for the colours of a heat map beside it.
const KEY: f64 = 96.0;

/// The height of a line of the legend, and the width of a letter in it.
const LINE: f64 = 20.0;
const LETTER: f64 = 7.5;

const GREY: &str = "#808080";

/// Colours that are told apart on light and dark pages, also by most who see fewer of them.
const COLOURS: [&str; 8] =
    ["#3b82c4", "#e07b1a", "#2a9d6f", "#d1495b", "#8e6bbf", "#a07a3c", "#d667a8", "#5f9ea0"];

/// How many steps of colour are told apart, so that neighbours of a smooth function have the same.
const SHADES: f64 = 64.0;

/// From dark to light as values grow, by steps that look equal.
const HEAT: [[u8; 3]; 9] = [
    [68, 1, 84],
    [71, 44, 122],
    [59, 81, 139],
    [44, 113, 142],
    [33, 144, 141],
    [39, 173, 129],
    [92, 200, 99],
    [170, 220, 50],
    [253, 231, 37],
];

/// The rectangle between the axes, and what its sides mean.
struct Axes {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: Scale,
    y: Scale,
}

impl Axes {
    fn x(&self, number: f64) -> f64 {
        self.left + self.x.part(number) * (self.right - self.left)
    }
    fn y(&self, number: f64) -> f64 {
        self.bottom - self.y.part(number) * (self.bottom - self.top)
    }
}

/// Curves over a range.
pub fn curves(name: &str, range: (f64, f64), curves: &[Curve]) -> String {
    let mut out = opening(&curves.iter().map(|curve| curve.name.as_str()).collect::<Vec<_>>());
    let colours = colour_numbers(curves);
    let legend = legend(curves, &colours, &mut out);
    let x = Scale { from: range.0, to: range.1 };
    let (right, bottom) = (SIZE.0 - RIGHT, SIZE.1 - BOTTOM);
    let axes = Axes { left: LEFT, right, top: TOP + legend, bottom, x, y: vertical(curves) };
    let (width, height) = (axes.right - axes.left, axes.bottom - axes.top);
    let _ = writeln!(
        out,
        r#"<clipPath id="axes"><rect x="{}" y="{}" width="{width}" height="{height}"/></clipPath>"#,
        axes.left, axes.top
    );
    ticks(&axes, true, &mut out);
    words(&axes, name, None, &mut out);
    for (curve, colour) in curves.iter().zip(colours) {
        line(&axes, curve, COLOURS[colour % COLOURS.len()], &mut out);
    }
    out + "</svg>\n"
}

fn opening(names: &[&str]) -> String {
    let (width, height) = SIZE;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"{GREY}\">\n\
         <title>{}</title>\n",
        escaped(&names.join(", "))
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The legend above the axes; gives its height.
fn legend(curves: &[Curve], colours: &[usize], out: &mut String) -> f64 {
    let (mut x, mut y) = (LEFT, TOP + LINE / 2.0);
    for (curve, colour) in curves.iter().zip(colours) {
        let width = 34.0 + LETTER * curve.name.chars().count() as f64 + 20.0;
        if x + width > SIZE.0 - RIGHT && x > LEFT {
            (x, y) = (LEFT, y + LINE);
        }
        let stroke = stroke(curve, COLOURS[colour % COLOURS.len()]);
        let _ = writeln!(
            out,
            r#"<path d="M{x:.1} {y:.1}h28" {stroke}/><text x="{:.1}" y="{:.1}">{}</text>"#,
            x + 34.0,
            y + 4.5,
            escaped(&curve.name)
        );
        x += width;
    }
    y + LINE - TOP
}

fn stroke(curve: &Curve, colour: &str) -> String {
    let dashes = match curve.stroke {
        Stroke::Solid => "",
        Stroke::Dashed => r#" stroke-dasharray="7 4""#,
    };
    format!(r#"fill="none" stroke="{colour}" stroke-width="2" stroke-linejoin="round"{dashes}"#)
}

/// Ticks with their numbers on both axes, with lines across if they are wanted, and the frame.
fn ticks(axes: &Axes, is_grid: bool, out: &mut String) {
    let mut lines = String::new();
    let mut line = |x: f64, y: f64, across: &str, is_zero: bool| {
        let opacity = if is_zero { "0.6" } else { "0.2" };
        let _ = writeln!(lines, r#"<path d="M{x:.1} {y:.1}{across}" stroke-opacity="{opacity}"/>"#);
    };
    for (tick, label) in axes.x.ticks(8) {
        let x = axes.x(tick);
        if is_grid {
            line(x, axes.bottom, &format!("V{:.1}", axes.top), tick == 0.0);
        }
        let y = axes.bottom + 18.0;
        let _ = writeln!(out, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="middle">{label}</text>"#);
    }
    for (tick, label) in axes.y.ticks(6) {
        let (x, y) = (axes.left - 8.0, axes.y(tick));
        if is_grid {
            line(axes.left, y, &format!("H{:.1}", axes.right), tick == 0.0);
        }
        let y = y + 4.5;
        let _ = writeln!(out, r#"<text x="{x:.1}" y="{y:.1}" text-anchor="end">{label}</text>"#);
    }
    let (x, y) = (axes.left, axes.top);
    let (width, height) = (axes.right - axes.left, axes.bottom - axes.top);
    let _ = writeln!(
        out,
        "<g fill=\"none\" stroke=\"{GREY}\">\n{lines}<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" stroke-opacity=\"0.6\"/>\n</g>"
    );
}

/// What the axes are.
fn words(axes: &Axes, x: &str, y: Option<&str>, out: &mut String) {
    let (middle, bottom) = ((axes.left + axes.right) / 2.0, SIZE.1 - 10.0);
    let x = escaped(x);
    let _ = writeln!(out, r#"<text x="{middle}" y="{bottom}" text-anchor="middle">{x}</text>"#);
    if let Some(y) = y {
        let (middle, y) = ((axes.top + axes.bottom) / 2.0, escaped(y));
        let _ = writeln!(
            out,
            r#"<text transform="translate(18 {middle}) rotate(-90)" text-anchor="middle">{y}</text>"#
        );
    }
}

fn line(axes: &Axes, curve: &Curve, colour: &str, out: &mut String) {
    let (mut path, mut dots) = (String::new(), String::new());
    for part in connected(curve, &axes.y) {
        if let [(x, y)] = part {
            let (x, y) = (axes.x(*x), axes.y(*y));
            let _ = write!(dots, r#"<circle cx="{x:.1}" cy="{y:.1}" r="2"/>"#);
            continue;
        }
        for (at, (x, y)) in part.iter().enumerate() {
            // Far outside of the frame all places look the same, and large numbers are badly drawn.
            let y = axes.y(*y).clamp(-10.0 * SIZE.1, 10.0 * SIZE.1);
            let _ = write!(path, "{}{:.1} {y:.1}", if at == 0 { "M" } else { "L" }, axes.x(*x));
        }
    }
    let stroke = stroke(curve, colour);
    if !path.is_empty() {
        let _ = writeln!(out, r#"<path clip-path="url(#axes)" d="{path}" {stroke}/>"#);
    }
    if !dots.is_empty() {
        let _ = writeln!(out, r#"<g clip-path="url(#axes)" fill="{colour}">{dots}</g>"#);
    }
}

/// A heat map, with its colours beside it.
pub fn heat(heat: &Heat) -> String {
    let mut out = opening(&[&heat.title]);
    let [x, y] = heat.ranges.map(|(from, to)| Scale { from, to });
    let (right, bottom) = (SIZE.0 - RIGHT - KEY, SIZE.1 - BOTTOM);
    let axes = Axes { left: LEFT, right, top: TOP + LINE, bottom, x, y };
    let values = Scale::of_range(heat.cells.iter().flatten().copied());
    let _ = writeln!(
        out,
        r#"<text x="{}" y="{}">{}</text>"#,
        axes.left,
        TOP + 8.0,
        escaped(&heat.title)
    );
    let (rows, columns) = (heat.cells.len(), heat.cells.first().map_or(1, Vec::len));
    let (width, height) =
        ((axes.right - axes.left) / columns as f64, (axes.bottom - axes.top) / rows as f64);
    let _ = writeln!(
        out,
        r#"<g shape-rendering="crispEdges" transform="translate({} {}) scale({width:.4} {:.4})">"#,
        axes.left, axes.bottom, -height
    );
    for (shade, path) in runs(&heat.cells, &values) {
        let _ = writeln!(out, r#"<path fill="{}" d="{path}"/>"#, colour(shade));
    }
    out.push_str("</g>\n<g shape-rendering=\"crispEdges\">\n");
    let (left, step) = (axes.right + 20.0, (axes.bottom - axes.top) / 64.0);
    for at in 0..64 {
        let y = axes.bottom - f64::from(at + 1) * step;
        let colour = colour(shade((f64::from(at) + 0.5) / 64.0));
        let _ = writeln!(
            out,
            r#"<rect x="{left}" y="{y:.2}" width="16" height="{step:.2}" fill="{colour}"/>"#
        );
    }
    out.push_str("</g>\n");
    for (tick, label) in values.ticks(6) {
        let y = axes.bottom - values.part(tick) * (axes.bottom - axes.top) + 4.5;
        let _ = writeln!(out, r#"<text x="{}" y="{y:.1}">{label}</text>"#, left + 22.0);
    }
    ticks(&axes, false, &mut out);
    words(&axes, &heat.names[0], Some(&heat.names[1]), &mut out);
    out + "</svg>\n"
}

/// The cells of each shade as a path, on a grid of cells one wide and high: neighbours in a row are one rectangle.
fn runs(cells: &[Vec<f64>], values: &Scale) -> BTreeMap<u8, String> {
    let mut paths: BTreeMap<u8, String> = BTreeMap::new();
    for (row, line) in cells.iter().enumerate() {
        let shades: Vec<Option<u8>> =
            line.iter().map(|value| is_drawn(*value).then(|| shade(values.part(*value)))).collect();
        let mut column = 0;
        for run in shades.chunk_by(|first, second| first == second) {
            if let Some(shade) = run[0] {
                let path = paths.entry(shade).or_default();
                let _ = write!(path, "M{column} {row}h{}v1H{column}z", run.len());
            }
            column += run.len();
        }
    }
    paths
}

/// The shade of a value whose place on the scale this is.
fn shade(part: f64) -> u8 {
    (part.clamp(0.0, 1.0) * SHADES).round() as u8
}

/// Its colour.
fn colour(shade: u8) -> String {
    let part = f64::from(shade) / SHADES;
    let place = part * (HEAT.len() - 1) as f64;
    let at = (place.floor() as usize).min(HEAT.len() - 2);
    let mix = |channel: usize| {
        let (first, second) = (f64::from(HEAT[at][channel]), f64::from(HEAT[at + 1][channel]));
        (first + (place - at as f64) * (second - first)).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}
