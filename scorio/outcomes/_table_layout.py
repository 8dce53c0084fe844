"""The roles of a table's columns: as the user names them, or recognised by their usual names.

Tables that tools export are known by the columns that tell a tool. Their names are too common to be recognised in any
table: a column ``error`` marks failed runs in the exports of LangSmith, and wrong answers elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import chain
from typing import Any, TypedDict

from .._base.options import takes
from .._base.words import shorten, unknown, warn
from ..errors import AxesWarning, OutcomeError, Remedy
from ._column_names import (
    KEYS,
    candidates,
    cost_name,
    counts_up,
    is_series,
    likely_outcomes,
    numbered,
    plain,
    stems,
    usual_costs,
)
from ._outcome_values import is_number
from ._trials import Normalize, normalize_answer

_SHARES = {"correct", "is_correct", "passed", "pass", "success", "solved", "resolved", "accuracy", "acc"}  # from 0 to 1
NESTED_QUESTIONS = frozenset(
    ["question", "problem", "item", "input", "inputs", "prompt", "request", "user_input"]
)  # read as JSON text
ANSWERS = "answers"  # the name in keep
_SWAPPED = (
    "the rows of {!r} are read as questions, and numbered columns as their trials: if the columns are the questions, "
    "transpose the table"
)
_TRIALS = ("", "t", "T")  # before the numbers of columns that hold trials, beside longer names
_UNCLEAR = {"num_samples", "total_trials"}  # which may be there beside the outcomes of single trials
_TITLE = "if the first line is a title, remove it"
_ROWS = "if the questions are the columns, transpose the table"
_OUTCOMES = "names it, in a table with one row per trial"
FACTOR = "factor {}"  # the role of a column whose levels are kept apart
UNNAMED = re.compile(r"\s*|Unnamed: \d+")  # the names that pandas writes for an index


class UnknownColumnsError(OutcomeError):
    """Columns that do not make a table of outcomes."""


class NotATableError(UnknownColumnsError):
    """Text whose rows have other numbers of fields than the first line, and unknown columns."""


class SummaryError(UnknownColumnsError):
    """A table without questions that has one row for each model."""


class NoSingleTableError(NotATableError):
    """A database without tables, or with several of which none was chosen."""


@dataclass(frozen=True)
class TableLayout:
    """The form of a table and the columns that play a role in it."""

    form: str  # long: one row per trial; wide: one column per trial; models: one column per model;
    # counts and lists: one row per question
    roles: Mapping[str, str]
    wide: tuple[str, ...] = ()
    share: str = ""  # the column of outcomes, if its name alone says that they are from 0 to 1
    export: Export | None = None  # the tool that wrote the table, if the columns tell
    factors: tuple[str, ...] = ()  # the columns whose levels make runs of their own
    costs: Mapping[str, str] = field(default_factory=dict)  # the columns of the costs of trials, by the cost's name
    kept: Mapping[str, str] = field(default_factory=dict)  # the columns of answers and scores, by the names in keep
    metric: Mapping[str, str] = field(default_factory=dict)  # the factor that names metrics, and the one that is read
    run: str = ""  # the factor whose levels are runs of a model, and no conditions
    must_cost: bool = False  # whether the user named them, so that every trial with an outcome needs its costs
    may_fail: bool = True  # whether trials may have failed to run, by a column that the user did not mention
    is_unclear: bool = False  # whether the names of the columns of a wide form may be those of models, as v1 and v2

    @property
    def keys(self) -> dict[str, str]:
        """The columns that identify a row, by role."""
        return self.of(*KEYS) | {FACTOR.format(name): name for name in self.factors}

    @property
    def row_roles(self) -> dict[str, str]:
        """The columns by which rows are counted, by role: keys, what is kept, failures, times and outcomes."""
        return self.keys | self.kept_roles | self.of("failed", "times", "outcome")

    @property
    def kept_roles(self) -> dict[str, str]:
        """The columns of what is kept, by role."""
        return {f"kept {name}": column for name, column in self.kept.items()}

    def of(self, *roles: str) -> dict[str, str]:
        """Return the columns of those of the roles that have one."""
        return {role: self.roles[role] for role in roles if role in self.roles}

    @property
    def nested(self) -> list[str]:
        """The columns whose values may be lists or objects."""
        question = self.roles["question"]
        texts = [question] if question.rpartition(".")[2] in NESTED_QUESTIONS else []
        if self.form == "lists":
            return [*texts, self.roles["outcome"], *self.kept.values()]
        return texts + [column for name, column in self.kept.items() if name == ANSWERS]

    @property
    def notes(self) -> dict[str, str]:
        """What was recognised, to be shown to the user."""
        tool = {"tool": self.export.tool} if self.export else {}
        shown = tool | {role: repr(column) for role, column in self.roles.items()}
        series = "models" if self.form == "models" else "trials"
        trials = {series: f"{self.wide[0]!r} to {self.wide[-1]!r}"} if self.wide else {}
        shown |= {"run": repr(self.run)} if self.run else {}
        for name, value in self.metric.items():
            shown["metric"] = f"{value!r} of {name!r}"
        names = [name for name in self.factors if name not in (self.run, *self.metric)]
        factors = {"factors": ", ".join(map(repr, names))} if names else {}
        costs = {"costs": ", ".join(map(repr, self.costs.values()))} if self.costs else {}
        return {"form": self.form, **shown, **trials, **factors, **costs}


class FrameOptions(TypedDict, total=False):
    """The columns of a data frame by their roles, the rewards of values, and what becomes of missing outcomes."""

    question: str | None
    outcome: str | None
    failed: str | None
    model: str | None
    trial: str | None
    cluster: str | None
    levels: Mapping[Any, float | None] | None
    missing: str
    times: str | None
    factors: Iterable[str]
    run: str | None
    answer: str | None
    scores: Iterable[str]
    normalize: Normalize | None


takes_columns = takes(FrameOptions, missing="raise", factors=(), scores=(), normalize=normalize_answer)


@dataclass(frozen=True)
class Asked:
    """What the user says of a table: columns by role, that of the outcomes, factors, what is kept.

    ``several`` has the columns of roles that several columns may have: models, as patterns, and costs.
    """

    fields: Mapping[str, str | None] = field(default_factory=dict)
    score: str | None = None
    factors: tuple[str, ...] = ()
    several: Mapping[str, Sequence[str]] = field(default_factory=dict)
    keep: tuple[str, ...] = ()


def recognise_columns(columns: Sequence[str], asked: Asked) -> TableLayout:
    """Return how to read a table with these columns."""
    _check_known(asked.factors, columns)
    columns = [column for column in columns if column not in asked.factors and not UNNAMED.fullmatch(column)]
    if len(set(columns)) < len(columns):
        twice = next(name for i, name in enumerate(columns) if name in columns[:i])
        raise OutcomeError(f"two columns are called {twice!r}", hint=_no_header(columns))
    costs = _costs(columns, asked)
    columns = [column for column in columns if column not in costs.values()]
    export = None if "outcome" in asked.fields else export_of(tuple(columns))
    layout = _with_outcomes(columns, asked) if export is None else _exported(export, columns, asked)
    if layout.form == "long":
        return replace(layout, costs=costs, must_cost="cost" in asked.several, factors=asked.factors)
    if asked.several.get("cost") or asked.fields.get("failed"):
        raise OutcomeError("costs and failures are read from tables with one row per trial", argument="fields")
    return replace(layout, factors=asked.factors)


def _no_header(columns: Sequence[str]) -> str | None:
    """Return what to do where the first line seems to hold values instead of names of columns."""
    advice = "there seems to be no line with the names of the columns: write one"
    return advice if any(map(is_number, columns)) else None


def kept_columns(
    columns: Sequence[str], layout: TableLayout, keep: Sequence[str], answer: str | None = None
) -> dict[str, str]:
    """Return the columns of answers and scores by the names in ``keep``; ``answer`` is that which the user named.

    >>> kept_columns(["q", "correct", "pred", "judge"], TableLayout("long", {"question": "q"}), ["answers", "judge"])
    {'answers': 'pred', 'judge': 'judge'}
    """
    if keep and layout.form not in ("long", "lists"):
        form = {"counts": "counts", "wide": "one column per trial", "models": "one column per model"}[layout.form]
        problem = f"asks for {shorten(keep)} of each trial, which need one row per trial; this table has {form}"
        raise OutcomeError(problem, argument="keep")
    return {name: _answers(columns, layout, answer) if name == ANSWERS else _score(columns, name) for name in keep}


def _answers(columns: Sequence[str], layout: TableLayout, answer: str | None) -> str:
    if answer is not None:
        _check_known([answer], columns)
        return answer
    rest = [name for name in columns if name not in {*layout.roles.values(), *layout.factors, *layout.costs.values()}]
    usual = candidates("answer", rest)
    if len(usual) > 1:
        remedies = [Remedy.choice("fields", [{"answer": usual[0]}])]
        raise OutcomeError(f"several columns may be the answer, {shorten(usual)}", remedies=remedies)
    if not usual:
        problem = f"asks for answers, and no column of answers was found; the columns are {shorten(columns)}"
        raise OutcomeError(problem, argument="keep", remedies=[Remedy("fields", {"answer": "..."}, "names it")])
    return usual[0]


def _score(columns: Sequence[str], name: str) -> str:
    inner = [column for column in columns if column.rpartition(".")[2] == name]
    if name not in columns and len(inner) != 1:
        raise OutcomeError(f"names an {unknown('column', name, columns)}", argument="keep")
    return name if name in columns else inner[0]


def _costs(columns: Sequence[str], asked: Asked) -> dict[str, str]:
    """Return the columns of costs by the name of the cost: those that the user named, or those with usual names."""
    stated = asked.several.get("cost")
    if stated is None:
        used = {asked.score, *asked.fields.values(), *asked.several.get("models", ())}
        return usual_costs(column for column in columns if column not in used)
    _check_known(stated, columns)
    names = [cost_name(column) or column for column in stated]
    return dict(zip(names if len(set(names)) == len(names) else stated, stated, strict=True))


def _with_outcomes(columns: Sequence[str], asked: Asked) -> TableLayout:
    """Return how to read a table without its columns of costs."""
    named = dict(asked.fields)
    if asked.score is not None:
        inner = [column for column in columns if column.rpartition(".")[2] == asked.score]
        named["outcome"] = inner[0] if asked.score not in columns and len(inner) == 1 else asked.score
    pattern = named.get("trial") or ""
    series = [column for column in columns if "*" in pattern and fnmatchcase(column, pattern)]
    _check_known([column for column in named.values() if not (column == pattern and series)], columns)
    keys = {role: _find(role, columns, named) for role in KEYS}
    if keys["question"] is None:
        raise UnknownColumnsError(
            f"no column of questions was found; the columns are {shorten(columns)}",
            remedies=[Remedy("fields", {"question": next(iter(candidates("task", columns)), "...")}, "names it")],
            hint=_TITLE if len(columns) == 1 or "".join(columns)[:1] == "#" else _no_header(columns) or _ROWS,
        )
    roles = {role: column for role, column in keys.items() if column is not None}
    rest = [column for column in columns if column not in roles.values()]
    if models := asked.several.get("models"):
        return _by_model(rest, named, roles, models)
    if series:
        return TableLayout("wide", roles, tuple(column for column in series if column in rest))
    others = [names for stem, names in stems(rest).items() if len(names) > 1 and not is_series(stem)]
    if others and candidates("trial", [roles["question"]]):
        warn(_SWAPPED.format(roles["question"]), AxesWarning)
    return _counts(rest, named, roles) or _long(rest, named, roles) or _wide(rest, named, roles)


def _check_known(names: Iterable[str | None], columns: Sequence[str]) -> None:
    for name in names:
        if name not in (None, *columns):
            raise UnknownColumnsError(unknown("column", name, columns))


def _exported(export: Export, columns: Sequence[str], asked: Asked) -> TableLayout:
    """Return the layout of a tool's export, which the user may change."""
    model = export.step or (export.model if export.model in columns else _find("model", columns, asked.fields))
    usual = {"question": export.question, "model": model}
    outcome = export.outcome(columns, asked.score)
    if outcome is None:
        problem = f"no column of outcomes was found; the columns are {shorten(columns)}"
        raise UnknownColumnsError(problem, remedies=[Remedy("score", "...", "names it")])
    named = usual | dict(asked.fields) | {"outcome": outcome}
    _check_known(named.values(), columns)
    if export.failed in columns:
        named.setdefault("failed", export.failed)
    is_step = bool(export.step) and named["model"] == export.step
    roles = {role: column for role, column in named.items() if column is not None}
    return TableLayout("long", roles, export=export if is_step or not export.step else replace(export, step=""))


