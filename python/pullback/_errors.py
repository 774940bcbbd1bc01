"""What is raised: diagnostics as exceptions. `str()` of one is the text that the command line prints."""

from __future__ import annotations


class PullbackError(Exception):
    """What is wrong with a program or a call of it.

    `code` is that of the first problem, such as "E0301". `message` says in one line what is wrong. `span` is its place in
    the text: a dictionary with `file`, `line`, `column`, `end_line` and `end_column`, or None. `notes` say why, and
    `hints` what to do. `diagnostics` has all problems as dictionaries.
    """

    def __init__(self, text: str, diagnostics: list[dict] | None = None):
        super().__init__(text)
        self.diagnostics = diagnostics or []

    def __reduce__(self):
        return (type(self), (self.args[0], self.diagnostics))

    def __str__(self) -> str:
        return str(self.args[0]).rstrip("\n")

    @property
    def _first(self) -> dict:
        return self.diagnostics[0] if self.diagnostics else {}

    @property
    def code(self) -> str | None:
        return self._first.get("code")

    @property
    def message(self) -> str:
        return self._first.get("message", str(self))

    @property
    def span(self) -> dict | None:
        labels = self._first.get("labels") or []
        return labels[0][0] if labels else None

    @property
    def notes(self) -> list[str]:
        return self._first.get("notes", [])

    @property
    def hints(self) -> list[str]:
        return self._first.get("hints", [])


class CompileError(PullbackError):
    """A text is no program, or something that is asked of it does not exist."""


class EvalError(PullbackError):
    """A call of a program has failed: an index out of range, `error`, sizes that differ, a limit."""


class SizeError(EvalError, ValueError):
    """An array has another size, or another number of dimensions, than the program declares."""


class EvalMemoryError(EvalError, MemoryError):
    """A call needs more memory than it may take."""


class EvalTimeoutError(EvalError, TimeoutError):
    """A call has taken longer than it may."""


_CLASSES = {
    "E0703": SizeError,
    "E0713": SizeError,
    "E0804": SizeError,
    "E0709": EvalMemoryError,
    "E0711": EvalTimeoutError,
}


def failure(when: str, problems: list[dict], text: str) -> PullbackError:
    """The exception for these problems."""
    code = problems[0]["code"] if problems else None
    if when == "compile":
        return CompileError(text, problems)
    return _CLASSES.get(code or "", EvalError)(text, problems)


def with_hint(error: PullbackError, hint: str) -> PullbackError:
    """The same exception with one more hint for its first problem."""
    problem = error.diagnostics[0]
    rendered = f"{problem['rendered'].rstrip()}\n  = help: {hint}\n"
    problem = {**problem, "hints": [*problem["hints"], hint], "rendered": rendered}
    problems = [problem, *error.diagnostics[1:]]
    return type(error)("\n".join(one["rendered"] for one in problems), problems)


def size_error(message: str) -> SizeError:
    """The exception for an argument that has another number of dimensions."""
    problem = {
        "code": "E0804",
        "severity": "error",
        "message": message,
        "labels": [],
        "notes": [],
        "hints": [],
        "rendered": message,
    }
    return SizeError(message, [problem])
