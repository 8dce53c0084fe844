"""Pictures by what is on them: artists, labels and limits; and nothing that lies on something else."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import norm, t

from scorio import (
    BayesMetric,
    Leaderboard,
    Metric,
    OutcomeMatrix,
    OutcomeSet,
    ParameterError,
    PassAtK,
    compare,
    convergence,
)

pytest.importorskip("matplotlib")
from matplotlib.figure import Figure

from scorio import plot
from scorio.plot.style import LONGEST, look, short, shorts

rng = np.random.default_rng(5)
RATES = rng.beta(0.8, 0.8, 30)
STRENGTHS = (0.5, 0.7, 1.0, 1.4, 2.0)
NAMES = ["plain", "x^2$ and $y", "_hidden", "two\nlines", "long-" * 30 + "end"]
MODELS = OutcomeSet([OutcomeMatrix.from_counts(rng.binomial(12, RATES**power), 12) for power in STRENGTHS], names=NAMES)
TABLE = convergence(["avg", "pass@4", "passhat@8"], MODELS, replicates=60, rng=0)
SHOWN = ["plain", "x^2$ and $y", "_hidden", "two lines", f"{NAMES[4][:29]}…{NAMES[4][-29:]}"]


def names_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def boxes(texts, figure):
    return [text.get_window_extent(figure.canvas.get_renderer()) for text in texts if text.get_text()]


def drawn(ax):
    """The figure, laid out."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = ax.figure
    FigureCanvasAgg(figure).draw()
    return figure


def ticks_in_view(axis):
    low, high = sorted(axis.get_view_interval())
    return [label for at, label in zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True) if low <= at <= high]


def assert_nothing_overlaps(ax):
    figure = drawn(ax)
    legend = ax.get_legend()
    around = [*ticks_in_view(ax.xaxis), *ticks_in_view(ax.yaxis), ax.xaxis.label, ax.yaxis.label, ax.title]
    keys = [] if legend is None else legend.get_texts()
    found = boxes([*around, *keys], figure)
    for i, box in enumerate(found):
        assert figure.bbox.x0 <= box.x0 <= box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0 <= box.y1 <= figure.bbox.y1
        assert not box.overlaps(ax.bbox)
        assert not any(box.overlaps(other) for other in found[i + 1 :])


def test_leaderboard_shows_scores_intervals_and_who_may_be_best():
    board = Leaderboard("pass@4", MODELS)
    ax = plot.leaderboard(board)
    order = [row.model for row in board]
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        f"{row.rank}  {SHOWN[NAMES.index(row.model)]}" for row in board
    ]
    points = {place: score for line in ax.lines for score, place in line.get_xydata()}
    assert points == {order.index(row.model): row.score for row in board}
    ends = {segment[0, 1]: (*segment[:, 0],) for lines in ax.collections for segment in lines.get_segments()}
    assert ends == {order.index(row.model): (row.lo, row.hi) for row in board}
    spans = [ax.transData.inverted().transform(patch.get_window_extent())[:, 1] for patch in ax.patches]
    shaded = {round(span.mean(), 9) for span in spans}
    assert shaded == {order.index(row.model) for row in board if row.tied_with_top}
    assert ax.get_ylim() == (4.5, -0.5)
    assert ax.get_xlabel() == "pass@4, 95% interval"


def test_leaderboard_keeps_full_points_for_models_that_may_be_best():
    board = Leaderboard("pass@1", MODELS, confidence=0.9)
    tied, told = plot.leaderboard(board).lines
    assert len(tied.get_xydata()) == board.tied_with_top.sum()
    assert tied.get_markerfacecolor() != told.get_markerfacecolor() == "white"
    everyone = Leaderboard("pass@1", {"a": [[1, 0]], "b": [[1, 0]]})
    assert names_of(plot.leaderboard(everyone)) == ["not told from the best"]


def test_leaderboard_of_several_metrics_asks_which():
    board = Leaderboard(["pass@1", BayesMetric()], MODELS)
    with pytest.raises(ParameterError, match="say which"):
        plot.leaderboard(board)
    assert plot.leaderboard(board["pass@1"]).get_xlabel().startswith("pass@1")


def test_forty_models_with_long_names_do_not_overlap():
    names = [f"organisation/{i}-{'very-long-name-' * (i % 6)}{i}" for i in range(40)]
    rates = np.linspace(0.2, 0.9, 40)[:, None, None]
    many = OutcomeSet((rng.random((40, 20, 6)) < rates).astype(int), names=names)
    for tie in ("zscore_adjacent", "ci_overlap_adjacent"):
        assert_nothing_overlaps(plot.leaderboard(Leaderboard("pass@1", many, tie=tie)))
    assert_nothing_overlaps(plot.pass_curve(many))


def test_names_shrink_to_the_rows_of_axes_that_are_given():
    ax = Figure(figsize=(6, 3)).subplots()
    plot.leaderboard(Leaderboard("pass@1", rng.integers(0, 2, (40, 10, 5))), ax)
    labels = boxes(ax.get_yticklabels(), drawn(ax))
    assert not any(one.overlaps(other) for i, one in enumerate(labels) for other in labels[i + 1 :])