def _find(role: str, columns: Sequence[str], named: Mapping[str, str | None]) -> str | None:
    """Return the column of a role: the one that the user named (None: there is none), or one with a usual name."""
    if role in named:
        return named[role]
    matches = candidates(role, [column for column in columns if column not in named.values()])
    if len(matches) > 1:
        argument, values = ("score", matches) if role == "outcome" else ("fields", [{role: matches[0]}])
        problem = f"several columns may be the {role}, {shorten(matches)}"
        raise OutcomeError(problem, remedies=[Remedy.choice(argument, values)])
    return matches[0] if matches else None


def _counts(rest: Sequence[str], named: Mapping[str, str | None], roles: dict[str, str]) -> TableLayout | None:
    trials = _find("trials", rest, named)
    if trials is None or "outcome" in named or _find("trial", rest, named) is not None:
        return None
    successes = _find("successes", [column for column in rest if column != trials], named)
    is_unclear = (
        "trials" not in named and plain(trials) in _UNCLEAR and bool(candidates("outcome", filter(None, [successes])))
    )
    if successes is None or is_unclear:
        return None
    return TableLayout("counts", roles | {"trials": trials, "successes": successes})


def _long(rest: Sequence[str], named: Mapping[str, str | None], roles: dict[str, str]) -> TableLayout | None:
    outcome = _find("outcome", rest, named)
    if outcome is None:
        return None
    trial = _find("trial", [column for column in rest if column != outcome], named)
    found = {"trial": trial, "failed": named.get("failed"), "outcome": outcome}
    roles = roles | {role: column for role, column in found.items() if column is not None}
    if "outcome" in named:
        return TableLayout("long", roles, may_fail="failed" not in named)
    several = next((names for names in numbered(rest).values() if len(names) > 1), None)
    if several is not None and trial is None:
        raise OutcomeError(
            f"{outcome!r} may be the outcome, or {shorten(several)} may be the outcomes of one trial each",
            remedies=[
                Remedy("score", outcome, "chooses the first"),
                Remedy("fields", {"trial": "..*"}, "chooses the others by a pattern"),
            ],
        )
    share = outcome if plain(outcome) in _SHARES else ""
    return TableLayout("long", roles, share=share, may_fail="failed" not in named)


