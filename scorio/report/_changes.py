"""A report of what changed between two runs: differences per task and overall, a gate, and the questions."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._choices import OVERALL, told
from .._display.charts import Bar
from .._display.numbers import chance, number, percent, signed, signed_span
from .._display.table import Field, Table, plain
from .._display.words import pluralize
from ..comparison import (
    Comparison,
    compare,
    default_metric,
    diff_questions,
    gate,
    holm,
    law_of,
    pair_of_models,
)
from ..errors import OutcomeError
from ..inference import PriorLike
from ..metrics import Metric, as_metric
from ..outcomes import OutcomeMatrix, Suite
from . import _drawing as drawing
from . import _sections as sections
from ._drawing import Html, element
from ._page import document, today
from ._sections import Part

_FLAKY = 50  # flaky questions that are listed at most
_CHANGED = ("improved", "worse", "flipped")


class _Line(NamedTuple):
    """A row of the table of differences."""

    name: str
    result: Comparison
    p: float
    p_corrected: float


_FIELDS = (
    Field("task", of="name"),
    Field("baseline", True, "result.scores", lambda scores: "-" if scores[1] is None else number(scores[1])),
    Field("new", True, "result.scores", lambda scores: "-" if scores[0] is None else number(scores[0])),
    Field("difference", True, "result.difference", signed),
    Field("{0} interval", of="result.lo result.hi", form=signed_span),
    Field("P(better)", True, "result.p_better", chance),
    Field("p", True, "p", chance),
    Field("p, corrected", True, "p_corrected", chance),
)
Pairs = Mapping[str, tuple[OutcomeMatrix, OutcomeMatrix]]


def comparison_report(
    new: Any,
    baseline: Any,
    metrics: Metric | str | Sequence[Metric | str] | Mapping[str, Metric | str] | None = None,
    *,
    model: str | tuple[str, str] | None = None,
    max_drop: float | str | Mapping[str, Any] | None = None,
    mode: str = "worse",
    task_weights: str | Mapping[str, float] | None = None,
    confidence: float = 0.95,
    target: str = "questions",
    prior: PriorLike | None = None,
    fdr: float = 0.1,
    title: str = "Comparison",
    source: str = "",
    date: str = "",
    note: str = "",
    runs: str = "auto",
) -> str:
    """Write what changed between two runs as a page: differences per task and overall, and the questions that changed.

    With ``max_drop``, it begins with the verdict of ``gate`` in this ``mode``. ``fdr`` is the argument of
    ``diff_questions``; ``title``, ``source``, ``date``, ``note`` and the page are those of ``html_report``, the others
    (``runs`` too) those of ``gate``.

    >>> old = OutcomeMatrix.from_counts([9, 5, 10, 2], 10)
    >>> page = comparison_report(OutcomeMatrix.from_counts([4, 1, 6, 0], 10), old, max_drop=0.05)
    >>> "Gate failed" in page
    True
    """
    names, pairs = pair_of_models(new, baseline, model, ("new", "baseline"))
    chosen = _metrics(metrics, pairs)
    law: dict[str, Any] = {"confidence": confidence, "target": target, "prior": prior, "task_weights": task_weights}
    law["runs"] = runs
    found = [_compared(metric, pairs, names, law) for metric in chosen]
    changes = [_differences(result, f"change-{i}") for i, result in enumerate(found, 1)]
    parts = [*changes, _questions(baseline, new, model, fdr, runs), sections.method(found[0].to_methods())]
    if max_drop is not None:
        by_task = metrics if isinstance(metrics, Mapping) else chosen
        law["runs"] = told(runs)
        result = gate(by_task, new, baseline, max_drop=max_drop, mode=mode, model=model, **law)
        table = result.tables()[0]
        verdict = element("p", element("strong", sections.sentence(str(result))))
        parts.insert(
            0,
            sections.section(
                "gate",
                "Gate",
                verdict,
                *sections.shown(table, "task" if any(each.task for each in result.checks) else "metric"),
            ),
        )
    facts = _facts(names, pairs, source, date or today())
    settings = f"{percent(confidence)} intervals {found[0].about}"
    return document(title, facts, note, parts, settings, "verdict" if parts[0].anchor == "gate" else "differences")


def _metrics(metrics: Any, pairs: Pairs) -> list[Any]:
    """Return the metrics; a mapping from tasks to metrics is one."""
    if isinstance(metrics, Mapping):
        return [metrics]
    if metrics is None or (not isinstance(metrics, (str, Metric)) and not list(metrics)):
        return [default_metric(each for pair in pairs.values() for each in pair)]
    return [as_metric(each) for each in ([metrics] if isinstance(metrics, (str, Metric)) else metrics)]


def _compared(
    metric: Metric | Mapping[str, Any], pairs: Pairs, names: tuple[str, str], law: Mapping[str, Any]
) -> Comparison:
    """Compare both models, on every task and overall if there are several."""
    labels = names if names[0] != names[1] else ("new", "baseline")
    options = {name: law[name] for name in ("confidence", "target", "prior", "runs")}
    if len(pairs) == 1:
        return compare(metric, *next(iter(pairs.values())), names=labels, **options)
    suites = [Suite({task: {labels[i]: pair[i]} for task, pair in pairs.items()}) for i in range(2)]
    return compare(metric, *suites, names=labels, task_weights=law["task_weights"], **options)


def _facts(names: tuple[str, str], pairs: Pairs, source: str, date: str) -> list[tuple[str, str]]:
    new, old = names
    questions = sum(max(each.n_questions for each in pair) for pair in pairs.values())
    trials = [sum(int(pair[i].trials.sum()) for pair in pairs.values()) for i in range(2)]
    tasks = [task for task in pairs if task]
    facts = {
        "New": plain(new),
        "Baseline": plain(old),
        "Task" if len(tasks) == 1 else "Tasks": plain(tasks[0]) if len(tasks) == 1 else f"{len(tasks) or ''}",
        "Source": plain(source),
        "Date": plain(date),
        "Questions": f"{questions:,}",
        "Trials": f"{trials[0]:,} new, {trials[1]:,} of the baseline",
    }
    return [(name, value) for name, value in facts.items() if value]


def _differences(result: Comparison, anchor: str) -> Part:
    """Show the differences overall and per task, as a table and as a picture."""
    rows = {OVERALL: result, **result.tasks} if result.tasks else {"difference": result}
    level = percent(result.confidence)
    p_values = [p_value(each) for each in rows.values()]
    corrected = [*p_values[:1], *holm(p_values[1:])]
    lines = list(map(_Line, rows, rows.values(), p_values, corrected))
    fields = _FIELDS if result.tasks else _FIELDS[:-1]
    title = f"{result.metric}, new minus baseline"
    verdict = element("p", f"{plain(str(result))}.")
    written = Table.of(title, fields, lines, about=level)
    return sections.section(
        anchor, str(result.metric), verdict, *sections.shown(written, "task"), _picture(rows, level)
    )


def p_value(result: Comparison) -> float:
    """Return the two-sided p-value of no difference, which is below ``1 - confidence`` if the interval excludes zero.

    >>> p_value(compare("pass@1", [[1, 1, 0, 0]], [[1, 1, 0, 0]]))
    1.0
    """
    if result.p_value is not None:
        return result.p_value
    law = law_of(result, (1.0 - result.confidence) / 2.0)
    return min(2.0 * min(law.p_at_most(0.0), law.p_at_least(0.0)), 1.0)


def _picture(rows: Mapping[str, Comparison], level: str) -> Html:
    bars = []
    for name, each in rows.items():
        numbers = f"{signed(each.difference)} {signed_span(each.lo, each.hi)}"
        bars.append(Bar(name, each.lo, each.hi, each.difference, each.winner is not None, numbers))
    note = f"Difference, new minus baseline (point) and {level} interval (line); filled: the interval excludes zero."
    return drawing.intervals(bars, note, zero=True)


def _questions(old: Any, new: Any, model: str | tuple[str, str] | None, fdr: float, runs: str) -> Part:
    """Show which questions changed, and fold away the flaky ones."""
    try:
        result = diff_questions(new, old, model=model, fdr=fdr, runs=runs)
    except OutcomeError as error:
        return sections.section("questions", "Questions", element("p", f"No questions are compared: {error}."))
    parts: list[Html] = [element("p", sections.sentence(str(result)))]
    if result.of_kind(*_CHANGED):
        parts += sections.shown(result.tables()[0], "question", "Changed questions, clearest first")
    if flaky := result.of_kind("flaky"):
        line = f"{pluralize(len(flaky), 'flaky question')}: the outcome differs between trials of one run"
        parts.append(
            element("details", element("summary", line), *sections.shown(result.flaky_table(_FLAKY), "question"))
        )
    more = element("p", "All questions: ", element("code", "scorio questions NEW --baseline OLD -o changes.csv"), ".")
    return sections.section("questions", "Questions", *parts, more)