@pytest.mark.parametrize("metric", ["pass@1", "passhat@1", "maj@1"])
def test_curves_are_posteriors_and_points_scores(metric):
    ax = plot.pass_curve(MODELS, metric=metric, confidence=0.8, prior="jeffreys")
    means, scores = ax.lines[::2], ax.lines[1::2]
    kind = metric.partition("@")[0]
    for bank, mean, score, band in zip(MODELS.values(), means, scores, ax.collections, strict=True):
        np.testing.assert_array_equal(mean.get_xdata(), range(1, 13))
        assert score.get_xdata().tolist() == [1, 2, 3, 5, 7, 12]
        for k in (1, 3, 12):
            of_k = Metric.from_string(f"{kind}@{k}")
            found = of_k.interval(bank, 0.8, prior="jeffreys")
            assert mean.get_ydata()[k - 1] == pytest.approx(found.mu)
            assert dict(score.get_xydata())[k] == pytest.approx(of_k.score(bank))
            edge = band.get_paths()[0].vertices
            assert sorted({*edge[edge[:, 0] == k, 1]}) == pytest.approx([found.lo, found.hi])
    assert ax.get_xscale() == "log"
    assert ax.get_ylabel() == f"{kind}@k"
    assert names_of(ax) == SHOWN


def test_curves_go_on_where_scores_end():
    ax = plot.pass_curve(MODELS["plain"], ks=[32, 1, 8, 8])
    mean, score = ax.lines
    assert mean.get_xdata().tolist() == [1, 8, 32]
    assert score.get_xdata().tolist() == [1, 8]
    assert ax.get_legend() is None


def test_curves_of_questions_without_trials_have_no_points():
    gaps = OutcomeMatrix([[1, 0, np.nan], [np.nan] * 3], missing="omit")
    mean, score = plot.pass_curve(gaps).lines
    assert (len(mean.get_xdata()), len(score.get_xdata())) == (1, 0)


def test_curve_errors():
    with pytest.raises(ParameterError, match="must have a budget k"):
        plot.pass_curve(MODELS, metric="bayes")
    with pytest.raises(ParameterError, match="at least one k"):
        plot.pass_curve(MODELS, ks=[])
    with pytest.raises(ParameterError, match="k must be"):
        plot.pass_curve(MODELS, ks=[0])


def test_tau_curves_and_their_bands():
    ax = plot.tau_curve(TABLE, confidence=0.8)
    for line, band, each in zip(ax.lines, ax.collections, TABLE.values(), strict=True):
        np.testing.assert_array_equal(line.get_xydata(), np.stack([each.n, each.mean_tau], axis=1))
        lo, hi = each.band(0.8)
        edge = np.concatenate([path.vertices for path in band.get_paths()])
        assert edge[edge[:, 0] == 10, 1].min() == pytest.approx(lo[9])
        assert edge[edge[:, 0] == 10, 1].max() == pytest.approx(hi[9])
    assert names_of(ax) == ["avg", "pass@4", "passhat@8"]


@pytest.mark.parametrize(("draw", "shares"), [(plot.convergence_pmf, "pmf"), (plot.convergence_cdf, "cdf")])
def test_shares_that_converge_and_that_never_do(draw, shares):
    ax = draw(TABLE)
    for line, each in zip(ax.lines, TABLE.values(), strict=True):
        np.testing.assert_array_equal(line.get_ydata(), getattr(each, shares))
    assert names_of(ax) == [f"{name}, {each.never:.1%} never" for name, each in TABLE.items()]
    assert ax.get_ylim()[0] == 0.0
    alone = draw(TABLE["pass@4"])
    assert len(alone.lines) == 1
    assert names_of(alone) == [f"pass@4, {TABLE['pass@4'].never:.1%} never"]


@pytest.mark.parametrize("paired", [True, False])
def test_difference_is_the_density_of_its_law_with_the_interval_shaded(paired):
    found = compare(PassAtK(1), MODELS["plain"], MODELS["_hidden"], paired=paired, names=("a$b$", "c" * 99))
    ax = plot.compare(found)
    density, centre, equal = ax.lines
    law = t(29, found.difference, found.sigma) if paired else norm(found.difference, found.sigma)
    x, y = density.get_xydata().T
    np.testing.assert_allclose(y, law.pdf(x), rtol=1e-9)
    assert (centre.get_xdata()[0], equal.get_xdata()[0]) == (found.difference, 0.0)
    (shade,) = ax.collections
    edge = shade.get_paths()[0].vertices[:, 0]
    assert (edge.min(), edge.max()) == pytest.approx((found.lo, found.hi))
    assert ax.get_title() == f"a$b$\nminus {'c' * 29}…{'c' * 29}"
    assert ax.get_xlabel().endswith(f"P(above 0) = {found.p_better:.4g}")
    assert ax.get_ylim()[0] == 0.0
    assert_nothing_overlaps(ax)


