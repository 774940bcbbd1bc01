"""All grammars say of every word of every program what the compiler says of it: keyword, number, string, operator, comment.

What is compared is a letter for each character that is no blank. The compiler's are those of the server's semantic tokens.
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from client import Client
from grammar import PARSER
from pygments.token import Comment, Keyword, Number, Operator, String
from sources import COMMAND, ROOT, keywords, programs
from test_pygments import LEXER

NODE = ROOT / "target" / "editors" / "vscode"
OTHER = "."


class Letters:
    """A letter for each character of a text."""

    def __init__(self, text):
        self.text = text
        self.letters = [OTHER] * len(text)

    def paint(self, start, end, letter):
        """Gives a part its letter; a comment goes on to the end of its line."""
        self.letters[start:end] = letter * (end - start)

    def comment(self, start):
        """Marks a comment, to the end of its line."""
        end = self.text.find("\n", start)
        self.paint(start, len(self.text) if end < 0 else end, "c")

    def lines(self):
        """The letters of each line, blanks left out."""
        pairs = zip(self.text, self.letters, strict=True)
        kept = "".join("\n" if char == "\n" else letter for char, letter in pairs if not char.isspace() or char == "\n")
        return kept.split("\n")


@pytest.fixture(scope="module")
def texts():
    """The programs whose expectations are sound, with plain line ends."""
    found = {}
    for path in programs():
        text = path.read_bytes().decode("utf-8", errors="replace")
        if "\r" not in text and not text.startswith("\ufeff"):
            found[path] = text
    assert len(found) > 700
    return found


@pytest.fixture(scope="module")
def told(texts):
    """What the compiler says of each program."""
    if not shutil.which(COMMAND):
        pytest.skip("the command is not built")
    client = Client([COMMAND, "lsp"])
    legend = client.initialize(ROOT / "lib")["semanticTokensProvider"]["legend"]["tokenTypes"]
    letter = {"keyword": "k", "number": "n", "string": "s", "operator": "o", "comment": "c"}
    answers = {}
    for path, text in texts.items():
        client.open(path.as_uri(), text)
        file = {"textDocument": {"uri": path.as_uri()}}
        data = client.ask("textDocument/semanticTokens/full", file)["data"]
        client.tell("textDocument/didClose", file)
        answers[path] = server_lines(text, data, legend, letter)
    assert client.end() == 0
    return answers


def server_lines(text, data, legend, letter):
    """The letters of an answer, which counts in UTF-16 units from one word to the next."""
    letters = Letters(text)
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    row = column = 0
    for index in range(0, len(data), 5):
        down, right, length, kind, _ = data[index : index + 5]
        row, column = row + down, right if down else column + right
        line = text[starts[row] : starts[row + 1] - 1].encode("utf-16-le")
        start = starts[row] + len(line[: 2 * column].decode("utf-16-le"))
        end = start + len(line[2 * column : 2 * (column + length)].decode("utf-16-le"))
        if letters.letters[start] == "c":
            continue
        if legend[kind] == "comment":
            letters.comment(start)
        else:
            # The server calls `::` an operator, though one colon is none.
            colons = text[start:end] == "::"
            letters.paint(start, end, OTHER if colons else letter.get(legend[kind], OTHER))
    return letters.lines()


def compare(told, found, path):
    """Asserts that two answers are the same."""
    for number, (theirs, ours) in enumerate(zip(told, found, strict=True), 1):
        assert ours == theirs, f"{path.relative_to(ROOT)}:{number}"


def test_pygments(texts, told):
    for path, text in texts.items():
        letters, at = Letters(text), 0
        for kind, piece in LEXER.get_tokens(text):
            start, at = at, at + len(piece)
            if letters.letters[start : start + 1] == ["c"]:
                continue
            if kind in Comment.Special:
                letters.comment(start)
            elif kind in Comment or kind in String.Doc:
                letters.paint(start, at, "c")
            elif kind in Keyword and kind not in Keyword.Type:
                letters.paint(start, at, "k")
            elif kind in Number:
                letters.paint(start, at, "n")
            elif kind in String:
                letters.paint(start, at, "s")
            elif kind in Operator:
                letters.paint(start, at, "o")
        compare(told[path], letters.lines(), path)


def leaves(node):
    """The words of a tree; strings and expectations are one each."""
    if not node.children or node.type in ("string", "expectation"):
        yield node
    else:
        for child in node.children:
            yield from leaves(child)


def test_tree_sitter(texts, told):
    kinds = {"number": "n", "component": "n", "string": "s", "comment": "c", "doc_comment": "c", "expectation": "c"}
    kinds |= dict.fromkeys(keywords(), "k")
    names = {"identifier", "variable_pattern", "field", "module", "type_variable", "type_identifier"}
    names |= {"constructor_identifier", "wildcard"}
    for path, text in texts.items():
        if "checkpoint" in text or "with tangent" in text:
            # Which word it is, only the grammar tells.
            continue
        letters, source = Letters(text), text.encode()
        for node in leaves(PARSER.parse(source).root_node):
            start, end = (len(source[:byte].decode()) for byte in (node.start_byte, node.end_byte))
            kind = node.type
            other = OTHER if kind in names or kind in "()[]{},.:" else "o"
            letters.paint(start, end, kinds.get(kind, other))
        compare(told[path], letters.lines(), path)


def test_textmate(texts, told):
    script = Path(__file__).parents[1] / "vscode" / "test" / "letters.mjs"
    if not (NODE / "node_modules").exists():
        pytest.skip("the packages of the extension are not installed")
    asked = json.dumps({str(path): text for path, text in texts.items()})
    run = subprocess.run(["node", NODE / "test" / script.name], input=asked, capture_output=True, text=True, check=True)
    found = json.loads(run.stdout)
    for path in texts:
        compare(told[path], found[str(path)], path)
