//! "Did you mean": the known name nearest to one that is not known.

use pullback_base::nearest;

/// A sentence that names the nearest of the known names, or lists them all.
pub fn did_you_mean<'a>(
    noun: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    if let Some(near) = nearest(name, known.iter().copied()) {
        return format!("did you mean `{near}`?");
    }
    if known.is_empty() {
        return format!("there is no {noun} to choose");
    }
    let more = if known.len() > 12 { ", …" } else { "" };
    let shown: Vec<String> = known.iter().take(12).map(|name| format!("`{name}`")).collect();
    let plural = if noun.ends_with('s') { "es" } else { "s" };
    format!("there are the {noun}{plural} {}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_listed() {
        let known = ["loss", "predict", "train"];
        assert_eq!(did_you_mean("definition", "lsos", known), "did you mean `loss`?");
        assert_eq!(did_you_mean("definition", "Loss", known), "did you mean `loss`?");
        assert_eq!(
            did_you_mean("definition", "quux", known),
            "there are the definitions `loss`, `predict`, `train`"
        );
        assert_eq!(did_you_mean("pass", "quux", ["cse"]), "there are the passes `cse`");
    }
}
