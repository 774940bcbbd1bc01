"""A lexer for Pygments, by which Sphinx, MkDocs and Jupyter colour programs.

    from pygments.lexers import get_lexer_by_name
    lexer = get_lexer_by_name("pullback")

Law: of every well-formed program no token is an error, and words, numbers, strings, operators and comments are those of the
compiler. Tests compare them.
"""

from pygments.lexer import RegexLexer, bygroups, include, using, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

__all__ = ["PullbackLexer"]

_END = r"(?![A-Za-z0-9_'])"

KEYWORDS = (
    "and", "as", "def", "do", "else", "for", "if", "import", "in", "let", "loop", "match", "rec", "then", "type", "while",
    "with",
)  # fmt: skip
TRUTHS = ("false", "true")
TYPES = ("Bool", "Int", "Real", "String")
OPERATORS = (
    "|>", "||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "++", "*", "/", "%", "@", "^",
    "+.", "-.", "*.", "/.", "^.", ".+", ".-", ".*", "./", ".^",
)  # fmt: skip
ARROWS = ("=", "->", "<-", "\\", "|")


class PullbackLexer(RegexLexer):
    """Pullback, a language in which every function can be differentiated."""

    name = "Pullback"
    aliases = ["pullback", "pull"]
    filenames = ["*.pull"]
    mimetypes = ["text/x-pullback"]
    version_added = ""

    tokens = {
        "root": [
            (r"\ufeff", Whitespace),
            (r"(--@)(.*)", bygroups(Comment.Special, using(lambda **options: _Expectation(**options)))),
            # Lines directly below documentation belong to it, unless they are expectations.
            (r"--[ \t]*\|.*(?:\n[ \t]*--(?!@).*)*", String.Doc),
            (r"--.*", Comment.Single),
            include("code"),
        ],
        "code": [
            (r"[ \t\r\n\f]+", Whitespace),
            (r"(def)(\s+)([a-z_][A-Za-z0-9_']*)", bygroups(Keyword.Declaration, Whitespace, Name.Function)),
            (rf"(import){_END}", Keyword.Namespace),
            (words(("def", "type"), suffix=_END), Keyword.Declaration),
            (words(TRUTHS, suffix=_END), Keyword.Constant),
            (words(KEYWORDS, suffix=_END), Keyword),
            (words(TYPES, suffix=_END), Keyword.Type),
            (r"[a-z_][A-Za-z0-9_']*", Name),
            (r"[A-Z][A-Za-z0-9_']*", Name.Class),
            # After the dot of a component, only digits belong to a number.
            (r"(?<=[^*]\.)[0-9][0-9_]*", Number.Integer),
            (r"[0-9][0-9_]*(?:\.[0-9][0-9_]*(?:[eE][+-]?[0-9][0-9_]*)?|[eE][+-]?[0-9][0-9_]*)", Number.Float),
            (r"[0-9][0-9_]*", Number.Integer),
            (r'"(?=(?:[^"\\\n]|\\.)*")', String.Double, "string"),
            (words(OPERATORS), Operator),
            (words(ARROWS), Operator),
            (r"[()\[\]{},.:]", Punctuation),
        ],
        "string": [
            (r'\\(?:["\\ntr0]|u\{[0-9A-Fa-f]{1,6}\})', String.Escape),
            (r'[^"\\\n]+|\\', String.Double),
            (r'"', String.Double, "#pop"),
        ],
    }


class _Expectation(PullbackLexer):
    """What stands behind `--@`."""

    name = "Pullback expectation"
    aliases = []
    filenames = []
    mimetypes = []

    tokens = {
        "root": [
            (rf"(?:engines|fails|within){_END}", Keyword.Pseudo),
            (r"~=|=>", Operator),
            (r"E[0-9]{4}\b", Name.Exception),
            include("code"),
        ],
    }
