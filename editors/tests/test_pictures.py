"""Pictures of terminals: what a screen has is in them, as text, and they are small."""

import re

from sources import ROOT
from terminal import svg


def test_a_screen_is_drawn_with_its_colours_and_without_blank_lines():
    screen = "\x1b[1;31merror\x1b[0m a < b  \x1b[38;2;1;2;3mx\x1b[39m\n\x1b[7m  y\x1b[27m\n\n"
    drawn = svg(screen, "A & B")
    assert "<title>A &amp; B</title>" in drawn
    assert re.search(r'fill="#f38ba8" class="b">error</text>', drawn)
    assert ">a &lt; b</text>" in drawn
    assert 'fill="#010203">x</text>' in drawn
    # A line that is turned round has a ground.
    assert re.search(r'<rect x="14.0" y="32" width="25.2" height="18" fill="#cdd6f4"/>', drawn)
    assert 'height="64"' in drawn


def test_pictures_are_small_and_stand_on_a_page():
    pages = "".join(path.read_text() for path in (ROOT / "docs").glob("*.md"))
    pictures = sorted((ROOT / "docs" / "images").iterdir())
    assert pictures
    for path in pictures:
        assert path.stat().st_size < 100_000, path
        assert f"(images/{path.name})" in pages, path