ROWS = [
    {"trials": trials, "default": default, "calibrated": "0.95"}
    for trials, default in (("16", "0.9"), ("2", "0.1"), ("2", "0.4"), ("16", "1"))
]


def test_coverage_has_a_point_a_bank_and_bars_at_the_means():
    ax = plot.coverage(ROWS, shares={"default": "usual", "calibrated": "learnt"}, level=0.9)
    usual, learnt, promised = ax.lines
    assert usual.get_ydata().tolist() == [0.9, 0.1, 0.4, 1.0]
    assert np.rint(usual.get_xdata()).tolist() == [1, 0, 0, 1]
    assert (usual.get_xdata() < np.rint(usual.get_xdata())).all()
    assert (learnt.get_xdata() > np.rint(learnt.get_xdata())).all()
    assert [segment[0, 1] for segment in ax.collections[0].get_segments()] == [0.25, 0.95]
    assert set(promised.get_ydata()) == {0.9}
    assert names_of(ax) == ["usual", "learnt", "promised 0.9"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["2", "16"]
    assert ax.get_ylim() == (-0.02, 1.02)
    with pytest.raises(ParameterError, match="at least one row"):
        plot.coverage([])


PICTURES = {
    "leaderboard": lambda ax: plot.leaderboard(Leaderboard("pass@1", MODELS), ax=ax),
    "pass_curve": lambda ax: plot.pass_curve(MODELS, ax=ax),
    "tau_curve": lambda ax: plot.tau_curve(TABLE, ax=ax),
    "convergence_pmf": lambda ax: plot.convergence_pmf(TABLE, ax=ax),
    "convergence_cdf": lambda ax: plot.convergence_cdf(TABLE, ax=ax),
    "compare": lambda ax: plot.compare(compare(PassAtK(1), MODELS["plain"], MODELS["_hidden"]), ax=ax),
    "coverage": lambda ax: plot.coverage(ROWS, ax=ax),
}


@pytest.mark.parametrize("name", plot.__all__)
def test_every_picture_fits_its_figure_and_draws_where_it_is_told(name):
    assert_nothing_overlaps(PICTURES[name](None))
    ax = Figure().subplots()
    assert PICTURES[name](ax) is ax
    assert ax.has_data()


@pytest.mark.parametrize(
    "picture",
    [
        lambda: plot.leaderboard(Leaderboard("pass@1", {"only": [[1]]})),
        lambda: plot.pass_curve({"only": [[1]]}),
        lambda: plot.pass_curve({"none": [[0, 0]], "all": [[1, 1]]}),
        lambda: plot.tau_curve(convergence("pass@2", MODELS, n=[2], replicates=2, rng=0)),
        lambda: plot.convergence_pmf(convergence("avg", MODELS, n=[1], replicates=1, rng=0)),
        lambda: plot.compare(compare(PassAtK(1), [[1, 1]], [[0, 1]])),
        lambda: plot.coverage(ROWS[:1]),
    ],
    ids=["one model", "one trial", "none and all", "one n", "one replicate", "one question", "one bank"],
)
def test_odd_shapes_are_drawn(picture):
    ax = picture()
    assert ax.has_data()
    assert_nothing_overlaps(ax)


def test_names_are_cut_in_the_middle_only_where_they_are_long():
    assert short("a\nb  c") == "a b c"
    assert short("x" * LONGEST) == "x" * LONGEST
    cut = short("begin" + "x" * LONGEST + "end")
    assert len(cut) == LONGEST - 1
    assert cut.startswith("beginx") and cut.endswith("xend")


def test_looks_repeat_late():
    assert len({look(i) for i in range(252)}) == 252
    for part in range(3):
        assert len({look(i)[part] for i in range(4)}) == 4


def test_nothing_of_matplotlib_is_loaded_before_a_picture_or_left_behind():
    code = (
        "import sys; from scorio import Leaderboard, plot\n"
        "assert 'matplotlib' not in sys.modules\n"
        "plot.leaderboard(Leaderboard('pass@1', {'a': [[1, 0]]}))\n"
        "assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_matplotlib_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r'pip install "scorio\[plot\]"'):
        plot.tau_curve(TABLE)


def test_names_that_differ_in_their_middles_stay_apart():
    names = [f"{'maker-' * 8}model-{i:02d}-{'tuned-' * 8}" for i in range(20)]
    shown = shorts([*names, "short"])
    assert len(set(shown)) == 21
    assert shown[-1] == "short"
    assert all(f"model-{i:02d}" in shown[i] and len(shown[i]) <= LONGEST for i in range(20))
    far = [f"{'a' * 40}{first}{'b' * 90}{second}{'c' * 60}" for first in "xy" for second in "xy"]
    assert shorts(far) == far
    assert len(set(shorts(["twice" * 20, "twice" * 20]))) == 1
    models = dict.fromkeys(names, MODELS["plain"])
    ax = plot.pass_curve(OutcomeSet(models))
    assert names_of(ax) == shown[:20]
    labels = [label.get_text() for label in plot.leaderboard(Leaderboard(PassAtK(1), models)).get_yticklabels()]
    assert len({label.split("  ")[1] for label in labels}) == 20
