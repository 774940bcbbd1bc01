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
    #[arg(long = "interval", value_name = "NAME=[LOW,HIGH]", value_parser = Named::parse)]
    pub intervals: Vec<Named>,
    /// How far all other Reals may be from their arguments.
    #[arg(long, value_name = "R", value_parser = radius, default_value = "0")]
    pub radius: f64,
    /// Print one line of JSON.
    #[arg(long)]
    pub json: bool,
}

fn radius(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(radius) if radius >= 0.0 => Ok(radius),
        Ok(_) => Err("a radius is a number that is not negative".to_owned()),
        Err(_) => Err(format!("`{text}` is no number")),
    }
}
