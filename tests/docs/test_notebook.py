"""The notebook of the examples runs, and every result and picture shows in it."""

import json
import os
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
preprocessors = pytest.importorskip("nbconvert.preprocessors")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")
pytest.importorskip("narwhals")
pytest.importorskip("pandas")

EXAMPLES = Path(__file__).parents[2] / "examples"
# Modules of the notebook's libraries open sockets and loops that they close late.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def executed():
    """The notebook after a run in a kernel of its own, with the scorio of this process."""
    import scorio

    notebook = nbformat.read(EXAMPLES / "first_hour.ipynb", as_version=4)
    path = os.pathsep.join([str(Path(scorio.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = path
    try:
        run = preprocessors.ExecutePreprocessor(timeout=300, kernel_name="python3")
        run.preprocess(notebook, {"metadata": {"path": str(EXAMPLES)}})
    finally:
        os.environ.pop("PYTHONPATH") if before is None else os.environ.update(PYTHONPATH=before)
    install, *rest = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert "find_spec" in install.source
    assert install.outputs == []  # scorio is there
    # From the root of the sources, Python would import the package whose kernels are not built.
    assert install.source.endswith("%cd scorio-source/examples")
    return rest


def shown(cell):
    """What the cell shows, by type."""
    (output,) = [output for output in cell.outputs if output.output_type == "execute_result"]
    return output.data


@pytest.mark.slow
def test_every_result_shows_its_sentence_and_its_table(executed):
    results = [shown(cell).get("text/html", "") for cell in executed if not cell.source.startswith("plot.")]
    assert ["<table" in result for result in results] == [True, False, True, False, False, True]
    assert all(result.startswith("<p ") for result in results[:-1])
    assert "aurora-70b has the highest score" in results[2]
    assert "4 models on 40 questions, 4-6 trials each" in results[2]
    assert "not significantly different" in results[3]


def test_pictures_show_without_a_setting(executed):
    pictures = [shown(cell) for cell in executed if cell.source.startswith("plot.")]
    assert len(pictures) == 2
    assert all(picture["image/png"] for picture in pictures)
    assert not any("%matplotlib" in cell.source for cell in executed)


def test_nothing_is_written_to_stderr(executed):
    streams = [output for cell in executed for output in cell.outputs if output.output_type == "stream"]
    assert [stream.text for stream in streams if stream.name == "stderr"] == []


LONG_WORK = """
import time
from scorio._base.progress import Progress

with Progress("counting", 4) as shown:
    for _ in range(4):
        time.sleep(0.4)
        shown.add()
"""


@pytest.mark.slow
def test_progress_shows_in_a_cell_and_leaves_nothing(monkeypatch):
    import scorio

    monkeypatch.setenv("PYTHONPATH", str(Path(scorio.__file__).parents[1]), prepend=os.pathsep)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(LONG_WORK)])
    preprocessors.ExecutePreprocessor(timeout=300, kernel_name="python3").preprocess(notebook, {})
    (output,) = notebook.cells[0].outputs
    assert output.output_type == "display_data"
    assert output.data["text/plain"] == ""


def test_the_notebook_is_kept_without_outputs():
    notebook = json.loads((EXAMPLES / "first_hour.ipynb").read_text())
    assert all(not cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code")
