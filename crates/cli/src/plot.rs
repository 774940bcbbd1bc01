//! `plot`: a drawing in the terminal, or a file of SVG.

use std::path::Path;

use pullback_base::{Diagnostic, Span};
use pullback_session::{Call, Query, Stop};
use pullback_tools::Plot;

use crate::options::{Color, PAGE, PlotArgs, WarnArgs};
use crate::output::{unwritten, writable};
use crate::terminal::{draws_colours, page_width};

/// The most cells of a heat map each way, and the usual number of places of a curve.
const CELLS: usize = 80;
const POINTS: usize = 401;

/// Draws what is asked for; the text that is printed.
pub fn plot(query: &mut Query<'_>, asked: &PlotArgs, color: Color) -> Result<String, Stop> {
    let refused = |query: &mut Query<'_>, diagnostic| {
        query.report(diagnostic);
        Stop
    };
    let file = asked.output.as_deref().map(svg_file).transpose();
    let file = file.map_err(|diagnostic| refused(query, diagnostic))?;
    let call = Call {
        file: asked.file.clone(),
        named: asked.named.named.clone(),
        inputs: asked.named.inputs(),
        settings: asked.settings.settings(WarnArgs::NONE),
        ..Call::default()
    };
    let points = asked.points.map(|points| points as usize);
    let width = asked.width.map(usize::from).or(page_width()).unwrap_or(PAGE);
    let size = (width, usize::from(asked.height));
    let cells = points.unwrap_or(CELLS);
    let plot = Plot {
        entries: asked.entries.clone(),
        range: asked.from.clone().zip(asked.to.clone()),
        second: asked.from_y.clone().zip(asked.to_y.clone()),
        points: points.unwrap_or(POINTS),
        grid: (cells, cells),
        derivatives: !asked.no_derivative,
    };
    let figure = pullback_tools::plot(query, &call, &plot)?;
    let Some(file) = file else { return Ok(figure.text(size, draws_colours(color))) };
    query.clock.stop();
    let written = std::fs::write(file, figure.svg());
    written.map_err(|error| refused(query, unwritten(file, &error)))?;
    Ok(String::new())
}

/// A file that ends as SVG does and can be written.
fn svg_file(path: &Path) -> Result<&Path, Diagnostic> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    if ending.as_deref() != Some("svg") {
        let title = format!("`{}` does not end in `.svg`", path.display());
        return Err(Diagnostic::error("E0818", Span::NONE, title, "")
            .note("a plot is a drawing in the terminal, or a file of SVG"));
    }
    writable(path)?;
    Ok(path)
}
