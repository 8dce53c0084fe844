"""Early stopping in Inspect: a task ends when its answer is clear, for all remaining epochs at once.

Inspect schedules epoch by epoch: every sample once, then every sample again. So an epoch is a round. As many samples
run at the same time as ``max_samples`` allows; keep it at or below the number of samples, so that at most one more
round has begun when the task stops.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack

from .._base.choices import LEARNED
from .._base.options import accepted, takes
from ..comparison import compare
from ..errors import OutcomeError, ParameterError
from ..inference import Looks
from ..metrics import Metric
from ..metrics._registry import as_metric
from ..outcomes import OutcomeMatrix, as_outcomes
from ..params import count, positive
from ._measure import Measure

if TYPE_CHECKING:
    from inspect_ai.util import EarlyStop

_NAMES = ("this run", "the baseline")


class Verdict(NamedTuple):
    """What a look found: the interval, and the reason to stop, empty as long as there is none."""

    rounds: int
    value: float
    lo: float
    hi: float
    difference: float | None = None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The numbers, for a log."""
        return {name: value for name, value in self._asdict().items() if name != "reason" and value is not None}


class GradeOptions(TypedDict, total=False):
    """How a grade becomes an outcome."""

    scorer: str | None
    to_float: Callable[[Any], float] | None
    success: float
    levels: Sequence[float]


