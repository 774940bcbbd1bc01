"""`python -m pullback stubs FILE`: the types of a module, for editors. `python -m pullback kernel install`: for Jupyter."""

from __future__ import annotations

import argparse
import sys

from ._errors import PullbackError
from ._module import load
from ._stubs import stubs


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m pullback")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("stubs", help="write the types of a module as a `.pyi` file")
    command.add_argument("file", help="the program")
    command.add_argument("-o", "--output", help="the file to write; without one, the text is printed")
    command = commands.add_parser("kernel", help="make the kernel known to Jupyter")
    command.add_argument("action", choices=["install"])
    command.add_argument("--prefix", help="where to install it; without one, for this user")
    commands.add_parser("reference", help="print the reference of the package as Markdown")
    given = parser.parse_args(arguments)
    if given.command == "reference":
        from ._reference import reference

        print(reference(), end="")
        return 0
    if given.command == "kernel":
        return _install(given.prefix)
    try:
        text = stubs(load(given.file))
    except PullbackError as error:
        print(error, file=sys.stderr)
        return 1
    if given.output:
        with open(given.output, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        print(text, end="")
    return 0


def _install(prefix: str | None) -> int:
    try:
        from .kernel import install
    except ImportError as error:
        print(f"the kernel needs ipykernel: pip install 'pullback[notebook]' ({error})", file=sys.stderr)
        return 1
    print(install(prefix))
    return 0


if __name__ == "__main__":
    sys.exit(main())
