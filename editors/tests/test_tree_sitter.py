"""The grammar of tree-sitter reads every program, and knows the words of the compiler and no others."""

import json
import os

import pytest
from grammar import BUILT, FOLDER, LANGUAGE, PARSER, cases, mistake, shape
from sources import ROOT, blocks, expectations, keywords, operators, programs
from tree_sitter import Query, QueryCursor

CORPUS = sorted((FOLDER / "test" / "corpus").glob("*.txt"))
QUERIES = sorted((FOLDER / "queries").glob("*.scm"))


def check(text, where):
    """Asserts that a text is read without a mistake."""
    node = mistake(PARSER.parse(text).root_node)
    assert node is None, f"{where}:{node.start_point.row + 1}:{node.start_point.column + 1}: {node}"


def test_every_program_is_read():
    assert len(programs()) > 700
    for path in programs():
        check(path.read_bytes(), path.relative_to(ROOT))


def test_every_block_of_the_documents_is_read():
    assert len(blocks()) > 100
    for path, text in blocks():
        check(text.encode(), path.relative_to(ROOT))


def test_what_expectations_say_is_read():
    # Below `tests/errors` some are wrong on purpose.
    sound = [path for path in programs() if "errors" not in path.parts]
    texts = [(path, path.read_text(errors="replace")) for path in sound] + blocks()
    lines = [(path, line) for path, text in texts for line in expectations(text)]
    assert len(lines) > 3000
    for path, line in lines:
        # Here `checkpoint` is a name inside brackets in the head of a loop, which is too much for the grammar.
        if "(f checkpoint 1)" not in line:
            check(line.encode() + b"\n", f"{path.relative_to(ROOT)}: {line}")


def strings(rule):
    """All words that a rule of the grammar spells."""
    if rule["type"] == "STRING":
        yield rule["value"]
    inner = rule.get("members", []) + ([rule["content"]] if "content" in rule else [])
    for part in inner:
        yield from strings(part)


def test_its_words_are_those_of_the_lexer():
    grammar = json.loads((BUILT / "grammar.json").read_text())
    spelt = {word for rule in grammar["rules"].values() for word in strings(rule)}
    reserved = {rule["value"] for rule in grammar["reserved"]["global"]}
    assert reserved == keywords()
    others = {"checkpoint", "fails", "within", "engines", "tangent", "by"}
    assert {word for word in spelt if word.isalpha()} == keywords() | others
    assert set(strings(grammar["rules"]["operator_function"])) - {"(", ")"} == operators()
    assert set(strings(grammar["rules"]["binary"])) == operators()


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_corpus(path):
    found = list(cases(path))
    assert found
    if os.environ.get("BLESS"):
        written = (
            f"==================\n{name}\n==================\n\n{text}\n---\n\n{shape(PARSER.parse(text.encode()).root_node)}\n"
            for name, text, _ in found
        )
        path.write_text("\n".join(written))
    for name, text, tree in cases(path):
        assert " ".join(shape(PARSER.parse(text.encode()).root_node).split()) == tree, name


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_queries(path):
    query = Query(LANGUAGE, path.read_text())
    found = set()
    for program in programs():
        tree = PARSER.parse(program.read_bytes())
        found |= QueryCursor(query).captures(tree.root_node).keys()
    assert found, "nothing is found"
