//! What mutation fuzzing does with its cases: uses of an accepted program, and archives of changed arrays.
//!
//! Input: a program that has been accepted, or the bytes of an array. Output: what is wrong with the
//! program's use, or an archive whose only faults are those of the array.

use std::path::Path;

use pullback_engines::REGISTRY;
use pullback_session::{Call, Memory, Query, Settings, check, fmt, grad, run};
use pullback_tools::{STAGES, show};

/// Formats a program that has been accepted: to a text that stays as it is.
pub fn formatted(files: &Memory, path: &Path) -> Result<String, String> {
    let (_, once) =
        fmt(&mut Query::new(files, REGISTRY), path).map_err(|_| "cannot be formatted")?;
    let files = files.clone().with(path, once.clone());
    let mut query = Query::new(&files, REGISTRY);
    let (_, twice) = fmt(&mut query, path).map_err(|_| "formatted, it has syntax errors")?;
    if twice != once {
        return Err("formatted twice, it differs from formatted once".to_owned());
    }
    check(&mut query, path);
    if query.has_errors() { Err("formatted, it has errors".to_owned()) } else { Ok(once) }
}

/// Runs, differentiates and shows some definition of a program at some argument.
pub fn used(files: &Memory, path: &Path, text: &str, choices: [u64; 3]) -> Result<(), String> {
    let names = text.lines().filter_map(|line| line.strip_prefix("def ")).map(|rest| {
        rest.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\'')).next().unwrap_or("")
    });
    let names: Vec<&str> = names.collect();
    let pick = |choice: u64, size: usize| (choice % size.max(1) as u64) as usize;
    let Some(name) = names.get(pick(choices[0], names.len())) else { return Ok(()) };
    let arguments: [&[&str]; 5] = [&[], &["1.5"], &["3"], &["[1.0, -2.0]"], &["2.0", "0.5"]];
    let args = arguments[pick(choices[1], arguments.len())];
    let stage = STAGES[pick(choices[2], STAGES.len())].name;
    let call = Call {
        file: path.to_owned(),
        entry: (*name).to_owned(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        inputs: vec![],
        settings: limits(0.5),
        ..Call::default()
    };
    let uses: [&dyn Fn(&mut Query<'_>); 3] =
        [&|query| drop(run(query, &call)), &|query| drop(grad(query, &call, &[])), &|query| {
            drop(show(query, &call, stage))
        }];
    for act in uses {
        let mut query = Query::new(files, REGISTRY);
        act(&mut query);
        render_all(&query);
        if let Some(bug) = query.diagnostics.iter().find(|found| found.code == "E0799") {
            return Err(format!("`{name}` at {args:?}: {}", bug.title));
        }
    }
    Ok(())
}

/// Limits of one evaluation.
pub fn limits(seconds: f64) -> Settings {
    Settings { max_memory: Some(256 << 20), timeout: Some(seconds), ..Settings::default() }
}

/// Renders what was found, to see that it can be.
pub fn render_all(query: &Query<'_>) {
    for diagnostic in &query.diagnostics {
        pullback_base::render(&query.sources, diagnostic, pullback_base::Style::Plain);
    }
}

/// Two by three Reals as NumPy writes them.
pub const ARRAY: &[u8] =
    b"\x93NUMPY\x01\0v\0{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\
\x20                                                         \n\
\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\x08\x40\
\0\0\0\0\0\0\x10\x40\0\0\0\0\0\0\x14\x40\0\0\0\0\0\0\x18\x40";

/// The name of the array that the first parameter of a program's `main` takes.
pub fn member(program: &Path) -> String {
    let text = std::fs::read_to_string(program).unwrap_or_default();
    let params = text.split_once("def main").map_or("", |(_, params)| params);
    let name = params.split_once('(').map_or("", |(_, param)| param);
    let name = name.split_once(':').map_or("x", |(name, _)| name.trim());
    format!("{name}.npy")
}

/// A zip archive of one member, stored as it is.
pub fn archive(name: &str, bytes: &[u8]) -> Vec<u8> {
    let (size, length) = (bytes.len() as u32, name.len() as u16);
    // Version, flags, method, time, date; then checksum, sizes, and lengths of name and extra field.
    let mut common = vec![20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0];
    for field in [checksum(bytes), size, size, u32::from(length)] {
        common.extend(field.to_le_bytes());
    }
    let mut zip = b"PK\x03\x04".to_vec();
    zip.extend(&common);
    zip.extend(name.as_bytes());
    zip.extend(bytes);
    let directory = zip.len() as u32;
    zip.extend(b"PK\x01\x02\x14\0");
    zip.extend(&common);
    // No comment, disk 0, no attributes, and the member begins the file.
    zip.extend([0; 14]);
    zip.extend(name.as_bytes());
    let length = zip.len() as u32 - directory;
    zip.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    zip.extend(length.to_le_bytes());
    zip.extend(directory.to_le_bytes());
    zip.extend([0, 0]);
    zip
}

/// The checksum of zip archives, CRC-32.
fn checksum(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 0 { crc >> 1 } else { (crc >> 1) ^ 0xedb8_8320 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_arrays_are_read() {
        let (program, input) = (Path::new("p.pull"), Path::new("in.npz"));
        let text = "def main (x: [2][3]Real): Real = sum (flatten x)";
        let files = Memory::default().with(program, text).with(input, archive("x.npy", ARRAY));
        let call = Call {
            file: program.to_owned(),
            entry: "main".to_owned(),
            inputs: vec![input.to_owned().into()],
            ..Call::default()
        };
        let mut query = Query::new(&files, REGISTRY);
        let answer = run(&mut query, &call).map(|answer| answer.text(None));
        assert_eq!(answer.as_deref(), Ok("21.0"), "{:?}", query.diagnostics);
    }
}