def _by_model(
    rest: Sequence[str], named: Mapping[str, str | None], roles: dict[str, str], patterns: Sequence[str]
) -> TableLayout:
    """Return the layout of a table with one column per model."""
    if "model" in roles:
        problem = f"{roles['model']!r} is a column of models already, so that no column can hold one model each"
        raise OutcomeError(problem, remedies=[Remedy("fields", {"model": None}, "if it is none")])
    trial = _find("trial", rest, named)
    rest = [column for column in rest if column != trial]
    matching = {pattern: [column for column in rest if fnmatchcase(column, pattern)] for pattern in patterns}
    parts = [[pattern] if matching[pattern] else pattern.split(",") for pattern in patterns]
    patterns = [*chain.from_iterable(parts)]
    for pattern in patterns:
        if not any(fnmatchcase(column, pattern) for column in rest):
            raise UnknownColumnsError(unknown("column", pattern, rest))
    chosen = [column for column in rest if any(fnmatchcase(column, pattern) for pattern in patterns)]
    return TableLayout("models", roles | ({} if trial is None else {"trial": trial}), tuple(chosen))


def _wide(rest: Sequence[str], named: Mapping[str, str | None], roles: dict[str, str]) -> TableLayout:
    """Return the layout of a table with one series of numbered columns."""
    series = numbered(rest)
    [(stem, columns)] = series.items() if len(series) == 1 else [("", [])]
    is_unclear = not (is_series(stem) or stem in _TRIALS)
    are_trials = bool(columns) and not (is_unclear and (len(columns) < len(rest) or not counts_up(columns)))
    if not are_trials or _find("trial", rest, named) is not None:
        likely = likely_outcomes(rest)
        trial = _find("trial", rest, named)
        more = [] if likely else _columns_of_many([name for name in rest if name != trial], roles, trial)
        raise UnknownColumnsError(
            f"no column of outcomes was found; the columns are {shorten(rest) or 'none'}",
            remedies=[Remedy("score", likely[0] if len(likely) == 1 else "...", _OUTCOMES), *more],
            hint=f"perhaps {shorten(likely)}" if len(likely) > 1 else None,
        )
    share = columns[0] if plain(stem) in _SHARES else ""
    return TableLayout("wide", roles, tuple(columns), share, is_unclear=is_unclear)


