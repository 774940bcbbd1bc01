//! The prompt in a terminal, which `tmux` is.

use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::root;

/// A terminal with a prompt in it, which ends with this.
struct Terminal {
    socket: String,
}

impl Terminal {
    /// None where there is no `tmux`.
    fn start(name: &str) -> Option<Self> {
        let socket = format!("pullback-{name}-{}", std::process::id());
        let state = std::env::temp_dir().join(&socket);
        let pullback = env!("CARGO_BIN_EXE_pullback");
        let line =
            format!("XDG_STATE_HOME={} {pullback} repl; echo ended; sleep 600", state.display());
        let started = Command::new("tmux")
            .args([
                "-L",
                &socket,
                "-f",
                "/dev/null",
                "new-session",
                "-d",
                "-x",
                "100",
                "-y",
                "40",
                &line,
            ])
            .current_dir(root())
            .status();
        match started {
            Ok(status) if status.success() => Some(Self { socket }),
            _ => {
                eprintln!("skipped: there is no `tmux`");
                None
            }
        }
    }
    fn tmux(&self, args: &[&str]) -> String {
        let output = Command::new("tmux").args(["-L", &self.socket]).args(args).output();
        String::from_utf8_lossy(&output.expect("tmux runs").stdout).into_owned()
    }
    fn write(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
    }
    fn press(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }
    /// Waits until the screen has a text.
    fn wait_for(&self, text: &str) {
        self.wait_until(|screen| screen.contains(text), text);
    }
    /// Waits until the prompt reads a line that is empty: a key that is pressed before reaches the
    /// terminal, not the prompt.
    fn wait_for_line(&self) {
        self.wait_until(|screen| screen.trim_end().ends_with("\n>"), "empty line");
    }
    fn wait_until(&self, holds: impl Fn(&str) -> bool, wanted: &str) {
        let started = Instant::now();
        loop {
            let screen = self.tmux(&["capture-pane", "-p"]);
            if holds(&screen) {
                return;
            }
            assert!(started.elapsed() < Duration::from_secs(60), "no {wanted:?} in\n{screen}");
            sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
        let state = std::env::temp_dir().join(&self.socket);
        drop(std::fs::remove_dir_all(state));
    }
}

#[test]
fn a_prompt_in_a_terminal_reads_on_and_stops_runs_only() {
    let Some(terminal) = Terminal::start("prompt") else { return };
    terminal.wait_for_line();
    // A definition over two lines.
    terminal.write("def cube (x: Real): Real =");
    terminal.press("Enter");
    terminal.wait_for("\n|");
    terminal.write("  x ^ 3");
    terminal.press("Enter");
    terminal.wait_for("cube : Real -> Real");
    terminal.wait_for_line();
    terminal.write("grad cube 2.0");
    terminal.press("Enter");
    terminal.wait_for("12.0");
    terminal.wait_for_line();
    // A long run says how far it is, and Ctrl-C stops it.
    terminal.write("loop a = 1.0 while a > 0.0 do a + 1e-9");
    terminal.press("Enter");
    terminal.wait_for("iteration ");
    terminal.press("C-c");
    terminal.wait_for("E07");
    terminal.wait_for_line();
    terminal.write("cube 3.0");
    terminal.press("Enter");
    terminal.wait_for("27.0");
    terminal.wait_for_line();
    // The line of progress is gone.
    terminal.wait_until(|screen| !screen.contains("iteration "), "answers alone");
    // The line before comes back.
    let timed = "ms, checking included";
    terminal.write(":time cube 4.0");
    terminal.press("Enter");
    terminal.wait_for(timed);
    terminal.wait_for_line();
    terminal.press("Up");
    terminal.wait_until(|screen| screen.trim_end().ends_with("> :time cube 4.0"), "line before");
    terminal.press("Enter");
    terminal.wait_until(|screen| screen.matches(timed).count() == 2, "second time");
    terminal.wait_for_line();
    // Completion, and the end.
    terminal.write("cu");
    terminal.press("Tab");
    terminal.wait_for("cumsum");
    terminal.press("C-c");
    terminal.wait_for_line();
    terminal.press("C-d");
    terminal.wait_for("ended");
}
