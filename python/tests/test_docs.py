"""The code of the guides runs."""

import pathlib
import re

import pytest

DOCS = pathlib.Path(__file__).parents[2] / "docs"

PAGES = ["python.md", "python-libraries.md", "python-processes.md", "python-from-jax.md", "python-from-scipy.md"]


@pytest.mark.parametrize("page", PAGES)
def test_the_code_of_a_guide_runs(page):
    path = DOCS / page
    blocks = re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    scope: dict = {}
    for block in blocks:
        exec(compile(block, str(path), "exec"), scope)


def test_the_reference_is_that_of_the_package():
    from pullback._reference import reference

    text = (DOCS / "python-reference.md").read_text(encoding="utf-8")
    assert text == reference(), "run `python -m pullback reference > docs/python-reference.md`"
