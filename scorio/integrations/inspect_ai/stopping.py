"""Early stopping: a task ends when its answer is clear, for all remaining epochs at once.

Inspect schedules epoch by epoch: every sample once, then every sample again. So an epoch is a round. As many samples
run at the same time as ``max_samples`` allows; keep it at or below the number of samples, so that at most one more
round has begun when the task stops.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSpec
from inspect_ai.scorer import SampleScore, ValueToFloat, value_to_float
from inspect_ai.util import EarlyStop

from ... import metrics as ours
from ...errors import OutcomeError, ParameterError
from ...inference import Looks
from .._stopping import Rule, Verdict

MANAGER = "scorio"


def stop_when(
    metric: ours.Metric | str,
    *,
    half_width: float | None = None,
    baseline: Any = None,
    looks: Looks | None = None,
    scorer: str | None = None,
    to_float: ValueToFloat | None = None,
    success: float = 1.0,
    levels: Sequence[float] = (),
    min_rounds: int = 2,
) -> Stopper:
    """Stop a task when the interval is narrow enough, or the model is settled against a baseline.

    Pass the result as ``Task(..., epochs=64, early_stopping=stop_when("pass@1", half_width=0.02))``. After every
    complete round of epochs the results are looked at; the interval and the comparison are valid at every look. Once
    one of the conditions holds, all remaining epochs of all samples are skipped. Why is written into the log.

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
    if isinstance(baseline, (str, Path)):
        baseline = _read(baseline)
    rule = Rule(metric, half_width, baseline, looks, success, levels, min_rounds)
    return Stopper(rule, scorer, to_float or value_to_float())


def _read(path: str | Path) -> Any:
    from ...io import read

    models = read(path)
    if len(models) != 1:
        raise ParameterError(f"the baseline {str(path)!r} holds {len(models)} models: {', '.join(models)}; pass one")
    return next(iter(models.values()))


class Stopper:
    """An early stopping manager of Inspect; ``stop_when`` makes it."""

    def __init__(self, rule: Rule, scorer: str | None, to_float: ValueToFloat) -> None:
        self.rule: Rule = rule
        self._scorer, self._to_float = scorer, to_float
        self._planned = self._run = self._skipped = 0
        self._verdict: Verdict | None = None

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:  # noqa: ARG002 - protocol
        """Register the samples."""
        self.rule.start([_label(sample.id) for sample in samples], epochs)
        self._planned, self._run, self._skipped = epochs, 0, 0
        self._verdict = None
        return MANAGER

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:  # noqa: A002 - protocol
        """Skip the epoch if the answer is clear."""
        if self._verdict is None or not self._verdict.reason:
            return None
        self._skipped += 1
        return EarlyStop(id=id, epoch=epoch, reason=self._verdict.reason, metadata=self._verdict.to_dict())

    async def complete_sample(self, id: str | int, epoch: int, scores: dict[str, SampleScore]) -> None:  # noqa: A002
        """Record the score, and look at the results when it completes a round."""
        self._run += 1
        if self._verdict is not None and self._verdict.reason:
            return
        verdict = self.rule.add(_label(id), epoch, self._value(scores))
        self._verdict = verdict or self._verdict

    async def complete_task(self) -> dict[str, Any]:
        """Say what was stopped and why."""
        reason = self._verdict.reason if self._verdict else ""
        return {
            "metric": str(self.rule.metric),
            "half_width": self.rule.half_width,
            "baseline": self.rule.baseline is not None,
            "looks": str(self.rule.looks),
            "confidence": self.rule.looks.confidence,
            "stopped": bool(reason),
            "reason": reason or self._why_not(),
            "epochs_planned": self._planned,
            "trials_run": self._run,
            "trials_not_run": self._skipped,
            "look": self._verdict.to_dict() if self._verdict else None,
        }

    def _why_not(self) -> str:
        if self.rule.half_width is None and self.rule.baseline is None:
            return "no condition to stop was given"
        if self._verdict is None:
            return f"only {self.rule.rounds} rounds were complete: some sample has no score in the others"
        return "the answer was not clear before all epochs were run"

    def _value(self, scores: dict[str, SampleScore]) -> float:
        if not scores:
            return math.nan
        if self._scorer is None and len(scores) > 1:
            raise OutcomeError(f"the task has several scores ({', '.join(scores)}): pass scorer= to stop_when")
        name = next(iter(scores)) if self._scorer is None else self._scorer
        if name not in scores:
            raise OutcomeError(f"no score is called {name!r}; there are {', '.join(scores)}")
        return float(self._to_float(scores[name].score.value))


def _label(sample: str | int | None) -> str:
    return str(sample)
