"""An editor that opens a file, asks about it, changes it and goes: `client.py PULLBACK`."""

import json
import pathlib
import subprocess
import sys
import tempfile

TEXT = """def cube (x: Real): Real = x * x * x

def main: Real = cube 2.0
"""


class Editor:
    def __init__(self, command):
        self.server = subprocess.Popen(
            [command, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.count = 0
        self.notes = []

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.server.stdin.flush()

    def receive(self):
        length = None
        while line := self.server.stdout.readline().strip():
            name, value = line.split(b": ")
            if name == b"Content-Length":
                length = int(value)
        return json.loads(self.server.stdout.read(length))

    def ask(self, method, **params):
        self.count += 1
        self.send({"id": self.count, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.count:
                assert "error" not in message, message
                return message["result"]
            self.notes.append(message)

    def tell(self, method, **params):
        self.send({"method": method, "params": params})

    def diagnostics(self, version):
        """Those of a version of the text."""
        while True:
            for note in self.notes:
                params = note.get("params", {})
                if note.get("method") == "textDocument/publishDiagnostics" and params["version"] == version:
                    return params["diagnostics"]
            self.notes.append(self.receive())


def main(command, folder):
    path = pathlib.Path(folder) / "a file.pull"
    path.write_text(TEXT)
    uri = path.as_uri()
    document = {"uri": uri}

    editor = Editor(command)
    result = editor.ask("initialize", processId=None, rootUri=None, capabilities={})
    assert result["capabilities"]["hoverProvider"] is True, result
    editor.tell("initialized")
    opened = {"uri": uri, "languageId": "pullback", "version": 1, "text": TEXT}
    editor.tell("textDocument/didOpen", textDocument=opened)
    assert editor.diagnostics(1) == []

    at_use = {"line": 2, "character": 18}
    hover = editor.ask("textDocument/hover", textDocument=document, position=at_use)
    assert "def cube : Real -> Real" in hover["contents"]["value"], hover
    assert "grad cube : Real -> Real" in hover["contents"]["value"], hover

    place = editor.ask("textDocument/definition", textDocument=document, position=at_use)
    assert place["range"]["start"] == {"line": 0, "character": 4}, place

    change = {
        "range": {"start": {"line": 2, "character": 17}, "end": {"line": 2, "character": 21}},
        "text": "cub",
    }
    editor.tell(
        "textDocument/didChange",
        textDocument={"uri": uri, "version": 2},
        contentChanges=[change],
    )
    [problem] = editor.diagnostics(2)
    assert problem["code"] == "E0201", problem
    actions = editor.ask(
        "textDocument/codeAction",
        textDocument=document,
        range=problem["range"],
        context={"diagnostics": [problem]},
    )
    [fix] = [action for action in actions if action["kind"] == "quickfix"]
    [edit] = fix["edit"]["changes"][uri]
    assert edit["newText"] == "cube", fix

    editor.tell(
        "textDocument/didChange",
        textDocument={"uri": uri, "version": 3},
        contentChanges=[{"text": TEXT.replace("x * x * x", "x*x * x")}],
    )
    assert editor.diagnostics(3) == []
    changes = editor.ask(
        "textDocument/rename", textDocument=document, position=at_use, newName="third_power"
    )
    assert len(changes["changes"][uri]) == 2, changes
    options = {"tabSize": 2, "insertSpaces": True}
    [edit] = editor.ask("textDocument/formatting", textDocument=document, options=options)
    assert edit["newText"] == " * ", edit

    assert editor.ask("shutdown") is None
    editor.tell("exit")
    editor.server.stdin.close()
    assert editor.server.wait(60) == 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(sys.argv[1], folder)
