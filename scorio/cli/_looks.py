"""Looks at growing results: what one look says, and the file that keeps the looks taken so far.

A look says which metrics are settled, which models are still in the running, and why. The file is small JSON: what was
declared before the first look, and what each look showed.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .._choices import AUTO, RANDOM
from .._display.numbers import number, span
from .._display.table import Column, Table
from .._display.words import SUBJECT
from ..comparison import Contest, compare
from ..errors import OutcomeError, ParameterError
from ..inference import LEARNED, Interval, Looks, Terms
from ..metrics import Metric
from ..outcomes import OutcomeMatrix, OutcomeSet, RewardMatrix
from ..params import check_fields, nonnegative, optional, param, positive
from ..rank import standing
from ._writing import replacing

Records = list[dict[str, Any]]
VERSION = 1
_WHY = {
    "trials": "the promise of every look so far assumed the declared number of trials",
    "around": "the boundary was chosen before the first look",
    "confidence": "earlier looks used the confidence that was declared",
    "metrics": "the declared metrics share the probability of an error",
    "runs": "earlier looks took the trials of one run in another way",
    "baseline": "looks at another baseline need a state file of their own",
}


@dataclass(frozen=True)
class Declared:
    """What was declared before the first look; the metrics and the number of ``models`` share the error."""

    metrics: tuple[Metric, ...]
    looks: Looks
    models: int
    half_width: float | None = param(optional(positive), default=None)
    baseline: OutcomeMatrix | None = None
    target: str = "questions"
    within: float = param(nonnegative, default=0.0)
    goal: str = "best"
    runs: str = AUTO

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def of_metric(self) -> Looks:
        """The looks with the share of the error that one metric has."""
        return self.looks.shared(len(self.metrics))

    @property
    def of_interval(self) -> Looks:
        """The looks with the share of the error that one metric of one model has."""
        return self.of_metric.shared(self.models)


@dataclass(frozen=True)
class Look:
    """The results of one look; ``reasons`` has one sentence per metric that is settled."""

    rows: Records
    reasons: tuple[str, ...]
    settled: bool
    beaten: dict[str, Records]
    in_the_running: tuple[str, ...]
    open_metrics: tuple[Metric, ...]
    about: str

    def table(self, title: str) -> Table:
        """The rows as a table."""
        names = ("metric", "model", "trials", "mu", "interval", "state")
        columns = [Column(name, right=name in {"trials", "mu"}) for name in names]
        return Table(title, columns, [_cells(row) for row in self.rows], [self.about, *self.reasons])


def _cells(row: Mapping[str, Any]) -> list[str]:
    numbers = [f"{row['trials']:.4g}", number(row["mu"]), span(row["lo"], row["hi"])]
    return [row["metric"], row["model"], *numbers, row["state"]]


def look(outcomes: OutcomeSet, declared: Declared, beaten: Mapping[str, Records]) -> Look:
    """Evaluate the present results; ``beaten`` holds the models that were beaten at earlier looks, by metric."""
    results = [_by_metric(metric, outcomes, declared, beaten.get(str(metric), ())) for metric in declared.metrics]
    reasons = tuple(each.reason for each in results if each.reason)
    subject = SUBJECT[declared.target] + (" and runs like these" if declared.runs == RANDOM else "")
    about = f"{100 * declared.looks.confidence:.6g}% intervals for {subject}, difficulties learned"
    return Look(
        rows=[row for each in results for row in each.rows],
        reasons=reasons,
        settled=len(reasons) == len(results),
        beaten={str(metric): each.beaten for metric, each in zip(declared.metrics, results, strict=True)},
        in_the_running=tuple(dict.fromkeys(name for each in results for name in each.running)),
        open_metrics=tuple(metric for metric, each in zip(declared.metrics, results, strict=True) if not each.reason),
        about=f"{about}; {declared.of_interval}",
    )


@dataclass(frozen=True)
class _MetricLook:
    """The results of one metric at one look."""

    rows: Records
    reason: str
    beaten: Records
    running: tuple[str, ...]


def _by_metric(
    metric: Metric, outcomes: OutcomeSet, declared: Declared, beaten: Iterable[Mapping[str, Any]]
) -> _MetricLook:
    about: dict[str, Any] = {"prior": LEARNED, "target": declared.target, "runs": declared.runs}
    intervals = {
        name: metric.interval(matrix, looks=declared.of_interval, **about) for name, matrix in outcomes.items()
    }
    if declared.baseline is not None:
        states, running, lost, reason = _against_baseline(metric, outcomes, declared, declared.baseline)
    elif declared.models > 1:
        states, running, lost, reason = _in_race(metric, outcomes, declared, beaten)
    else:
        states, running, lost, reason = {}, tuple(outcomes), [], ""
    if not reason:
        reason = _narrow(metric, intervals, declared.half_width)
    rows = [
        _row(metric, name, outcomes[name], interval, states.get(name, ""))
        for name, interval in sorted(intervals.items(), key=lambda item: -item[1].mu)
    ]
    return _MetricLook(rows, reason, lost, running)


def _row(metric: Metric, name: str, matrix: OutcomeMatrix, interval: Interval, state: str) -> dict[str, Any]:
    numbers = interval._asdict()
    trials = float(matrix.mean_trials)
    return {
        "metric": str(metric),
        "model": name,
        "trials": trials,
        **numbers,
        "state": state,
        "valid": str(interval.looks),
    }


def _narrow(metric: Metric, intervals: Mapping[str, Interval], half_width: float | None) -> str:
    """Return the reason why the intervals settle the metric, or an empty text if they do not."""
    halves = [(each.hi - each.lo) / 2.0 for each in intervals.values()]
    if half_width is None or not all(0.0 <= half <= half_width for half in halves):  # no number that is not known
        return ""
    return f"{metric} settled: every half-width is at most {max(halves):.4g}, as required ({half_width:g})"


_Standing = tuple[dict[str, str], tuple[str, ...], Records, str]  # states, models in the running, beaten, the reason


def _in_race(
    metric: Metric, outcomes: OutcomeSet, declared: Declared, beaten: Iterable[Mapping[str, Any]]
) -> _Standing:
    contest = standing(
        outcomes.models,
        Contest.of_one(metric, tuple(outcomes.values()), Terms(target=declared.target, runs=declared.runs)),
        declared.of_metric,
        goal=declared.goal,
        within=declared.within,
        beaten=beaten,
        entrants=declared.models,
    )
    states = {name: contest.state_of(name) for name in outcomes}
    settled = contest.settled and len(outcomes) == declared.models
    return states, contest.in_the_running, contest.to_dict()["beaten"], f"{metric} {contest}" if settled else ""


def _against_baseline(metric: Metric, outcomes: OutcomeSet, declared: Declared, baseline: OutcomeMatrix) -> _Standing:
    states = dict.fromkeys(outcomes, "")
    for name, matrix in outcomes.items():
        about: dict[str, Any] = {"prior": LEARNED, "target": declared.target, "runs": declared.runs}
        winner = compare(metric, matrix, baseline, looks=declared.of_interval, **about).winner
        if winner is not None:
            states[name] = "better than the baseline" if winner == "A" else "worse than the baseline"
    running = tuple(name for name, state in states.items() if not state)
    reason = ""
    if not running and len(outcomes) == declared.models:
        reason = f"{metric} settled: " + "; ".join(f"{name} is {state}" for name, state in states.items())
    return states, running or tuple(outcomes), [], reason


@dataclass
class State:
    """What a state file holds: ``settings`` as declared, one entry per look, and models beaten for good."""

    settings: dict[str, Any]
    looks: list[dict[str, Any]] = field(default_factory=list)
    beaten: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    adaptive: bool = False
    models: int = 0

    def is_seen(self, digest: str) -> bool:
        """Whether the last look was at the same data."""
        return bool(self.looks) and self.looks[-1]["data"] == digest

    def check_growth(self, trials: Mapping[str, int], path: Path) -> None:
        """Check that no model has fewer trials than at the last look."""
        before = self.looks[-1]["trials"] if self.looks else {}
        for name, count in before.items():
            if trials.get(name, 0) < count:
                raise OutcomeError(
                    f"model {name!r} has {trials.get(name, 0)} trials, but had {count} at the last look: the logs of "
                    f"these looks must stay where they are. If this is another run, name another file with --state, "
                    f"or delete {path}"
                )

    def save(self, path: Path) -> None:
        """Write the file as a whole, so that a crash leaves the old one or the new one."""
        content = {"scorio_looks": VERSION, **vars(self)}
        with replacing(path, said=False) as unfinished:
            text = json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False)
            unfinished.write_text(text + "\n", encoding="utf-8")


def opened(path: Path, settings: dict[str, Any]) -> State:
    """The state in the file, if it was declared with the same settings; a new one where there is no file."""
    if not path.exists():
        return State(settings)
    state = _loaded(path)
    if not state.looks:
        return State(settings)
    for name in sorted(settings.keys() | state.settings.keys()):
        declared, now = state.settings.get(name), settings.get(name)
        if declared != now:
            option = "--metric" if name == "metrics" else "--" + name.replace("_", "-")
            raise ParameterError(
                f"{option} was {_shown(declared)} at the first look and is {_shown(now)} now: "
                f"{_WHY.get(name, 'settings are declared before the first look')}. Use the declared setting, or begin "
                f"a new run of looks at new trials with another --state file. The looks so far are in {path}"
            )
    return state


def _loaded(path: Path) -> State:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise OutcomeError(f"{path} is not readable as a file of looks: {error}") from None
    if not isinstance(content, dict) or "scorio_looks" not in content:
        raise OutcomeError(f"{path} is not a file of looks: it was not written by scorio watch. Pass another --state")
    if content.pop("scorio_looks") != VERSION:
        raise OutcomeError(f"{path} was written by another version of scorio watch")
    try:
        return State(**content)
    except TypeError:
        raise OutcomeError(f"{path} is not a complete file of looks") from None


def _shown(value: Any) -> str:
    if value is None:
        return "not given"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def digest(outcomes: OutcomeSet) -> str:
    """A fingerprint of all counts: the same data are the same look, in whatever order files are read."""
    hasher = hashlib.sha256()
    for name in sorted(outcomes):
        matrix = outcomes[name]
        labels = list(map(str, matrix.questions or range(matrix.n_questions)))
        order = np.argsort(np.array(labels), kind="stable")
        levels = () if isinstance(matrix, RewardMatrix) else matrix.levels
        hasher.update(json.dumps([name, [labels[i] for i in order], levels]).encode())
        if isinstance(matrix, RewardMatrix):
            hasher.update(np.array([matrix.trials, matrix.means, matrix.variances])[:, order].round(12).tobytes())
        else:
            hasher.update(np.ascontiguousarray(matrix.counts[order], dtype=np.int64).tobytes())
    return hasher.hexdigest()[:16]


def state_path(source: str) -> Path:
    """Where the looks at these logs are kept by default: beside them."""
    path = Path(source)
    name = path.name or path.resolve().name
    if any(letter in name for letter in "*?["):
        raise ParameterError("name the file of looks with --state when logs are given by a pattern")
    return path.resolve().parent / f"{name}.looks.json"
