"""A kernel for Jupyter whose cells are Pullback: `python -m pullback kernel install`.

A cell that begins with `%%python` is Python, and other magics of IPython work too. Both languages share names.
"""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version

from ipykernel.ipkernel import IPythonKernel

__all__ = ["PullbackKernel", "install"]

SPEC = {
    "argv": [sys.executable, "-m", "pullback.kernel", "-f", "{connection_file}"],
    "display_name": "Pullback",
    "language": "pullback",
    "interrupt_mode": "signal",
}


def _version() -> str:
    try:
        return version("pullback")
    except PackageNotFoundError:
        return "unknown"


class PullbackKernel(IPythonKernel):
    """IPython's kernel, for which a cell is one of `%%pullback` unless it says otherwise."""

    implementation = "pullback"
    implementation_version = _version()
    language_info = {
        "name": "pullback",
        "mimetype": "text/x-pullback",
        "file_extension": ".pull",
        "pygments_lexer": "haskell",
        "codemirror_mode": "haskell",
    }
    banner = "Pullback: a functional language in which every function can be differentiated"

    def __init__(self, **options):
        super().__init__(**options)
        self.shell.run_line_magic("load_ext", "pullback")

    async def do_execute(self, code, silent, *args, **options):
        return await super().do_execute(as_python(code), silent, *args, **options)

    async def do_is_complete(self, code):
        return {"status": "complete" if not code.strip() or not code.rstrip().endswith("=") else "incomplete", "indent": "  "}


def as_python(code: str) -> str:
    """What IPython is given for a cell."""
    stripped = code.lstrip()
    if stripped.startswith("%%python"):
        return stripped.partition("\n")[2]
    if not stripped or stripped.startswith(("%", "!")):
        return code
    return f"%%pullback\n{code}"


def install(prefix: str | None = None) -> str:
    """Makes the kernel known to Jupyter: for this user, or below a prefix such as `sys.prefix`. Gives the folder."""
    from jupyter_client.kernelspec import KernelSpecManager

    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "kernel.json").write_text(json.dumps(SPEC, indent=2), encoding="utf-8")
        specs = KernelSpecManager()
        return specs.install_kernel_spec(folder, "pullback", user=prefix is None, prefix=prefix)


if __name__ == "__main__":
    from ipykernel.kernelapp import IPKernelApp

    IPKernelApp.launch_instance(kernel_class=PullbackKernel)
