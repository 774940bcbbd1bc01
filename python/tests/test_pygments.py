"""Pygments finds the lexer by its name and by the names of files."""

import pytest

lexers = pytest.importorskip("pygments.lexers")


def test_it_is_found():
    by_name = lexers.get_lexer_by_name("pullback")
    by_file = lexers.get_lexer_for_filename("fit.pull")
    assert by_name.name == by_file.name == "Pullback"


def test_it_colours():
    pygments = pytest.importorskip("pygments")
    formatter = pytest.importorskip("pygments.formatters").HtmlFormatter(nowrap=True)
    text = "--@ f 1.0 = 2.0\ndef f (x: Real) = 2.0 * x\n"
    html = pygments.highlight(text, lexers.get_lexer_by_name("pullback"), formatter)
    assert '<span class="nf">f</span>' in html and '<span class="mf">2.0</span>' in html
    assert "err" not in html
