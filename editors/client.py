"""A plain client of a language server: a recorded session of an editor with `pullback lsp`.

    python3 editors/client.py pullback lsp

It opens a file, asks, edits, and prints each question with its answer. It ends with code 1 at the first answer that is not
as it should be.
"""

import json
import queue
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

TEXT = """\
-- | The square of a number.
--@ square 3.0 = 9.0
def square (x: Real): Real = x * x

def area (r: Real): Real = 3.14 * square r
"""


class Client:
    """A server as a process, and messages to and from it."""

    def __init__(self, command):
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.inbox = queue.Queue()
        self.notes = []
        self.count = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        stream = self.server.stdout
        while header := stream.readline():
            length = 0
            while header.strip():
                name, _, value = header.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
                header = stream.readline()
            self.inbox.put(json.loads(stream.read(length)))
        self.inbox.put(None)

    def _send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.server.stdin.flush()

    def _receive(self):
        message = self.inbox.get(timeout=60)
        if message is None:
            raise EOFError("the server has ended")
        return message

    def tell(self, method, params=None):
        """Sends a notification."""
        self._send({"method": method, "params": params or {}})

    def ask(self, method, params=None):
        """Sends a request and gives its answer."""
        self.count += 1
        self._send({"id": self.count, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == self.count and "method" not in message:
                if "error" in message:
                    raise RuntimeError(message["error"]["message"])
                return message["result"]
            self.notes.append(message)

    def diagnostics(self, uri, version):
        """The diagnostics of a version of a file."""

        def fits(note):
            params = note.get("params", {})
            told = note.get("method") == "textDocument/publishDiagnostics"
            return told and params["uri"] == uri and params.get("version") == version

        while not any(map(fits, self.notes)):
            self.notes.append(self._receive())
        return next(filter(fits, reversed(self.notes)))["params"]["diagnostics"]

    def initialize(self, folder):
        """Begins a session in a folder; gives what the server can do."""
        capabilities = {
            "textDocument": {"publishDiagnostics": {"versionSupport": True}},
            "workspace": {"workspaceEdit": {"documentChanges": True}},
        }
        folders = [{"uri": folder.as_uri(), "name": folder.name}]
        root = {"rootUri": folder.as_uri(), "workspaceFolders": folders}
        answer = self.ask("initialize", {"processId": None, "capabilities": capabilities, **root})
        self.tell("initialized")
        return answer["capabilities"]

    def open(self, uri, text):
        """Opens a file with this text as version 1."""
        item = {"uri": uri, "languageId": "pullback", "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": item})

    def end(self):
        """Ends the session; gives the server's exit code."""
        self.ask("shutdown")
        self.tell("exit")
        return self.server.wait(timeout=60)


def apply(text, edits):
    """A text after edits, which count in UTF-16 units; here all characters are single units."""
    lines = text.splitlines(keepends=True)

    def offset(place):
        return sum(map(len, lines[: place["line"]])) + place["character"]

    for edit in sorted(edits, key=lambda it: offset(it["range"]["start"]), reverse=True):
        start, end = (offset(edit["range"][side]) for side in ("start", "end"))
        text = text[:start] + edit["newText"] + text[end:]
    return text


def session(command, folder, say=print):
    """Plays the session; raises AssertionError where an answer is not as it should be."""
    path = folder / "area.pull"
    path.write_text(TEXT)
    uri = path.as_uri()
    file = {"textDocument": {"uri": uri}}
    client = Client(command)

    able = client.initialize(folder)
    say("initialize:", ", ".join(sorted(name for name in able if name.endswith("Provider"))))
    client.open(uri, TEXT)
    assert client.diagnostics(uri, 1) == [], "the file is sound"
    say("open: no mistakes")

    hover = client.ask("textDocument/hover", {**file, "position": {"line": 4, "character": 36}})
    shown = hover["contents"]["value"]
    assert "square" in shown and "The square of a number." in shown, shown
    say("hover:", shown.splitlines()[1])

    place = {"start": {"line": 4, "character": 34}, "end": {"line": 4, "character": 42}}
    edit = {"range": place, "text": "squared r"}
    changed = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [edit]}
    client.tell("textDocument/didChange", changed)
    mistakes = client.diagnostics(uri, 2)
    assert [it["code"] for it in mistakes] == ["E0201"], mistakes
    say("edit:", mistakes[0]["message"].splitlines()[0])

    context = {"diagnostics": mistakes}
    fixes = client.ask("textDocument/codeAction", {**file, "range": mistakes[0]["range"], "context": context})
    assert fixes, "a name that nearly is has a fix"
    say("fix:", fixes[0]["title"])

    undone = {"range": {**place, "end": {"line": 4, "character": 43}}, "text": "square  r"}
    changed = {"textDocument": {"uri": uri, "version": 3}, "contentChanges": [undone]}
    client.tell("textDocument/didChange", changed)
    assert client.diagnostics(uri, 3) == []
    text = TEXT.replace("square r", "square  r")

    where = {"position": {"line": 2, "character": 5}}
    renamed = client.ask("textDocument/rename", {**file, **where, "newName": "power2"})
    changed = renamed["documentChanges"][0]
    assert changed["textDocument"] == {"uri": uri, "version": 3}, changed
    edits = changed["edits"]
    assert "power2 3.0" in apply(text, edits) and "3.14 * power2" in apply(text, edits)
    say("rename:", len(edits), "places")

    options = {"options": {"tabSize": 2, "insertSpaces": True}}
    formatted = apply(text, client.ask("textDocument/formatting", {**file, **options}))
    assert formatted == TEXT, formatted
    say("format: as it was")
    line = {"range": {"start": {"line": 4, "character": 0}, "end": {"line": 4, "character": 9}}}
    formatted = apply(text, client.ask("textDocument/rangeFormatting", {**file, **line, **options}))
    assert formatted == TEXT, formatted
    say("format a definition: as it was")

    lenses = client.ask("textDocument/codeLens", file)
    for lens in lenses:
        command = lens["command"]
        answer = client.ask("workspace/executeCommand", {k: command[k] for k in ("command", "arguments")})
        assert answer["ok"], answer
        say(f"{command['command']}: {answer['text'].splitlines()[-1]}")
    assert lenses, "an expectation has lenses"

    code = client.end()
    assert code == 0, f"the server ended with {code}"
    say("shutdown: 0")


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: client.py COMMAND [ARGUMENT]...")
    with tempfile.TemporaryDirectory() as folder:
        session(sys.argv[1:], Path(folder).resolve())


if __name__ == "__main__":
    main()
