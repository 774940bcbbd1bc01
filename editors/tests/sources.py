"""The programs of the repository, and what the compiler says of their words."""

import os
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("PULLBACK", str(ROOT / "target" / "release" / "pullback"))

# Mistakes in the text itself: of words (E0101 to E0119), and of how they stand together (E0120 to E0199).
MALFORMED = re.compile(r"error\[E01\d\d\]")


def is_sound(path):
    """Whether a program is well-formed. One that is not has a snapshot beside it that says so; a place is marked in questions
    of an editor by `¦`, which is no part of the language."""
    snapshot = path.with_suffix(".stderr")
    malformed = snapshot.exists() and MALFORMED.search(snapshot.read_text(errors="replace"))
    return not malformed and "¦" not in path.read_text(errors="replace")


@cache
def programs():
    """All well-formed programs, of the repository and of its documents."""
    folders = ["benches", "crates", "docs", "examples", "lib", "playground", "tests"]
    paths = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.pull"))
    return [path for path in paths if is_sound(path)]


@cache
def blocks():
    """All blocks of the documents that are whole modules."""
    fence = re.compile(r"^```pull(?:,warns)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    pages = sorted((ROOT / "docs").rglob("*.md"))
    return [(path, block[1]) for path in pages for block in fence.finditer(path.read_text())]


EXPECTATION = re.compile(r"^[ \t]*--@(.+)$", re.MULTILINE)


def expectations(text):
    """What the expectations of a text say."""
    return [line[1] for line in EXPECTATION.finditer(text) if line[1].strip()]


@cache
def words():
    """The lexer's own words: the texts of its tokens by kind, as `crates/syntax/src/token.rs` lists them."""
    source = (ROOT / "crates" / "syntax" / "src" / "token.rs").read_text()
    kinds = source[source.index("enum TokenKind") : source.index("/// A token and its bytes")]
    variant = re.compile(r'((?:#\[token\("(?:\\.|[^"\\])+"(?:, [^\]]+)?\)\]\s+)+)(\w+)')
    text = re.compile(r'#\[token\("((?:\\.|[^"\\])+)"')
    found = {}
    for attributes, kind in variant.findall(kinds):
        found[kind] = [word.encode().decode("unicode_escape") for word in text.findall(attributes)]
    return found


def keywords():
    """The reserved words."""
    return {word for texts in words().values() for word in texts if word.isalpha()}


def operators():
    """The binary operators: the kinds in the lexer's table of them."""
    source = (ROOT / "crates" / "syntax" / "src" / "token.rs").read_text()
    table = source[source.index("const OPERATORS") :]
    return {words()[kind][0] for kind in re.findall(r"TokenKind::(\w+), BinaryOp", table)}
