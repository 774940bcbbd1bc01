//! What `plot` draws, and where.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::call::NamedArgs;
use super::settings::SettingsArgs;

/// What is told after the options.
pub const EXAMPLES: &str = "\
Examples:
  pullback plot model.pull f --from -2 --to 2               f and its derivative
  pullback plot model.pull f g --from 0 --to '2 * pi' -o fg.svg  both, as SVG
  pullback plot model.pull loss --arg xs=data --from 0 --to 1
  pullback plot model.pull hills --from -3 --to 3           a heat map of a function of two numbers
  pullback plot model.pull losses                           an array against its index";

/// What is drawn.
#[derive(Debug, Args)]
pub struct PlotArgs {
    /// The file; `-` is standard input.
    pub file: PathBuf,
    /// The definitions: functions of a number that is given nothing, of two for a heat map, or arrays.
    #[arg(value_name = "ENTRY", required = true)]
    pub entries: Vec<String>,
    #[command(flatten)]
    pub named: NamedArgs,
    /// Where the range of the parameter that is given nothing begins: a number, or an expression in the file's scope.
    #[arg(long, value_name = "A", allow_hyphen_values = true, requires = "to")]
    pub from: Option<String>,
    /// Where it ends.
    #[arg(long, value_name = "B", allow_hyphen_values = true, requires = "from")]
    pub to: Option<String>,
    /// Where the range of the second such parameter begins [default: as the first one].
    #[arg(long, value_name = "A", allow_hyphen_values = true, requires_all = ["to_y", "from"])]
    pub from_y: Option<String>,
    /// Where it ends.
    #[arg(long, value_name = "B", allow_hyphen_values = true, requires = "from_y")]
    pub to_y: Option<String>,
    /// At how many places a function is evaluated; of two numbers, each way [default: 401, or 80 each way].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub points: Option<u32>,
    /// Leave the derivatives out.
    #[arg(long)]
    pub no_derivative: bool,
    /// Write the plot to a file that ends in `.svg`, and print nothing.
    #[arg(short, long, value_name = "FILE.svg")]
    pub output: Option<PathBuf>,
    /// How many columns the drawing has [default: the width of the terminal, or 80].
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(20..=1000))]
    pub width: Option<u16>,
    /// How many lines it has.
    #[arg(long, value_name = "LINES", default_value = "24", value_parser = clap::value_parser!(u16).range(8..=1000))]
    pub height: u16,
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// The arguments of the command line, in which a `--` before the bound of a range, as in `--from -- -2`, keeps its
/// meaning of old: that what follows is no option.
pub fn bounds_behind_dashes(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    const RANGES: [&str; 4] = ["--from", "--to", "--from-y", "--to-y"];
    let mut joined: Vec<OsString> = Vec::new();
    let (mut is_plot, mut args) = (false, args.peekable());
    while let Some(mut arg) = args.next() {
        is_plot |= arg == "plot";
        let is_range = is_plot && RANGES.iter().any(|range| arg == *range);
        if is_range && args.next_if(|next| next == "--").is_some() {
            arg.push("=");
            arg.push(args.next().unwrap_or_default());
        }
        joined.push(arg);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_may_stand_behind_dashes() {
        let joined = |line: &str| {
            let args = bounds_behind_dashes(line.split(' ').map(OsString::from));
            args.iter().map(|arg| arg.to_string_lossy()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(joined("p plot a f --from -- -2 --to 2"), "p plot a f --from=-2 --to 2");
        assert_eq!(joined("p plot a f --from -2 -- g"), "p plot a f --from -2 -- g");
        assert_eq!(joined("p run a f -- -2"), "p run a f -- -2");
        assert_eq!(joined("p plot a --to --"), "p plot a --to=");
    }
}
