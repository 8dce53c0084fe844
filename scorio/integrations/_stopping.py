"""When a run in rounds has said enough: the decision, apart from any tool."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..comparison import compare
from ..errors import OutcomeError, ParameterError
from ..inference import LEARNED, Looks
from ..metrics import Metric, as_metric
from ..outcomes import OutcomeMatrix, as_outcomes
from ..params import count, positive
from ._measure import Measure

NAMES = ("this run", "the baseline")


@dataclass(frozen=True)
class Verdict:
    """What a look found: the interval, and the reason to stop, empty as long as there is none."""

    rounds: int
    value: float
    lo: float
    hi: float
    difference: float | None = None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The numbers, for a log."""
        return {name: value for name, value in asdict(self).items() if name != "reason" and value is not None}


class Rule:
    """Stop when the interval is narrow enough, or when the run is better or worse than a baseline.

    A look is taken after every complete round, a round being one more trial of every question. All intervals and calls
    are those of ``looks`` with ``prior="learned"``, so they hold although the run may stop at any of them.
    """

    def __init__(
        self,
        metric: Metric | str,
        half_width: float | None = None,
        baseline: Any = None,
        looks: Looks | None = None,
        success: float = 1.0,
        levels: Sequence[float] = (),
        min_rounds: int = 2,
    ) -> None:
        self.metric: Metric = as_metric(metric)
        self.half_width: float | None = None if half_width is None else float(positive("half_width", half_width))
        self.baseline: OutcomeMatrix | None = None if baseline is None else as_outcomes(baseline)
        self.declared = looks
        self.min_rounds: int = count("min_rounds", min_rounds)
        self._measure = Measure(self.metric, success, levels)
        self.start((), 1)

    def start(self, questions: Sequence[Hashable], planned: int) -> None:
        """Begin a run; without looks, the planned trials per question are the budget."""
        self.looks: Looks = self.declared or Looks(trials=planned)
        self._trials: dict[Hashable, dict[int, float]] = {question: {} for question in questions}
        self._seen = 0
        if self.looks.trials is not None and self.looks.trials < planned:
            raise ParameterError(
                f"the looks were declared for {self.looks.trials:g} trials per question, but {planned} are planned"
            )
        theirs = None if self.baseline is None else self.baseline.questions
        self._by_label = theirs is not None
        apart = set(map(str, questions)) ^ set(map(str, theirs or ()))
        if theirs is not None and questions and apart:
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
        rounds = self.rounds
        present = [[value for _, value in sorted(trials.items())[:rounds]] for trials in self._trials.values()]
        labels = list(map(str, self._trials)) if self._by_label else None
        outcomes = self._measure.outcomes(present, 0, questions=labels)
        interval = self.metric.interval(outcomes, prior=LEARNED, looks=self.looks)
        verdict = Verdict(rounds, interval.mu, interval.lo, interval.hi)
        half = (interval.hi - interval.lo) / 2.0
        if self.half_width is not None and 0.0 <= half <= self.half_width:
            reason = f"{self.metric} is known to +-{half:.4g}, and +-{self.half_width:g} was asked"
            return replace(verdict, reason=f"{reason}, after {rounds} rounds")
        return verdict if self.baseline is None else self._against(self.baseline, verdict, outcomes)

    def _against(self, baseline: OutcomeMatrix, verdict: Verdict, outcomes: OutcomeMatrix) -> Verdict:
        comparison = compare(
            self.metric, outcomes, baseline, target="questions", prior=LEARNED, looks=self.looks, names=NAMES
        )
        verdict = replace(verdict, difference=comparison.difference)
        if comparison.winner is None:
            return verdict
        word = "better" if comparison.winner == NAMES[0] else "worse"
        by = f"by {abs(comparison.difference):.4g} on {self.metric}, after {verdict.rounds} rounds"
        return replace(verdict, reason=f"this run is {word} than the baseline {by}")
