"""``scorio gap``: by how much more each model is ahead on one of two sets of questions than other models are."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..._display.words import pluralize, shorten
from ...errors import OutcomeError, ParameterError
from .._command import declared
from .._context import working
from .._metric import metrics_or_default
from .._options import confidence_option, metric_option, over_option, target_option
from .._output import Answer, Output
from .._reading import Reading, load, load_task
from .horizon import keeping, named_over

if TYPE_CHECKING:
    from ...metrics import Metric
    from ...outcomes import OutcomeSet, Suite


@declared(
    "gap",
    "logs/ --sets sets.csv",
    metric_option(multiple=False),
    click.option(
        "--sets",
        "sets_file",
        type=click.Path(dir_okay=False, exists=True, path_type=Path),
        metavar="FILE",
        show_default="the two tasks of the logs",
        help="CSV file with columns question and set, and for rewritten questions pair, which an original and its "
        "rewriting share. An empty set leaves a question out. With --cut, a column date or value stands for set.",
    ),
    click.option(
        "--cut",
        metavar="VALUE",
        show_default="none",
        help="Cut-off: questions whose date or number is below it are before, the others after. For --sets or --over.",
    ),
    over_option("none"),
    click.option("--by-name", is_flag=True, help="Pair the questions of the two tasks by their names."),
    click.option(
        "--suspect",
        "models",
        multiple=True,
        metavar="MODEL",
        show_default="every model in turn",
        help="Model whose gap is asked for. Repeatable.",
    ),
    click.option(
        "--others",
        multiple=True,
        metavar="MODEL",
        show_default="all others",
        help="Model of the control, which has not seen the questions. Repeatable.",
    ),
    confidence_option,
    target_option,
)
def command(
    logs: tuple[str, ...],
    how: Reading,
    metrics: Metric | None,
    sets_file: Path | None,
    cut: str | None,
    over: str | None,
    by_name: bool,
    models: tuple[str, ...],
    others: tuple[str, ...],
    out: Output,
    **options: Any,
) -> None:
    """Say whether a model does better on questions that it may have seen, beyond what other models do.

    The two sets of questions are those of --sets, those before and after a cut-off, or the two tasks of the logs. A gap
    is a model's difference between the sets, less the mean difference of the other models.
    """
    from ...curves import gaps

    outcomes, about = _read(logs, how, sets_file, cut, over, by_name=by_name)
    with working("gaps"):
        metric = metrics or metrics_or_default((), outcomes)[0]
        found = gaps(metric, outcomes, models=models, others=others or None, **about, **options)
    settings = {"sets": found.rows[0].sets, "cut": cut, "over": over, "paired": found.rows[0].is_paired, **options}
    out.deliver(Answer([found._display_table()], found._records(), settings))


def _read(
    logs: tuple[str, ...], how: Reading, sets_file: Path | None, cut: str | None, over: str | None, *, by_name: bool
) -> tuple[OutcomeSet | Suite, dict[str, Any]]:
    """Return the outcomes, and as arguments of ``gap`` in which set each question is."""
    from ...outcomes import Suite

    if over is not None and sets_file is not None:
        raise ParameterError("--over and --sets both say which questions are in which set: give one of them")
    if (over is not None and cut is None) or (cut is not None and over is None and sets_file is None):
        raise ParameterError("--cut divides the numbers of --over, or the column date or value of --sets")
    if by_name and (over is not None or sets_file is not None):
        raise ParameterError("--by-name pairs the questions of two tasks; a file of --sets has a column pair for that")
    limit = {} if cut is None else {"cut": _number_or_text(cut)}
    if over is not None:
        with named_over():
            return load_task(logs, keeping(how, over)), {"sets": over, **limit}
    if sets_file is not None:
        models = load_task(logs, how)
        return models, _of_file(models, sets_file, is_cut=cut is not None) | limit
    outcomes = load(logs, how, by_task=True)
    tasks = outcomes.tasks if isinstance(outcomes, Suite) else ()
    if len(tasks) != 2:
        problem = f"the logs hold {pluralize(max(len(tasks), 1), 'task')}, and a gap is between two sets of questions"
        hint = "name a file with --sets, or a number with --over and --cut; --task chooses tasks"
        raise OutcomeError(problem, hint=hint)
    return outcomes, {"pairs": True} if by_name else {}


def _of_file(models: OutcomeSet, path: Path, *, is_cut: bool) -> dict[str, Any]:
    """Return the sets and pairs of a file; a question of the logs that it lacks is left out."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    names = list(rows[0]) if rows else []
    column = next((name for name in (("date", "value") if is_cut else ("set",)) if name in names), None)
    if "question" not in names or column is None:
        wanted = "question, and date or value" if is_cut else "question and set"
        hint = "dates and values are divided by --cut" if not is_cut and {"date", "value"} & {*names} else None
        raise OutcomeError(f"needs the columns {wanted}; got {shorten(names) or 'none'}", where=str(path), hint=hint)
    doubled = [name for name, count in Counter(row["question"] for row in rows).items() if count > 1]
    if doubled:
        raise OutcomeError(f"names a question twice: {shorten(doubled)}", where=str(path))
    labels = [str(each) for each in models.questions or range(models.n_questions)]
    if not {row["question"] for row in rows} & {*labels}:
        problem = f"names no question of the logs, which have {shorten(labels)}"
        raise OutcomeError(problem, where=str(path))

    def listed(name: str) -> list[Any]:
        given = {row["question"]: row[name] or None for row in rows}
        return [given.get(label) for label in labels]

    sets = listed(column)
    found = {"sets": [None if each is None else _number_or_text(each) for each in sets] if is_cut else sets}
    return found | ({"pairs": listed("pair")} if "pair" in names else {})


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
