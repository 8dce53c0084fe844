"""A report of what changed between two runs: differences per task and overall, a gate, and the questions."""

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from .._base.choices import AUTO, without_warning
from .._base.numbers import of_planned, percent
from .._base.options import accepted, takes
from .._base.words import pluralize
from ..comparison import diff_questions, gate
from ..comparison._two_models import asked_questions
from ..errors import OutcomeError
from ..estimates._tasks import default_metric, pair_of_models
from ..inference._terms import RunOptions, Terms
from ..metrics import Metric
from ..outcomes import OutcomeMatrix, Suite
from ..rank._comparisons import compare_by
from ._drawing import Html, element
from ._page import Part, document, folded, method, paragraph, result_section, section, sentence, shown, today

_FLAKY = 50  # flaky questions that are listed at most
Pairs = Mapping[str, tuple[OutcomeMatrix, OutcomeMatrix]]


class ReportOptions(RunOptions, total=False):
    """What a page of a comparison says on top, beside the terms of the comparison."""

    title: str
    source: str
    date: str
    note: str
    shared_only: bool


@takes(ReportOptions, Terms, title="Comparison", source="", date="", note="", shared_only=False)
def comparison_report(
    new: Any,
    baseline: Any,
    metrics: Metric | str | Sequence[Metric | str] | Mapping[str, Metric | str] | None = None,
    *,
    model: str | tuple[str, str] | None = None,
    max_drop: float | str | Mapping[str, Any] | None = None,
    mode: str = "worse",
    task_weights: str | Mapping[str, float] | None = None,
    fdr: float = 0.1,
    **options: Unpack[ReportOptions],
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
    labels = names if names[0] != names[1] else ("new", "baseline")
    asked = accepted(options, comparison_report).items()
    law: dict[str, Any] = {name: value for name, value in asked if name in RunOptions.__optional_keys__}
    law |= {"task_weights": task_weights, "shared_only": options.get("shared_only", False)}
    runs = options.get("runs", AUTO)
    listed: list[Any] = [metrics] if isinstance(metrics, (str, Metric, Mapping)) else list(metrics or ())
    chosen = listed or [default_metric(matrix for pair in pairs.values() for matrix in pair)]
    comparisons = compare_by(chosen, *_sides(pairs, labels), names=labels, **law)
    parts = []
    if max_drop is not None:
        by_task = metrics if isinstance(metrics, Mapping) else chosen
        about = law | {"mode": mode, "model": model, "runs": without_warning(runs)}
        result = gate(by_task, new, baseline, max_drop=max_drop, **about)
        parts.append(result_section("gate", "Gate", result, [sentence(str(result))[:-1]]))
    parts.append(result_section("differences", "Differences", comparisons, comparisons.verdicts))
    parts += [_questions(baseline, new, model, fdr, runs), method(comparisons.parts[0].to_methods())]
    facts = _facts(names, pairs, options.get("source", ""), options.get("date") or today())
    settings = f"{percent(comparisons.parts[0].confidence)} intervals {comparisons.parts[0].about}"
    title, note = options.get("title", "Comparison"), options.get("note", "")
    return document(title, facts, note, parts, settings, "differences" if max_drop is None else "verdict")


def _sides(pairs: Pairs, names: Sequence[str]) -> list[Any]:
    """Return the outcomes of both models: of several tasks, as suites."""
    if len(pairs) == 1:
        return list(*pairs.values())
    return [Suite({task: {name: pair[i]} for task, pair in pairs.items()}) for i, name in enumerate(names)]


def _facts(names: tuple[str, str], pairs: Pairs, source: str, date: str) -> dict[str, str]:
    sides = zip(*map(asked_questions, pairs.values()), strict=True)
    asked = [sum(matrix.n_questions for matrix in side) for side in sides]
    new, old = zip(*pairs.values(), strict=True)
    trials = [
        of_planned(sum(int(one.trials.sum()) for one in side), sum(one.planned for one in side)) for side in (new, old)
    ]
    tasks = [task for task in pairs if task]
    return {
        "New": names[0],
        "Baseline": names[1],
        "Task" if len(tasks) == 1 else "Tasks": tasks[0] if len(tasks) == 1 else f"{len(tasks) or ''}",
        "Source": source,
        "Date": date,
        "Questions": f"{asked[0]:,}" if asked[0] == asked[1] else "{:,} new, {:,} of the baseline".format(*asked),
        "Trials": "{} new, {} of the baseline".format(*trials),
    }


def _questions(old: Any, new: Any, model: str | tuple[str, str] | None, fdr: float, runs: str) -> Part:
    """Show which questions changed, and fold away the flaky ones."""
    try:
        result = diff_questions(new, old, model=model, fdr=fdr, runs=runs)
    except OutcomeError as error:
        return section("questions", "Questions", paragraph(f"No questions are compared: {error}."))
    parts: list[Html] = [paragraph(sentence(str(result)))]
    changed, *flaky = result.tables()
    if changed.cells:
        parts += shown(changed, "Changed questions, clearest first")
    for table in flaky:
        line = pluralize(len(table.cells), "flaky question")
        line += ": trials of one run disagree more than at a rate of .2 or .8"
        parts.append(folded(line, *shown(table.first(_FLAKY))))
    more = paragraph(element("code", "scorio questions"), " with a baseline lists all of them.")
    return section("questions", "Questions", *parts, more)