def _columns_of_many(rest: Sequence[str], roles: Mapping[str, str], trial: str | None) -> list[Remedy]:
    """Return how to read a table with one column per trial, or per model."""
    series = {stem: names for stem, names in stems(rest).items() if len(names) > 1 and stem[-1:] not in ("@", "^")}
    if len(series) > 1:
        return []  # several models, each with a column per trial: neither call reads them
    trials = [Remedy("fields", {"trial": f"{stem}*"}, "reads one column per trial") for stem in series if not trial]
    names = next(iter(series.values()), rest if trial else ["..."])
    models = Remedy("fields", {"models": names}, "names the columns of one model each")
    return trials if "model" in roles or len(rest) < 2 else [*trials, models]


@dataclass(frozen=True)
class Export:
    """The export of a tool.

    ``signs`` are patterns that must all match a column. ``outcomes`` are patterns of the columns of outcomes, of which
    the first that matches counts. Rows that hold a text of ``failures`` in the column ``failed`` are missing trials;
    without ``failures`` any text marks them. ``expected`` are patterns of columns that are named as outcomes
    are, but hold the expected answer. ``step`` is the column of the training step, which stands for the model, and
    ``model`` that of the model where its name is unusual.
    """

    tool: str
    signs: tuple[str, ...]
    question: str
    outcomes: tuple[str, ...]
    failed: str = ""
    failures: frozenset[str] = frozenset()
    step: str = ""
    expected: tuple[str, ...] = ()
    model: str = ""

    def outcome(self, columns: Sequence[str], score: str | None) -> str | None:
        """Return the column of outcomes: the only one, or the one that the user named, in full or without affixes."""
        if score in columns:
            return str(score)
        rest = [name for name in columns if not any(fnmatchcase(name, pattern) for pattern in self.expected)]
        groups = ([name for name in rest if fnmatchcase(name, pattern)] for pattern in self.outcomes)
        offered: list[str] = next(filter(None, groups), [])
        if score is not None:
            return next((p.replace("*", score) for p in self.outcomes if p.replace("*", score) in offered), score)
        if len(offered) > 1:
            problem = f"several columns may be the outcome, {shorten(offered)}"
            raise OutcomeError(problem, remedies=[Remedy.choice("score", offered)])
        return offered[0] if offered else None

    def is_failed(self, text: str | None) -> bool:
        """Return whether a run failed, by the text in the column ``failed``."""
        return bool(text and text.strip()) and (not self.failures or text in self.failures)


