"""The code of the guides runs."""

import pathlib
import re

import pytest

DOCS = pathlib.Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["python.md", "python-libraries.md", "python-processes.md"])
def test_the_code_of_a_guide_runs(page):
    path = DOCS / page
    blocks = re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    scope: dict = {}
    for block in blocks:
        exec(compile(block, str(path), "exec"), scope)
