"""Records a session of Neovim with the language server:

    python3 editors/record.py

It sets Neovim 0.11 up as `docs/editor.md` says, lets it play `editors/session.lua`, and writes each message with who sent it
into `crates/lsp/tests/neovim.session`. A test plays what the editor sent and compares what the server says.

`record.py FILE COMMAND…` stands between any editor and a server, and writes their messages into a file.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMAND = Path(os.environ.get("PULLBACK", ROOT / "target" / "release" / "pullback")).resolve()
SESSION = ROOT / "crates" / "lsp" / "tests" / "neovim.session"

PROGRAM = """\
type Model = { slope: Real, offset: Real }

type Shape = Circle Real | Square Real | Dot

-- | Ein Maß 📏 for a model.
--@ predict { slope = 2.0, offset = 1.0 } 3.0 = 7.0
def predict (model: Model) (x: Real): Real = model.slope*x + model.offset

def area (shape: Shape): Real =
  match shape with
  | Circle r -> 3.0 * r
"""


def copied(source, sink, sender, log):
    """Passes messages on and writes them down until there are no more."""
    while header := source.readline():
        length = 0
        head = b""
        while header.strip():
            head += header
            if header.lower().startswith(b"content-length:"):
                length = int(header.split(b":")[1])
            header = source.readline()
        body = source.read(length)
        log(sender, json.loads(body))
        sink.write(head + b"\r\n" + body)
        sink.flush()
    sink.close()


def between(path, command):
    """Stands between an editor, on standard input and output, and a server; gives the server's exit code."""
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    lock = threading.Lock()
    with open(path, "w", encoding="utf-8") as out:

        def log(sender, message):
            with lock:
                out.write(json.dumps({"from": sender, "message": message}, ensure_ascii=False) + "\n")
                out.flush()

        toward = (sys.stdin.buffer, server.stdin, "editor", log)
        threading.Thread(target=copied, args=toward, daemon=True).start()
        copied(server.stdout, sys.stdout.buffer, "server", log)
    return server.wait()


def record(folder):
    """A session of Neovim; gives its lines, without what differs from one machine to another."""
    page = (ROOT / "docs" / "editor.md").read_text()
    config, bin_, log = folder / "nvim", folder / "bin", folder / "log"
    config.mkdir()
    bin_.mkdir()
    (config / "init.lua").write_text(re.search(r"```lua\n(.*?)```", page, re.DOTALL)[1])
    wrapper = bin_ / "pullback"
    wrapper.write_text(f'#!/bin/sh\nexec {sys.executable} {Path(__file__).resolve()} {log} {COMMAND} "$@"\n')
    wrapper.chmod(0o755)
    program = folder / "fit.pull"
    program.write_text(PROGRAM)
    own = {name: str(folder) for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
    environment = {**os.environ, **own, "PATH": f"{bin_}:{os.environ['PATH']}", "PROGRAM": str(program)}
    script = ROOT / "editors" / "session.lua"
    subprocess.run(["nvim", "--headless", "-n", "-S", script], env=environment, check=True, timeout=120)
    newest = 0
    for line in log.read_text().splitlines():
        entry = json.loads(line.replace(str(folder), "/session"))
        message = entry["message"]
        method, params = message.get("method"), message.get("params")
        if method == "initialize":
            params["processId"] = None
        if method == "textDocument/didChange":
            newest = params["textDocument"]["version"]
        if method == "textDocument/publishDiagnostics" and params["version"] < newest:
            # It met a change on its way, and another time the server may not tell it.
            continue
        yield json.dumps(entry, ensure_ascii=False, separators=(",", ":"))


def main():
    """Records a session, or stands between."""
    if len(sys.argv) > 2:
        sys.exit(between(sys.argv[1], sys.argv[2:]))
    if not shutil.which("nvim"):
        sys.exit("needs Neovim 0.11")
    with tempfile.TemporaryDirectory() as folder:
        lines = list(record(Path(folder).resolve()))
    SESSION.write_text("\n".join(lines) + "\n")
    print(SESSION.relative_to(ROOT), len(lines), "messages")


if __name__ == "__main__":
    main()
