"""The code of the guide runs."""

import pathlib
import re


def test_the_guide():
    path = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
    blocks = re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 3
    scope: dict = {}
    for block in blocks:
        exec(compile(block, str(path), "exec"), scope)
