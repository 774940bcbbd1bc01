//! The options of `bounds`.

use clap::Args;
use pullback_tools::Named;

use super::{RequiredCallArgs, SettingsArgs, WrtArgs};

/// The box on which a definition is looked at.
#[derive(Args, Debug)]
pub struct BoundsArgs {
    #[command(flatten)]
    pub call: RequiredCallArgs,
    #[command(flatten)]
    pub settings: SettingsArgs,
    #[command(flatten)]
    pub wrt: WrtArgs,
    /// An interval for all Reals of a parameter, in place of those of its argument. May be given for several.
    #[arg(long = "interval", value_name = "NAME=[LOW,HIGH]", value_parser = interval)]
    pub intervals: Vec<Named>,
    /// How far all other Reals may be from their arguments.
    #[arg(long, value_name = "R", value_parser = radius, default_value = "0")]
    pub radius: f64,
    /// Print one line of JSON.
    #[arg(long)]
    pub json: bool,
}

fn interval(text: &str) -> Result<Named, String> {
    let form = "an interval is written `x=[0,1]`";
    let (name, ends) = text.split_once('=').ok_or(form)?;
    let ends = ends.trim().strip_prefix('[').and_then(|ends| ends.strip_suffix(']'));
    let (low, high) = ends.and_then(|ends| ends.split_once(',')).ok_or(form)?;
    let number = |text: &str| {
        let number = text.trim().parse::<f64>().map_err(|_| format!("`{text}` is no number"))?;
        if number.is_nan() { Err("a bound is a number, not NaN".to_owned()) } else { Ok(number) }
    };
    let (low, high) = (number(low)?, number(high)?);
    if low > high {
        return Err(format!("{low} is above {high}: the least number comes first"));
    }
    Ok(Named { name: name.trim().to_owned(), low, high })
}

fn radius(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(radius) if radius >= 0.0 => Ok(radius),
        Ok(_) => Err("a radius is a number that is not negative".to_owned()),
        Err(_) => Err(format!("`{text}` is no number")),
    }
}
