"""Scores of runs over what trials alone would give."""

from __future__ import annotations

from .._display.charts import Axis, Chart, Mark
from .._display.numbers import is_chance, number, percent
from ..inference import Level
from ..params import check_result
from ..planning import RunEffects
from ._draw import Axes, draw


def runs(effects: RunEffects, ax: Axes | None = None) -> Axes:
    """Draw the score of each run; the band is where trials alone would put it, and the dashed lines hold the next run.

    >>> import scorio
    >>> from scorio import plot
    >>> R = scorio.OutcomeMatrix([[1, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]], runs=["mon", "tue", "wed"])
    >>> ax = plot.runs(scorio.planning.analyze_runs("pass@1", R))
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['mon', 'tue', 'wed']
    """
    check_result("scorio.planning.analyze_runs", "effects", effects, RunEffects)
    z, score, following = Level(effects.confidence).critical(), effects.score, effects.next_run()
    places = range(len(effects.runs))
    bands = [
        Mark("band", None, [i - 0.4, i + 0.4], [score - z * noise] * 2, [score + z * noise] * 2, "fan")
        for i, noise in zip(places, effects.noise.tolist(), strict=True)
    ]
    rules = [
        Mark("rule", None, (), [score], look="solid"),
        Mark("rule", 0, (), [following.lo, following.hi], look="dashed"),
    ]
    note = (
        f"band: {percent(effects.confidence)} of runs that differ by trials alone;"
        f" p {is_chance(effects.p_value)}; dashed: the next run; standard deviation between runs {number(effects.sd)}"
    )
    marks = [*bands, *rules, Mark("points", 0, places, effects.scores)]
    runs = Axis(names=[str(run) for run in effects.runs])
    return draw(Chart(runs, Axis(str(effects.metric)), marks, note), ax)
