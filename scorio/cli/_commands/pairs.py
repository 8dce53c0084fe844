"""Commands that set one model, or one run, against another: compare, gate and questions."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..._base.table import Table
from ..._base.words import shorten
from ...errors import ParameterError
from .._context import allow_only, is_typed, working
from .._metric import MetricChoice
from .._output import Answer
from .._reading import (
    Reading,
    check_pair,
    check_renamed,
    load,
    load_logs,
    load_pair,
    load_part,
    new_and_baseline,
    on_one_footing,
)
from .._values import MaxDrop

if TYPE_CHECKING:
    from ...comparison import Claims, GateResult
    from ...io import Reading as LogReading
    from ...outcomes import OutcomeSet, Suite

    Logs = Sequence[str]
    Names = tuple[str, str] | None
    _Cost = str | dict[str, float] | None
    _Side = tuple[str, OutcomeSet | Suite, str]  # the name that is shown, the outcomes, and the model's name there

_WITH_AND_WITHOUT = ("skill-creator", "vally", "skill-validator")  # formats of tools that run both
_SKILLS = "skills"  # the condition of runs of Harbor with and without
_LONGEST = 40  # characters of the name of a log
_FLAGGED_FDR, _CHANGED_FDR, _FLAKY = 0.05, 0.1, 20  # the last is a number of questions to show


def compare(
    logs: Logs,
    reading_options: Reading,
    between: Names,
    metrics: MetricChoice,
    cost: _Cost,
    margin: float | None,
    **options: Any,
) -> Answer:
    """Compare two models, or say of arms whether they help."""
    from ...comparison import compare_costs
    from ...rank._comparisons import compare_by

    reading = load_logs(logs, reading_options) if len(logs) == 1 or margin is not None else None
    if reading is not None and (margin is not None or _are_arms(reading, between)):
        return _arms(reading, between, metrics, margin, options["confidence"])
    (first, one, mine), (second, other, theirs) = _sides(
        logs, reading_options, between, reading, by_task=bool(metrics.by_task)
    )
    A, B = one.one_model(mine), other.one_model(theirs)
    with working("comparing"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "both models have the same outcomes")  # the files are named already
        listed = metrics.listed(A, B)
        comparison = compare_by(listed, A, B, names=(first, second), **options)
    [table], settings = comparison.tables(), dict(options)
    tables = [table._replace(notes=[note for note in table.notes if note not in comparison.verdicts])]  # they lead
    if cost is not None:
        about = {name: options[name] for name in ("task_weights", "confidence", "prior", "target", "shared_only")}
        costs = replace(compare_costs(one, other, cost, model=(mine, theirs), **about), names=(first, second))
        tables.append(costs.tables()[0])
        settings["costs"] = costs.to_dict()
    part = comparison.parts[0]
    draw = lambda plot: plot.draw(part)
    answer = Answer(tables, comparison.as_records, settings, draw=draw, methods=part.to_methods)
    return answer.headed_by(comparison.verdicts)


def _are_arms(reading: LogReading, between: Names) -> bool:
    """Return whether logs are runs of a tool with and without a skill, and no option asks for anything else."""
    from ...arms import baseline_of

    asked = ("target", "prior", "shape", "runs", "paired", "cost", "picture", "task_weights", "shared_only")
    is_plain = between is None and not any(map(is_typed, asked))
    is_of_skills = any(
        source.format in _WITH_AND_WITHOUT or _SKILLS in source.run.conditions for source in reading.sources
    )
    return is_plain and is_of_skills and baseline_of(reading.outcomes.models) is not None


def _arms(
    reading: LogReading, between: Names, metrics: MetricChoice, margin: float | None, confidence: float
) -> Answer:
    """Return whether each arm helps against the baseline, which is the second of ``--between``."""
    from ...arms import MARGIN, analyze_arms

    allow_only("margin", "between", "metrics", "confidence")
    if metrics.by_task or len(metrics.plain) > 1:
        raise ParameterError("takes one --metric for all tasks", argument="margin")
    outcomes = reading.outcomes.select(models=list(between)) if between else reading.outcomes
    about: dict[str, Any] = {"margin": MARGIN if margin is None else margin, "confidence": confidence}
    with working("comparing"):
        analysis = analyze_arms(outcomes, metrics.first, baseline=between[1] if between else None, **about)
    return Answer(analysis.tables(), analysis.as_records, about, kind="arms").headed_by(analysis.verdicts())


def _sides(
    logs: Logs, reading_options: Reading, between: Names, reading: LogReading | None, *, by_task: bool
) -> list[_Side]:
    """Return the two models to compare: those of ``--between``, or the only two."""
    if reading is None and len(logs) == 2 and between is None:
        parts = [load_part([log], reading_options) for log in logs]
        one, other = on_one_footing(*parts, by_task=by_task)
        first, second = one.models, other.models
        if len(first) == len(second) == 1:
            if first == second and logs[0] == logs[1]:
                raise ParameterError(f"both logs are {logs[0]}: give two different ones")
            check_renamed(reading_options, parts)
            check_pair(parts[0], parts[1], (first[0], second[0]))
            names = first + second if first != second else _told_apart(*logs)
            return [(names[0], one, first[0]), (names[1], other, second[0])]
    reading = reading or load_part(logs, reading_options, again=len(logs) == 2 and between is None)
    check_renamed(reading_options, [reading])
    [outcomes] = on_one_footing(reading, by_task=by_task)
    models = outcomes.models
    names = between or models
    if len(models) == 1:
        raise ParameterError(f"a comparison needs two models; the logs hold only {shorten(models)}")
    if len(set(names)) != 2 or not set(names) <= set(models):
        unknown = [name for name in names if name not in models]
        problem = f"there is no model {unknown[0]!r}: " if unknown else ""
        raise ParameterError(f"{problem}choose two different models with --between out of {shorten(models)}")
    check_pair(reading, reading, (names[0], names[1]))
    return [(name, outcomes, name) for name in names]


def _told_apart(*logs: str) -> tuple[str, ...]:
    """Return the names of two logs; of long ones, the part of the file names up to where they differ.

    >>> _told_apart("logs/2026-11-20T10-00-00_puzzles_XyZ.eval", "logs/2026-11-27T10-00-00_puzzles_AbC.eval")
    ('2026-11-20T10-00-00', '2026-11-27T10-00-00')
    """
    one, other = (re.split(r"[_+]", Path(log).stem) for log in logs)
    apart = [place for place, parts in enumerate(zip(one, other, strict=False), 1) if len(set(parts)) > 1]
    if max(map(len, logs)) <= _LONGEST or not apart:
        return logs
    return tuple("_".join(parts[: apart[0]]) for parts in (one, other))


def gate(
    logs: Logs,
    reading_options: Reading,
    baseline: Logs,
    between: Names,
    metrics: MetricChoice,
    max_drop: MaxDrop,
    file: Path | None,
    **options: Any,
) -> Answer:
    """Say whether a new model may replace a baseline, or which claims of a file hold."""
    from ...comparison import gate as gate_of

    if file is not None:
        return _claims(file, logs, reading_options, metrics, options["target"])
    allow = options.pop("allow")
    options["allow"] = int(allow[0]) if len(allow) == 1 and allow[0].isdigit() else list(allow) or 0
    new, old = load_pair(logs, baseline, reading_options, between)
    is_alone = (
        options["per_question"] is not None and not baseline and between is None and len(new.outcomes.models) == 1
    )
    names = between or (None if baseline or is_alone else new_and_baseline(new))
    with working("comparing"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*are the same, so nothing can have changed")  # the files are named already
        first, second = on_one_footing(new, old, by_task=bool(max_drop.by_task or metrics.by_task))
        options |= {"max_drop": max_drop.of_tasks(second), "model": names}
        result = gate_of(metrics.of(second) or None, first, None if is_alone else second, **options)
    return _of_verdict(result, result.tables(), "checks")


def _claims(path: Path, logs: Logs, reading_options: Reading, metrics: MetricChoice, target: str) -> Answer:
    from ...comparison import check_claims

    allow_only("file", "metrics", "target", "junit", "annotations")
    if metrics.by_task or len(metrics.plain) > 1:
        raise ParameterError("takes one --metric, that of claims that name none", argument="file")
    outcomes = load_logs(logs, reading_options).outcomes
    with working("comparing"):
        claims = check_claims(path, outcomes, metric=metrics.first, target=target)
    return _of_verdict(claims, [claims.tables()[0]], "rows", "file")


def _of_verdict(result: GateResult | Claims, tables: Sequence[Table], rows: str, kind: str = "") -> Answer:
    """Return the answer of a result with a verdict: about it as a whole is all but its rows."""
    about = lambda: {name: value for name, value in result.to_dict().items() if name != rows}
    return Answer(tables, result.as_records, about, kind=kind, code=result.exit_code, verdict=result)


def questions(
    logs: Logs,
    reading_options: Reading,
    baseline: Logs,
    between: Names,
    top: int | None,
    fdr: float | None,
    **options: Any,
) -> Answer:
    """List the questions, or those that changed."""
    from ...comparison import describe_questions

    if baseline or between is not None:
        allow_only("baseline" if baseline else "between", "baseline", "between", "runs", "fdr", "top")
        given = {"fdr": _CHANGED_FDR if fdr is None else fdr, "runs": options["runs"]}
        return _changed(logs, baseline, reading_options, between, top, **given)
    if is_typed("runs"):
        raise ParameterError("is for questions that changed: name a --baseline, or two models", argument="runs")
    about = {"confidence": options["confidence"], "fdr": _FLAGGED_FDR if fdr is None else fdr}
    models = load(logs, reading_options)
    with working("questions"):
        table = describe_questions(models, **about).sorted(options["sort"], descending=not options["ascending"])
    printed, shown = table.tables()[0], table
    if top:
        printed, shown = printed.first(top), table.first(top)
    return Answer([printed], shown.as_records, about)


def _changed(
    logs: Logs, baseline: Logs, reading_options: Reading, between: Names, top: int | None, **options: Any
) -> Answer:
    """Return which questions changed, and the flaky ones."""
    from ...comparison import diff_questions

    new, old = load_pair(logs, baseline, reading_options, between)
    names = between or (None if baseline else new_and_baseline(new))
    with working("comparing"):
        changes = diff_questions(*on_one_footing(new, old), model=names, **options)
    changed, *flaky = changes.tables()
    tables = [changed, *(table.first(top or _FLAKY) for table in flaky)]
    return Answer(tables, changes.as_records, {"fdr": options["fdr"], "models": changes.names}, kind="baseline")
