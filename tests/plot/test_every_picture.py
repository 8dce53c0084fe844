"""What holds for every picture: names that fit, captions, files, and nothing that lies on something else."""

import subprocess
import sys

import pytest

from scorio import Leaderboard, PassAtK, compare, forecast
from scorio.curves import analyze_convergence

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

from helpers.pictures import MODELS, PICTURES, TABLE, assert_nothing_overlaps
from scorio import plot
from scorio.errors import ParameterError
from scorio.report import html_report


@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_fits_its_figure_and_draws_where_it_is_told(name):
    assert_nothing_overlaps(PICTURES[name](None))
    ax = Figure().subplots()
    assert PICTURES[name](ax) is ax
    assert ax.has_data()


@pytest.mark.parametrize("wrong", [MODELS, "pass@1", None], ids=["outcomes", "a metric", "nothing"])
def test_what_is_no_result_is_refused(wrong):
    with pytest.raises(
        ParameterError, match=rf"has no picture; these have one: Leaderboard.*; got {type(wrong).__name__}"
    ):
        plot.draw(wrong)
    with pytest.raises(ParameterError, match=rf"made by scorio\.Leaderboard\(\.\.\.\); got {type(wrong).__name__}"):
        html_report(wrong)


@pytest.mark.parametrize(
    "picture",
    [
        lambda: plot.draw(Leaderboard("pass@1", {"only": [[1]]})),
        lambda: plot.draw(forecast("pass@1", {"only": [[1]]})),
        lambda: plot.draw(forecast("pass@1", {"none": [[0, 0]], "all": [[1, 1]]})),
        lambda: plot.draw(analyze_convergence("pass@2", MODELS, n=[2], replicates=2, rng=0)),
        lambda: plot.draw(analyze_convergence("avg", MODELS, n=[1], replicates=1, rng=0)),
        lambda: plot.draw(compare(PassAtK(1), [[1, 1]], [[0, 1]])),
    ],
    ids=["one model", "one trial", "none and all", "one n", "one replicate", "one question"],
)
def test_odd_shapes_are_drawn(picture):
    ax = picture()
    assert ax.has_data()
    assert_nothing_overlaps(ax)


@pytest.mark.slow
def test_nothing_of_matplotlib_is_loaded_before_a_picture_or_left_behind():
    code = (
        "import sys; from scorio import Leaderboard, plot\n"
        "assert 'matplotlib' not in sys.modules\n"
        "plot.draw(Leaderboard('pass@1', {'a': [[1, 0]]}))\n"
        "assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_matplotlib_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "scorio.plot._picture", None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        plot.draw(TABLE)


def test_a_notebook_shows_the_axes_as_a_picture():
    content, size = plot.draw(Leaderboard("pass@1", MODELS))._repr_png_()
    assert content.startswith(b"\x89PNG")
    assert size["width"] > 100


@pytest.mark.slow
@pytest.mark.parametrize("form", ["pdf", "svg"])
def test_pictures_are_written_as_vectors(form, tmp_path):
    for name, draw in PICTURES.items():
        draw(None).figure.savefig(tmp_path / f"{name}.{form}")
        assert b"/Image" not in (tmp_path / f"{name}.{form}").read_bytes().replace(b"/ImageB /ImageC /ImageI", b"")


CAPTIONS = {
    "leaderboard": "30 questions, 12 trials each; 95% quantile intervals for these questions, prior learned; "
    "rank: one more than the significantly better models",
    "pass_curve": "points: scores; lines: posterior means; bands: 95% intervals; 30 questions, 12 trials each; "
    "for these questions",
    "power": "pass@1 for these questions, 4 trials, typical difficulties, 95% confidence",
}


@pytest.mark.parametrize("name", CAPTIONS)
def test_a_picture_says_what_it_rests_on(name):
    texts = [text.get_text().replace("\n", " ") for text in PICTURES[name](None).texts]
    assert CAPTIONS[name] in texts
