//! What the command's exit code says, as in `docs/cli.md`.

/// All went well.
pub const SUCCESS: u8 = 0;
/// The program or its input is wrong.
pub const WRONG_PROGRAM: u8 = 1;
/// The command line is wrong, or a file cannot be read.
pub const WRONG_USAGE: u8 = 2;
/// A bug in Pullback, as in `sysexits.h`.
pub const BUG: u8 = 70;