class StopWhen:
    """Stop a task when the interval is narrow enough, or the model is settled against a baseline.

    Pass it as ``Task(..., epochs=64, early_stopping=StopWhen("pass@1", half_width=0.02))``. After every complete round
    of epochs the results are looked at; the interval and the comparison have ``prior="learned"``, and are valid at
    every look. Once one of the conditions holds, all remaining epochs of all samples are skipped. Why is written into
    the log.

    - ``half_width``: the half-width of the interval at which the answer is precise enough.
    - ``baseline``: outcomes of another model on the same samples, or the path of its logs. The task stops when its
      model is better or worse on these samples.
    - ``looks``: by default ``Looks(trials=epochs)`` with a confidence of 0.95.
    - ``scorer``: which score counts, where the task has several.
    - ``to_float``, ``success``, ``levels``: as for the metrics of this integration.
    - ``min_rounds``: the number of rounds before the first look.

    With neither ``half_width`` nor ``baseline`` nothing is ever stopped, so that a task argument can switch it on:
    ``def my_task(half_width: float | None = None)`` and ``inspect eval my_task.py -T half_width=0.02``.
    """

    @takes(GradeOptions, Measure)
    def __init__(
        self,
        metric: Metric | str,
        *,
        half_width: float | None = None,
        baseline: Any = None,
        looks: Looks | None = None,
        min_rounds: int = 2,
        **options: Unpack[GradeOptions],
    ) -> None:
        grade = accepted(options, StopWhen.__init__)
        self.metric: Metric = as_metric(metric)
        self.half_width: float | None = None if half_width is None else float(positive("half_width", half_width))
        if isinstance(baseline, (str, Path)):
            baseline = _read(baseline)
        self.baseline: OutcomeMatrix | None = None if baseline is None else as_outcomes(baseline)
        self.declared: Looks | None = looks
        self.min_rounds: int = count("min_rounds", min_rounds)
        self._scorer, self._to_float = grade.get("scorer"), grade.get("to_float")
        self._measure = Measure(self.metric, grade.get("success", 1.0), grade.get("levels", ()))
        self.start((), 1)

    # The decision, apart from the tool.

    def start(self, questions: Sequence[Hashable], planned: int) -> None:
        """Begin a run; without looks, the planned trials per question are the budget."""
        self.looks: Looks = self.declared or Looks(trials=planned)
        self._trials: dict[Hashable, dict[int, float]] = {question: {} for question in questions}
        self._planned, self._run, self._skipped, self._seen = planned, 0, 0, 0
        self._verdict: Verdict | None = None
        if self.looks.trials is not None and self.looks.trials < planned:
            raise ParameterError(
                f"the looks were declared for {self.looks.trials:g} trials per question, but {planned} are planned"
            )
        apart = set(map(str, questions)) ^ set(map(str, self._labels or questions))
        if questions and apart:
            named = ", ".join(sorted(apart)[:5])
            raise OutcomeError(f"the baseline has other questions than this run: {named} occur in one of the two only")

    def add(self, question: Hashable, trial: int, value: float) -> Verdict | None:
        """Record a trial; at the end of a round, return the verdict of a look. A NaN is no trial."""
        if not math.isnan(value):
            self._trials[question][trial] = value
        rounds = self.rounds
        if rounds <= self._seen or rounds < self.min_rounds:
            return None
        self._seen = rounds
        return self.look()

    @property
    def rounds(self) -> int:
        """Complete rounds: the fewest trials of any question."""
        return min(map(len, self._trials.values()), default=0)

    def look(self) -> Verdict:
        """Judge the complete rounds: the first trials of each question, as many as every question has."""
        rounds, difference, reason = self.rounds, None, ""
        present = [[value for _, value in sorted(trials.items())[:rounds]] for trials in self._trials.values()]
        outcomes = self._measure.outcomes(present, 0, questions=self._labels and list(map(str, self._trials)))
        about: dict[str, Any] = {"prior": LEARNED, "looks": self.looks}
        interval = self.metric.interval(outcomes, **about)
        half = (interval.hi - interval.lo) / 2.0
        if self.half_width is not None and 0.0 <= half <= self.half_width:
            reason = f"{self.metric} is known to +-{half:.4g}, and +-{self.half_width:g} was asked"
        elif self.baseline is not None:
            comparison = compare(self.metric, outcomes, self.baseline, target="questions", names=_NAMES, **about)
            difference = comparison.difference
            if comparison.winner is not None:
                word = "better" if comparison.winner == _NAMES[0] else "worse"
                reason = f"this run is {word} than the baseline by {abs(difference):.4g} on {self.metric}"
        reason += f", after {rounds} rounds" if reason else ""
        return Verdict(rounds, interval.mu, interval.lo, interval.hi, difference, reason)

    @property
    def _labels(self) -> Sequence[Hashable] | None:
        """The questions of the baseline, if it names them."""
        return None if self.baseline is None else self.baseline.questions

    # What Inspect calls.

    async def start_task(self, task: Any, samples: Sequence[Any], epochs: int) -> str:  # noqa: ARG002 - protocol
        """Register the samples."""
        self.start([str(sample.id) for sample in samples], epochs)
        return "scorio"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:  # noqa: A002 - protocol
        """Skip the epoch if the answer is clear."""
        from inspect_ai.util import EarlyStop

        if self._verdict is None or not self._verdict.reason:
            return None
        self._skipped += 1
        return EarlyStop(id=id, epoch=epoch, reason=self._verdict.reason, metadata=self._verdict.to_dict())

    async def complete_sample(self, id: str | int, epoch: int, scores: dict[str, Any]) -> None:  # noqa: A002 - protocol
        """Record the score, and look at the results when it completes a round."""
        self._run += 1
        if self._verdict is None or not self._verdict.reason:
            self._verdict = self.add(str(id), epoch, self._value(scores)) or self._verdict

    async def complete_task(self) -> dict[str, Any]:
        """Say what was stopped and why."""
        reason = self._verdict.reason if self._verdict else ""
        return {
            "metric": str(self.metric),
            "half_width": self.half_width,
            "baseline": self.baseline is not None,
            "looks": str(self.looks),
            "confidence": self.looks.confidence,
            "stopped": bool(reason),
            "reason": reason or self._why_not(),
            "epochs_planned": self._planned,
            "trials_run": self._run,
            "trials_not_run": self._skipped,
            "look": self._verdict.to_dict() if self._verdict else None,
        }

    def _why_not(self) -> str:
        if self.half_width is None and self.baseline is None:
            return "no condition to stop was given"
        if self._verdict is None:
            return f"only {self.rounds} rounds were complete: some sample has no score in the others"
        return "the answer was not clear before all epochs were run"

    def _value(self, scores: dict[str, Any]) -> float:
        """Return the reward of a sample; without a function of the user, Inspect reads it."""
        from inspect_ai.scorer import value_to_float

        if not scores:
            return math.nan
        if self._scorer is None and len(scores) > 1:
            raise OutcomeError(f"the task has several scores ({', '.join(scores)}): pass scorer= to StopWhen")
        name = next(iter(scores)) if self._scorer is None else self._scorer
        if name not in scores:
            raise OutcomeError(f"no score is called {name!r}; there are {', '.join(scores)}")
        return float((self._to_float or value_to_float())(scores[name].score.value))


def _read(path: str | Path) -> Any:
    from ..io import read

    models = read(path)
    if len(models) != 1:
        raise ParameterError(f"the baseline {str(path)!r} holds {len(models)} models: {', '.join(models)}; pass one")
    return next(iter(models.values()))
