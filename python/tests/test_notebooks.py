"""Notebooks: the tutorial gives what it shows, and the kernel runs cells, shares names and can be interrupted."""

import pathlib
import re
import time

import numpy as np
import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

NOTEBOOKS = pathlib.Path(__file__).parents[1] / "notebooks"
NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[-+]?\d+)?")


def texts(cell) -> list[str]:
    """What the outputs of a cell say."""
    found = []
    for output in cell.get("outputs", []):
        if output["output_type"] == "stream":
            found.append(output["text"])
        elif output["output_type"] == "error":
            found.append("\n".join(output["traceback"]))
        else:
            found += [output["data"][kind] for kind in sorted(output["data"])]
    return found


def same(ours: str, theirs: str) -> bool:
    """Whether texts are the same but for last places of numbers."""
    if NUMBER.sub("#", ours) != NUMBER.sub("#", theirs):
        return False
    pairs = zip(NUMBER.findall(ours), NUMBER.findall(theirs))
    return all(np.isclose(float(a), float(b), rtol=1e-6, atol=1e-9) for a, b in pairs)


def test_the_tutorial_gives_what_it_shows():
    kept = nbformat.read(NOTEBOOKS / "tutorial.ipynb", as_version=4)
    run = nbformat.read(NOTEBOOKS / "tutorial.ipynb", as_version=4)
    nbclient.NotebookClient(run, timeout=100, kernel_name="python3").execute()
    for ours, theirs in zip(run.cells, kept.cells):
        found, wanted = texts(ours), texts(theirs)
        assert len(found) == len(wanted) and all(map(same, found, wanted)), (ours.source, found, wanted)


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """A client of the kernel, installed below a folder of its own."""
    from jupyter_client.manager import start_new_kernel

    from pullback.kernel import install

    install(str(tmp_path))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "share" / "jupyter"))
    manager, client = start_new_kernel(kernel_name="pullback", startup_timeout=60)
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def ran(client, code: str, timeout: float = 60.0) -> list[str]:
    """The outputs of a cell."""
    outputs: list = []
    client.execute_interactive(code, timeout=timeout, output_hook=lambda message: outputs.append(message))
    cell = {"outputs": []}
    for message in outputs:
        if message["msg_type"] in ("stream", "error", "display_data", "execute_result"):
            cell["outputs"].append({"output_type": message["msg_type"], **message["content"]})
    return texts(cell)


def test_the_kernel(kernel):
    manager, client = kernel
    assert ran(client, "def sq (x: Real): Real = x ^ 2\nsq 3.0") == ["9.0 : Real"]
    assert ran(client, "%%python\nimport numpy as np\nxs = np.arange(3.0)\nprint(sq(5.0))") == ["25.0\n"]
    assert "array([0., 1., 4.])" in ran(client, "[ sq x | x <- xs ]")[-1]
    assert "E0301" in ran(client, "sq true")[0]
    # A long run is native code, which an interrupt ends; the kernel goes on.
    ran(client, "def slow (n: Int) (x: Real): Real = loop s = x for i < n do sin s + x")
    sent = client.execute("slow 100000000000 1.0")
    time.sleep(6.0)
    manager.interrupt_kernel()
    while (reply := client.get_shell_msg(timeout=30))["parent_header"].get("msg_id") != sent:
        pass
    assert reply["content"]["ename"] == "KeyboardInterrupt"
    assert ran(client, "sq 4.0")[-1] == "16.0 : Real"


def test_cells_and_sessions():
    from pullback._session import Session, chunks

    parts = chunks("-- a note\ndef f (x: Real): Real =\n  x + 1\n\n\nf 2.0\n:type f\n[ f x\n| x <- [1.0] ]\n]", "cell 1")
    assert [(part.kind, part.name, part.line) for part in parts][:3] == [
        ("definition", "f", 1),
        ("expression", None, 6),
        ("command", None, 7),
    ]
    session = Session()
    session.define(chunks("def f (x: Real): Real = x + 1\ndef g (x: Real): Real = f (f x)", "cell 1"))
    session.define(chunks("def f (x: Real): Real = 2 * x", "cell 2"))
    (part,) = chunks("g y", "cell 3")
    assert session.evaluate(part, {"y": 3.0}).value == 12.0
    import pullback as pb

    with pytest.raises(pb.CompileError) as caught:
        session.define(chunks("\ndef h (x: Real): Real =\n  x + nothing", "cell 4"))
    assert caught.value.span == {"file": "cell 4", "line": 3, "column": 7, "end_line": 3, "end_column": 14}
    assert session.evaluate(part, {"y": 3.0}).value == 12.0
    with pytest.raises(pb.CompileError):
        session.evaluate(chunks("nowhere 1", "cell 5")[0], {})
    with pytest.raises(TypeError):
        session.evaluate(chunks("f y", "cell 6")[0], {"y": np.array("text")})


def test_plots_and_tables():
    from pullback._html import shown
    from pullback._svg import plot

    svg = plot([(np.arange(4.0), np.array([1.0, np.nan, 3.0, np.inf]))])
    assert svg.startswith("<svg") and svg.endswith("</svg>") and "nan" not in svg and "inf" not in svg
    assert plot([]).startswith("<svg") and plot([(np.ones(2), np.ones(2))]).count("<path") > 1
    assert shown(np.arange(100.0)).count("<td>") == 11
    assert "&lt;" in shown("<b>") and shown(np.zeros((2, 0))).endswith("2 × 0</small>")
