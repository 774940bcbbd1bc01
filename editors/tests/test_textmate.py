"""The words of the grammar for TextMate are those of the lexer."""

import json
import re

from sources import ROOT, keywords, operators, words

GRAMMAR = ROOT / "editors" / "vscode" / "syntaxes" / "pullback.tmLanguage.json"
RULES = json.loads(GRAMMAR.read_text())["repository"]


def listed(pattern):
    """What a pattern lists, with its word boundaries and escapes taken off."""
    return [re.sub(r"\\(.)", r"\1", word) for word in re.sub(r"^\(\?.*?\)\(|\)\(\?!.*$", "", pattern).split("|")]


def alternatives(pattern):
    """The alternatives of a pattern of operators, whose bars are escaped."""
    return {re.sub(r"\\(.)", r"\1", word) for word in re.split(r"(?<!\\)\|", pattern)}


def test_its_words_are_those_of_the_lexer():
    found = [word for rule in RULES["words"]["patterns"] for word in listed(rule["match"])]
    assert sorted(found) == sorted(keywords())


def test_its_operators_are_those_of_the_lexer():
    arrows, binary, single = (rule["match"] for rule in RULES["operators"]["patterns"])
    spelt = {words()[kind][0] for kind in ("Arrow", "LArrow", "Eq", "Backslash", "Bar")}
    assert alternatives(binary) == operators()
    assert alternatives(arrows) | set(single.strip("[]").replace("\\\\", "\\")) == spelt
