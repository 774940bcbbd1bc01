"""The reference of the package, as Markdown: signatures and documentation as they stand in the source, none of which is run."""

from __future__ import annotations

import ast
import pathlib

# What is public, by the file that it stands in, and what the reference calls that.
_PAGES = [
    ("_module.py", "Modules", ("load", "compile", "Module")),
    ("_function.py", "Functions", ("Function", "grad", "jacobian", "hessian")),
    ("_check.py", "Checks", ("Checked",)),
    ("_noticed.py", "Notices", ("Notice",)),
    ("_bounds.py", "Bounds on boxes", ("Box", "Bounds", "Range")),
    ("_clarke.py", "Generalised gradients", ("Clarke", "Piece")),
    ("_problem.py", "Problems of one vector", ("Bound", "Problem")),
    ("_sparse.py", "Sparse matrices", ("Structure",)),
    ("_ivp.py", "Differential equations", ("Ivp",)),
    ("_density.py", "Log-densities", ("log_density", "LogDensity")),
    ("_callback.py", "Function pointers", ("Callback",)),
    ("_errors.py", "Exceptions", None),
    ("jax.py", "`pullback.jax`", ("wrap",)),
    ("torch.py", "`pullback.torch`", ("wrap",)),
    ("ipopt.py", "`pullback.ipopt`", ("minimize", "Solution")),
    ("nutpie.py", "`pullback.nutpie`", ("model",)),
    ("shards.py", "`pullback.shards`", ("cut", "total")),
    ("kernel.py", "`pullback.kernel`", ("install",)),
]


def _signature(node: ast.FunctionDef) -> str:
    arguments = ast.unparse(node.args)
    for own in ("self, ", "self"):
        arguments = arguments.removeprefix(own)
    result = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    return f"{node.name}({arguments}){result}"


def _documentation(node) -> list[str]:
    text = ast.get_docstring(node)
    return ["", *text.split("\n")] if text else []


def _is_property(node: ast.FunctionDef) -> bool:
    names = {ast.unparse(one) for one in node.decorator_list}
    return bool(names & {"property", "functools.cached_property"})


def _members(node: ast.ClassDef) -> list[str]:
    lines = []
    for one in node.body:
        # What stands for another name is told there.
        if not isinstance(one, ast.FunctionDef) or one.name.startswith("_") and one.name != "__call__":
            continue
        text = ast.get_docstring(one)
        words = " ".join(text.split()) if text else ""
        head = one.name if _is_property(one) else _signature(one).replace("__call__(", "(")
        lines.append(f"- `{head}`{f': {words}' if words else ''}")
    return ["", *lines] if lines else []


def reference() -> str:
    """The whole page."""
    folder = pathlib.Path(__file__).parent
    lines = [
        "# Reference of the Python package",
        "",
        "This page is made from the package: `python -m pullback reference`. [python.md](python.md) is the guide.",
    ]
    for file, title, wanted in _PAGES:
        tree = ast.parse((folder / file).read_text(encoding="utf-8"))
        lines += ["", f"## {title}"]
        if wanted == ("wrap",) or file in ("ipopt.py", "nutpie.py", "shards.py", "kernel.py"):
            lines += _documentation(tree)
        for node in tree.body:
            if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or node.name.startswith("_"):
                continue
            if wanted is not None and node.name not in wanted or wanted is None and not isinstance(node, ast.ClassDef):
                continue
            if isinstance(node, ast.FunctionDef):
                lines += ["", f"### `{_signature(node)}`", *_documentation(node)]
                continue
            bases = ", ".join(ast.unparse(base) for base in node.bases)
            lines += ["", f"### class `{node.name}{f'({bases})' if bases else ''}`", *_documentation(node), *_members(node)]
    return "\n".join(lines) + "\n"