_EXPORTS = (
    *(
        Export(
            "Weave",
            ("op_name", place, "output.scores.*"),
            place,
            ("output.scores.*",),
            "exception",
            model="inputs.model",
        )
        for place in ("inputs.example.id", "inputs.example")
    ),
    Export("LangSmith", ("example_id", "feedback.*"), "example_id", ("feedback.*",), "error"),
    Export(
        "Phoenix",
        ("example_id", "repetition_number", "annotation_*_score"),
        "example_id",
        ("annotation_*_score", "annotation_*_label"),
        "error",
    ),
    Export(
        "mlflow",
        ("trace_id", "request", "*/value"),
        "request",
        ("*/value",),
        "state",
        frozenset({"ERROR"}),
        expected=("expected_*/value", "guidelines/value"),
    ),
    Export("Braintrust", ("input", "scores.*"), "input", ("scores.*",), "error"),
    Export("TRL", ("step", "prompt", "completion"), "prompt", ("*_reward", "*reward*"), step="step"),
    Export("verl", ("step", "input", "output", "score"), "input", ("acc", "score"), step="step"),
)


@lru_cache(1 << 6)
def export_of(columns: tuple[str, ...]) -> Export | None:
    """Return the export whose signs the columns bear; None for any other table."""

    def bears(sign: str) -> bool:
        return any(fnmatchcase(column, sign) for column in columns)

    return next((export for export in _EXPORTS if all(map(bears, export.signs))), None)
