"""The lexer for Pygments knows every word of every program, and the compiler's words and no others."""

import importlib.util

from pygments.token import Error
from sources import ROOT, blocks, keywords, operators, programs, words


def module():
    """The module alone: the package around it needs its native part."""
    path = ROOT / "python" / "pullback" / "pygments.py"
    spec = importlib.util.spec_from_file_location("pullback_pygments", path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


PYGMENTS = module()
LEXER = PYGMENTS.PullbackLexer(stripnl=False, ensurenl=False)


def check(text, where):
    """Asserts that no part of a text is unknown."""
    pieces = list(LEXER.get_tokens(text))
    assert "".join(piece for _, piece in pieces) == text.replace("\r\n", "\n").replace("\r", "\n")
    unknown = [piece for kind, piece in pieces if kind in Error]
    assert not unknown, f"{where}: {unknown}"


def test_every_program_is_read():
    for path in programs():
        sound = "errors" not in path.parts
        text = path.read_text(encoding="utf-8-sig", errors="replace")
        check(text if sound else text.replace("--@", "--"), path.relative_to(ROOT))


def test_every_block_of_the_documents_is_read():
    for path, text in blocks():
        check(text, path.relative_to(ROOT))


def test_its_words_are_those_of_the_lexer():
    assert set(PYGMENTS.KEYWORDS) | set(PYGMENTS.TRUTHS) == keywords()
    assert set(PYGMENTS.OPERATORS) == operators()
    kinds = words()
    assert set(PYGMENTS.ARROWS) == {kinds[kind][0] for kind in ("Eq", "Arrow", "LArrow", "Backslash", "Bar")}
