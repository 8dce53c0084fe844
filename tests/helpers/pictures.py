"""Models to draw, one picture of each kind, and what is on a picture."""

from copy import copy

import numpy as np
from matplotlib.text import Text

from scorio import (
    Design,
    Leaderboard,
    OutcomeMatrix,
    OutcomeSet,
    PassAtK,
    Suite,
    analyze_factors,
    analyze_history,
    compare,
    cost_table,
    forecast,
    plot,
)
from scorio.curves import analyze_convergence, horizon

rng = np.random.default_rng(5)
RATES = rng.beta(0.8, 0.8, 30)
STRENGTHS = (0.5, 0.7, 1.0, 1.4, 2.0)
NAMES = ["plain", "x^2$ and $y", "_hidden", "two\nlines", "long-" * 30 + "end"]
MODELS = OutcomeSet(
    [OutcomeMatrix.from_counts(rng.binomial(12, RATES**power), 12) for power in STRENGTHS], models=NAMES
)
TABLE = analyze_convergence(["avg", "pass@4", "passhat@8"], MODELS, replicates=60, rng=0)
SHOWN = ["plain", "x^2$ and $y", "_hidden", "two lines", f"{NAMES[4][:29]}…{NAMES[4][-29:]}"]


def names_of(ax):
    """The names of the series in the legend."""
    legend = ax.get_legend()
    return [text.get_text() for text in legend.get_texts()] if legend else []


def boxes(texts, figure):
    return [Text.get_window_extent(text, figure.canvas.get_renderer()) for text in texts if text.get_text()]


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
    keys = [*ax.texts, *([] if legend is None else legend.get_texts())]
    texts = boxes([*around, *keys], figure)
    for i, box in enumerate(texts):
        assert figure.bbox.x0 <= box.x0 <= box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0 <= box.y1 <= figure.bbox.y1
        assert not box.overlaps(ax.bbox)
        assert not any(box.overlaps(other) for other in texts[i + 1 :])


PRICES = {name: 0.01 * 2.0**i for i, name in enumerate(MODELS)}

FACTORS = analyze_factors(
    "pass@1",
    OutcomeSet(
        {f"{model} {prompt}": copy(outcomes) for model, outcomes in MODELS.items() for prompt in ("$short_1$", "long")},
        conditions={
            f"{model} {prompt}": {"model": model, "prompt": prompt}
            for model in MODELS
            for prompt in ("$short_1$", "long")
        },
    ),
)
RESULTS = {
    "leaderboard": Leaderboard("pass@1", MODELS),
    "frontier": cost_table("pass@1", MODELS, PRICES),
    "compare": compare(PassAtK(1), MODELS["plain"], MODELS["_hidden"]),
    "history": analyze_history(None, {f"2026-0{i}-01": MODELS for i in range(1, 8)}),
    "horizon": horizon("pass@1", MODELS, np.geomspace(1, 99, 30)),
    "power": Design(100, 4),
    "tau": TABLE,
    "margins": FACTORS,
}
PICTURES = {name: lambda ax, result=result: plot.draw(result, ax) for name, result in RESULTS.items()} | {
    "pass_curve": lambda ax: plot.draw(forecast("pass@1", MODELS, range(1, 13)), ax),
    "forecast": lambda ax: plot.draw(forecast("pass@1", MODELS, [1, 4, 12, 40]), ax),
    "interaction": lambda ax: plot.draw(FACTORS, ax, factor="prompt"),
    "tasks": lambda ax: plot.draw(Leaderboard("pass@1", Suite({"add": MODELS, "$mul_1$": MODELS})), ax, by_task=True),
}
