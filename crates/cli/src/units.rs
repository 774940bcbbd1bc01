//! Amounts as people write them: `512M`, `4G`; `10`, `10s`, `500ms`.

/// A number of bytes: digits and one of `K`, `M`, `G`, `T` (powers of 1024, an `iB` or `B` may follow).
pub fn bytes(text: &str) -> Result<usize, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let unit = text[digits..].trim_end_matches("iB").trim_end_matches('B');
    let shift = match unit.to_ascii_uppercase().as_str() {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("write a number and K, M, G or T, such as 512M".to_owned()),
    };
    let number: usize =
        text[..digits].parse().map_err(|_| "write a number and a unit, such as 512M".to_owned())?;
    if number == 0 {
        return Err("there must be some memory".to_owned());
    }
    number.checked_mul(1 << shift).ok_or_else(|| "that is more than any memory".to_owned())
}

/// A time in seconds: a number, alone or with `s`, `ms` or `min`.
pub fn seconds(text: &str) -> Result<f64, String> {
    let (number, scale) = if let Some(number) = text.strip_suffix("ms") {
        (number, 1e-3)
    } else if let Some(number) = text.strip_suffix("min") {
        (number, 60.0)
    } else {
        (text.strip_suffix('s').unwrap_or(text), 1.0)
    };
    match number.trim().parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number * scale),
        Ok(number) if number <= 0.0 => {
            Err("a time must be positive, such as 10s or 500ms".to_owned())
        }
        _ => Err("write a positive time, such as 10s or 500ms".to_owned()),
    }
}

/// A size with its name: `n=10`.
pub fn size(text: &str) -> Result<(String, i64), String> {
    let told = || "write a name and a number, such as n=10".to_owned();
    let (name, number) = text.split_once('=').ok_or_else(told)?;
    let number: u32 = number.trim().parse().map_err(|_| told())?;
    Ok((name.trim().to_owned(), i64::from(number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read() {
        assert_eq!(bytes("512M"), Ok(512 << 20));
        assert_eq!(bytes("4GiB"), Ok(4 << 30));
        assert_eq!(bytes("100"), Ok(100));
        assert!(bytes("5Q").is_err() && bytes("").is_err() && bytes("0").is_err());
        assert!(bytes("99999999999T").is_err());
        assert_eq!(seconds("10"), Ok(10.0));
        assert_eq!(seconds("500ms"), Ok(0.5));
        assert_eq!(seconds("2min"), Ok(120.0));
        assert_eq!(size("n=10"), Ok(("n".to_owned(), 10)));
        assert!(size("n").is_err() && size("n=-1").is_err() && size("10").is_err());
        let positive = Err("a time must be positive, such as 10s or 500ms".to_owned());
        assert!(
            [seconds("-1"), seconds("-5s"), seconds("0ms")].iter().all(|time| *time == positive)
        );
        assert!(seconds("soon").is_err() && seconds("NaN").is_err());
    }
}
