"""A report of what changed between two runs: differences per task and overall, a gate, and the questions."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .._choices import OVERALL, told
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
from ..plot import differences_chart
from ._drawing import Html, element, figure
from ._page import Part, document, folded, method, paragraph, section, sentence, shown, today

_FLAKY = 50  # flaky questions that are listed at most
_CHANGED = ("improved", "worse", "flipped")


class _Line(NamedTuple):
    """A row of the table of differences."""

    name: str
    result: Comparison
    p: float
    p_corrected: float

    @property
    def scores(self) -> list[str]:
        """The scores of both models."""
        return ["-" if score is None else number(score) for score in self.result.scores]


_FIELDS = (
    Field("task", of="name"),
    Field("baseline", True, "scores", lambda scores: scores[1]),
    Field("new", True, "scores", lambda scores: scores[0]),
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
    law: dict[str, Any] = {"confidence": confidence, "target": target, "prior": prior}
    found = [_compared(each, pairs, names, task_weights, law | {"runs": runs}) for each in chosen]
    parts = []
    if max_drop is not None:
        by_task = metrics if isinstance(metrics, Mapping) else chosen
        options = law | {"mode": mode, "model": model, "task_weights": task_weights, "runs": told(runs)}
        result = gate(by_task, new, baseline, max_drop=max_drop, **options)
        verdict = paragraph(element("strong", sentence(str(result))))
        first = "task" if any(each.task for each in result.checks) else "metric"
        parts.append(section("gate", "Gate", verdict, *shown(result.tables()[0], first)))
    parts += [_differences(each, f"change-{i}") for i, each in enumerate(found, 1)]
    parts += [_questions(baseline, new, model, fdr, runs), method(found[0].to_methods())]
    facts = _facts(names, pairs, source, date or today())
    settings = f"{percent(confidence)} intervals {found[0].about}"
    return document(title, facts, note, parts, settings, "differences" if max_drop is None else "verdict")


def _metrics(metrics: Any, pairs: Pairs) -> list[Any]:
    """Return the metrics; a mapping from tasks to metrics is one."""
    if isinstance(metrics, Mapping):
        return [metrics]
    if metrics is None or (not isinstance(metrics, (str, Metric)) and not list(metrics)):
        return [default_metric(each for pair in pairs.values() for each in pair)]
    return [as_metric(each) for each in ([metrics] if isinstance(metrics, (str, Metric)) else metrics)]


def _compared(
    metric: Any, pairs: Pairs, names: tuple[str, str], task_weights: Any, options: Mapping[str, Any]
) -> Comparison:
    """Compare both models, on every task and overall if there are several."""
    labels = names if names[0] != names[1] else ("new", "baseline")
    if len(pairs) == 1:
        return compare(metric, *next(iter(pairs.values())), names=labels, **options)
    suites = [Suite({task: {labels[i]: pair[i]} for task, pair in pairs.items()}) for i in range(2)]
    return compare(metric, *suites, names=labels, task_weights=task_weights, **options)


def _facts(names: tuple[str, str], pairs: Pairs, source: str, date: str) -> dict[str, str]:
    questions = sum(max(each.n_questions for each in pair) for pair in pairs.values())
    new, old = (sum(int(pair[i].trials.sum()) for pair in pairs.values()) for i in range(2))
    tasks = [task for task in pairs if task]
    return {
        "New": names[0],
        "Baseline": names[1],
        "Task" if len(tasks) == 1 else "Tasks": tasks[0] if len(tasks) == 1 else f"{len(tasks) or ''}",
        "Source": source,
        "Date": date,
        "Questions": f"{questions:,}",
        "Trials": f"{new:,} new, {old:,} of the baseline",
    }


def _differences(result: Comparison, anchor: str) -> Part:
    """Show the differences overall and per task, as a table and as a picture."""
    rows = {OVERALL: result, **result.tasks} if result.tasks else {"difference": result}
    level = percent(result.confidence)
    first, *others = map(p_value, rows.values())
    lines = list(map(_Line, rows, rows.values(), [first, *others], [first, *holm(others)]))
    fields = _FIELDS if result.tasks else _FIELDS[:-1]
    table = Table.of(f"{result.metric}, new minus baseline", fields, lines, about=level)
    picture = figure(differences_chart(rows), f"Difference, new minus baseline (point) and {level} interval (line).")
    return section(anchor, str(result.metric), paragraph(f"{plain(str(result))}."), *shown(table, "task"), picture)


def p_value(result: Comparison) -> float:
    """Return the two-sided p-value of no difference, which is below ``1 - confidence`` if the interval excludes zero.

    >>> p_value(compare("pass@1", [[1, 1, 0, 0]], [[1, 1, 0, 0]]))
    1.0
    """
    if result.p_value is not None:
        return result.p_value
    law = law_of(result, (1.0 - result.confidence) / 2.0)
    return min(2.0 * min(law.p_at_most(0.0), law.p_at_least(0.0)), 1.0)


def _questions(old: Any, new: Any, model: str | tuple[str, str] | None, fdr: float, runs: str) -> Part:
    """Show which questions changed, and fold away the flaky ones."""
    try:
        result = diff_questions(new, old, model=model, fdr=fdr, runs=runs)
    except OutcomeError as error:
        return section("questions", "Questions", paragraph(f"No questions are compared: {error}."))
    parts: list[Html] = [paragraph(sentence(str(result)))]
    if result.of_kind(*_CHANGED):
        parts += shown(result.tables()[0], "question", "Changed questions, clearest first")
    if flaky := result.of_kind("flaky"):
        line = f"{pluralize(len(flaky), 'flaky question')}: the outcome differs between trials of one run"
        parts.append(folded(line, *shown(result.flaky_table(_FLAKY), "question")))
    more = paragraph(element("code", "scorio questions"), " with a baseline lists all of them.")
    return section("questions", "Questions", *parts, more)
