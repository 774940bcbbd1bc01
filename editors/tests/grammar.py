"""The parser of tree-sitter, built from its grammar into the folder that `PULLBACK_PARSER` names, or `target/editors/parser`."""

import ctypes
import os
import re
import subprocess
from pathlib import Path

from tree_sitter import Language, Parser

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "editors" / "tree-sitter-pullback"
BUILT = Path(os.environ.get("PULLBACK_PARSER", ROOT / "target" / "editors" / "parser"))


def language():
    """The language, from the generated C."""
    library = BUILT / "pullback.so"
    sources = [BUILT / "parser.c", FOLDER / "src" / "scanner.c"]
    flags = ["-O1", "-shared", "-fPIC", "-Wall", "-Werror", "-I", BUILT]
    subprocess.run([os.environ.get("CC", "cc"), *flags, *sources, "-o", library], check=True)
    entry = ctypes.CDLL(str(library)).tree_sitter_pullback
    entry.restype = ctypes.c_void_p
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype = ctypes.py_object
    capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return Language(capsule(entry(), b"tree_sitter.Language", None))


LANGUAGE = language()
PARSER = Parser(LANGUAGE)


def mistake(node):
    """The first node that is no part of the language, or is missing."""
    if node.is_error or node.is_missing:
        return node
    found = (mistake(child) for child in node.children if child.has_error or child.is_missing)
    return next((node for node in found if node), None)


def shape(node, depth=0):
    """A tree as its tests write it: a node a line, inner ones indented, with the names of fields."""
    lines = ["  " * depth + f"({node.type}"]
    for index, child in enumerate(node.children):
        if child.is_named:
            field = node.field_name_for_child(index)
            inner = shape(child, depth + 1).lstrip()
            lines.append("  " * (depth + 1) + (f"{field}: " if field else "") + inner)
    return "\n".join(lines) + ")"


CASE = re.compile(r"^=+\n(?P<name>.*)\n=+\n\n(?P<text>(?:.*\n)*?)\n---\n(?P<tree>(?:(?!==).*\n)*)", re.MULTILINE)


def cases(path):
    """The tests of a file: name, text, and the tree that is expected, with single blanks."""
    for case in CASE.finditer(path.read_text()):
        yield case["name"], case["text"], " ".join(case["tree"].split())
