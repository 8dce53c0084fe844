"""The contracts of metrics and formats, as test suites for your own: ``check_metric(MyMetric(k=3))``."""

from __future__ import annotations

import copy
import os
import pickle
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from ._base.choices import SHAPES_OF_ALL_METRICS, TARGETS, UNIFORM
from .errors import OutcomeError, ParameterError
from .inference import Interval
from .io import Format, LogFile, read
from .io._outcome_table import question_trials
from .io._sources import expand
from .metrics import Metric
from .outcomes import OutcomeMatrix
from .outcomes._column_names import ROLES, SEVERAL
from .params import generator

__all__ = ["check_format", "check_metric"]

_CODES = 6  # of trials that have a right or wrong outcome, an answer and a score
_MANY = 200_000  # trials per question at which score and posterior mean must agree
_Files = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
_Truth = Mapping[str, Mapping[str, Sequence[float | None]]]
_OPTIONS = {"score", "filter", "grade", "levels", "answers", "scores", "table", "query", *ROLES, *SEVERAL}
_FOREIGN = {
    "object.json": "{}",
    "nested.json": '[{"a": {"b": []}}]',
    "lines.jsonl": '{"a": 1}\n{"a": 2}\n',
    "table.csv": "question,correct\nq1,1\n",
    "words.txt": "just words\n",
    "bytes.bin": "\0\1\2",
}  # files that are not of the format


def check_metric(metric: Metric, *, rng: int | np.random.Generator | None = 0) -> None:
    """Raise an AssertionError that names the part of the contract that ``metric`` breaks.

    Outcomes are binary unless the metric takes rewards and has weights for more categories. The score of a metric
    whose ``is_mean_over_questions`` is False may differ from the mean over questions.

    >>> from scorio import PassAtK
    >>> check_metric(PassAtK(k=3))
    """
    if not isinstance(metric, Metric):
        raise AssertionError(f"check_metric takes a Metric; got {metric!r}")  # noqa: TRY004 - part of the contract
    contracts = [contract for name, contract in vars(_Contract).items() if not name.startswith("_")]
    for outcomes, contract in product(_outcomes_for(metric, generator(rng)), contracts):
        words = str(contract.__doc__).rstrip(".")
        try:
            kept = contract(outcomes)
        except Exception as error:
            raise AssertionError(f"{metric!r}: {words}: raised {error!r}") from error
        if not kept:
            raise AssertionError(f"{metric!r} does not keep the contract: {words}")


def _outcomes_for(metric: Metric, rng: np.random.Generator) -> Iterator[_Contract]:
    width = _categories(metric)
    trials = max(metric.required_trials, 3) + 2
    rates = rng.dirichlet(np.full(width, 0.7), size=7)
    table = np.array([rng.choice(width, size=trials, p=rate) for rate in rates])
    table[0], table[1] = width - 1, 0
    yield _Contract(metric, table, rng)
    yield _Contract(metric, np.vstack([table[2:3], np.full((1, trials), width - 1)]), rng)


def _categories(metric: Metric) -> int:
    if metric.is_of_samples:
        return _CODES
    weights = getattr(metric, "weights", None)
    weights = getattr(weights, "weights", weights)
    return len(weights) if metric.takes_rewards and weights is not None else 2


def _close(one: Any, other: Any, tolerance: float = 1e-9) -> bool:
    return bool(np.allclose(one, other, rtol=tolerance, atol=tolerance))


def _raises(kinds: type[Exception] | tuple[type[Exception], ...], call: Callable[[], Any]) -> bool:
    try:
        call()
    except ValueError as error:
        return isinstance(error, kinds)
    return False


@dataclass(frozen=True)
class _Contract:
    """A metric with outcomes for a test, and what must hold of them: every public method."""

    metric: Metric
    table: np.ndarray[Any, Any]
    rng: np.random.Generator

    @property
    def _outcomes(self) -> OutcomeMatrix:
        return self._matrix(self.table)

    def _plain(self, R: OutcomeMatrix) -> Interval:
        return self.metric.interval(R, prior=UNIFORM)

    def _matrix(self, table: Any) -> OutcomeMatrix:
        if not self.metric.is_of_samples:
            return OutcomeMatrix(table)
        rows = [np.asarray(row) for row in table]  # of codes: an outcome with an answer and a score
        answers, scores = [(row // 2).tolist() for row in rows], [(row * 5 % 4).tolist() for row in rows]
        outcomes = [(row % 2).tolist() for row in rows]
        return OutcomeMatrix(outcomes, answers=answers, scores={"score": scores})

    def deterministic(self) -> bool:
        """The same outcomes give the same score and interval, bit for bit."""
        one, again = ((self.metric.score(R), *self._plain(R)) for R in (self._outcomes, self._outcomes))
        return one == again

    def within_its_range(self) -> bool:
        """Score, posterior mean and interval lie within the metric's range, and the interval is not inverted."""
        metric, R = self.metric, self._outcomes
        low, high = metric.support(R)
        mu, sigma, lo, hi = self._plain(R)
        slack = 1e-12 * max(1.0, abs(low), abs(high))
        inside = all(low - slack <= value <= high + slack for value in (metric.score(R), mu, lo, hi))
        return inside and lo <= hi and sigma >= 0.0

    def questions_have_no_order(self) -> bool:
        """The order of questions does not matter to the score and interval, and per_question follows it."""
        metric, order = self.metric, self.rng.permutation(len(self.table))
        R, shuffled = self._outcomes, self._matrix(self.table[order])
        same = _close(metric.score(R), metric.score(shuffled)) and _close(self._plain(R), self._plain(shuffled))
        return same and _close(metric.per_question(R)[order], metric.per_question(shuffled))

    def trials_have_no_order(self) -> bool:
        """The order of a question's trials does not matter."""
        shuffled = self._matrix(self.rng.permuted(self.table, axis=1))
        return _close(self.metric.score(self._outcomes), self.metric.score(shuffled))

    def each_question_alone(self) -> bool:
        """per_question and moments agree with the score and interval of each question alone."""
        metric, R = self.metric, self._outcomes
        alone = [self._matrix(row[None]) for row in self.table]
        plain = [self._plain(one) for one in alone]
        moments = [interval.mu for interval in plain], [interval.sigma**2 for interval in plain]
        scores = [metric.score(one) for one in alone]
        return _close(metric.per_question(R), scores) and _close(metric.moments(R), moments)

    def ragged_rows_average(self) -> bool:
        """With different numbers of trials, the score is the mean of the questions' own scores."""
        metric = self.metric
        if not metric.is_mean_over_questions:
            return True
        extra = self.table.max() + 0 * self.table[0]
        rows = [list(row) + list(extra[: a % 3]) for a, row in enumerate(self.table)]
        ragged = self._matrix(rows)
        return _close(metric.score(ragged), np.mean([metric.score(self._matrix([row])) for row in rows]))

    def copies_change_nothing_but_sigma(self) -> bool:
        """Four copies of every question leave score and mean unchanged, and halve sigma."""
        metric, R, fourfold = self.metric, self._outcomes, self._matrix(np.tile(self.table, (4, 1)))
        one, four = self._plain(R), self._plain(fourfold)
        moments = (one.mu, one.sigma / 2), (four.mu, four.sigma)
        return _close(metric.score(R), metric.score(fourfold)) and _close(*moments)

    def many_trials_agree(self) -> bool:
        """With very many trials the score and the posterior mean agree, and sigma is nearly 0."""
        if self.metric.is_of_samples:  # copies of trials are not counted, and so many take long
            return True
        factor = -(-_MANY // self.table.shape[1])
        plenty = OutcomeMatrix.from_counts(self._outcomes.counts * factor)
        interval, (low, high) = self._plain(plenty), self.metric.support(plenty)
        size = max(high - low, 1e-12)
        return abs(interval.mu - self.metric.score(plenty)) <= 0.01 * size and interval.sigma <= 0.02 * size

    def more_confidence_is_wider(self) -> bool:
        """An interval with more confidence contains the one with less."""
        narrow, wide = (
            self.metric.interval(self._outcomes, confidence, prior=UNIFORM, bounds=None) for confidence in (0.5, 0.99)
        )
        certain = narrow.sigma <= 1e-9 * max(1.0, abs(narrow.mu))
        return wide.lo <= narrow.lo <= narrow.hi <= wide.hi and (certain or wide.hi - wide.lo > narrow.hi - narrow.lo)

    def curve_of_scores(self) -> bool:
        """For a metric with a budget k, the curve at k is the score."""
        metric, R = self.metric, self._outcomes
        if metric.draw_size is None:
            return True
        curve = metric.curve(R, [metric.draw_size])
        return np.shape(curve) == (1,) and _close(curve, metric.score(R))

    def covariance_with_itself(self) -> bool:
        """cov(metric, R) with itself is sigma squared."""
        return _close(self.metric.cov(self.metric, self._outcomes), self._plain(self._outcomes).sigma ** 2)

    def equal_copies(self) -> bool:
        """Copies by pickle, by copy and from get_params are equal, with the same hash."""
        metric = self.metric
        copies = [pickle.loads(pickle.dumps(metric)), copy.copy(metric), type(metric)(**metric.get_params())]  # noqa: S301
        return all(twin == metric and hash(twin) == hash(metric) for twin in copies)

    def short_rows(self) -> bool:
        """Questions with too few trials raise, give NaN or are omitted; a count metric still has an interval."""
        metric = self.metric
        if metric.required_trials < 2:
            return True
        rows = self.table[:, : metric.required_trials - 1]
        few, mixed = self._matrix(rows), self._matrix([list(self.table[0]), *rows[1:].tolist()])
        if metric.is_of_samples:  # what more trials would say is not known
            foretells = _raises(OutcomeError, lambda: metric.interval(few))
        else:
            foretells = bool(np.isfinite(metric.interval(few, prior=UNIFORM).mu))
        return (
            foretells
            and _raises(OutcomeError, lambda: metric.score(few))
            and bool(np.isnan(metric.score(mixed, too_few="nan")))
            and _close(metric.score(mixed, too_few="omit"), metric.score(self._matrix(self.table[:1])))
        )

    def bad_arguments(self) -> bool:
        """An invalid confidence, prior, bounds or too_few is a ValueError, as are invalid outcomes."""
        metric, R = self.metric, self._outcomes
        calls: list[Callable[[], Any]] = [
            lambda: metric.interval(R, 1.0),
            lambda: metric.interval(R, prior=(0.0, 1.0)),
            lambda: metric.interval(R, prior="no such prior"),
            lambda: metric.interval(R, bounds=(1.0, 0.0)),
            lambda: metric.score(R, too_few="no such rule"),
            lambda: metric.score([[0.5, 1.0]]),
            lambda: metric.score([]),
        ]
        return all(_raises((ParameterError, OutcomeError), call) for call in calls)

    def every_interval(self) -> bool:
        """For binary outcomes, intervals of every shape, prior and target lie within the range."""
        metric, R = self.metric, self._outcomes
        if not R.has_two_categories:
            return True
        low, high = metric.support(R)
        priors = ("learned",) if metric.is_of_samples else ("jeffreys", "learned")
        intervals = [
            metric.interval(R, shape=shape, prior=prior, target=target)
            for shape, prior, target in product(SHAPES_OF_ALL_METRICS, priors, TARGETS)
        ]
        return all(low <= interval.lo <= interval.hi <= high and np.isfinite(interval.sigma) for interval in intervals)


def check_format(format: Format, files: _Files, truth: _Truth) -> None:
    r"""Raise an AssertionError that names the rule of :class:`scorio.io.Format` that a format breaks.

    Parameters
    ----------
    format
        An instance of the format.
    files
        Valid files of the format that can be read without further arguments: a path, a glob, a folder, or several.
    truth
        The rewards that the files hold, as in ``{"model": {"question": [1.0, 0.0, None]}}``: one entry per planned
        trial in any order, and None for a trial without an outcome.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from scorio.io import Format, Run, Trial, lines_with
    >>> from scorio.testing import check_format
    >>> class LinesFormat(Format):
    ...     name = "lines"
    ...     layouts = (lines_with("ask", "good"),)
    ...
    ...     def read(self, file, request):
    ...         return Run("", [Trial(row["ask"].text, None, row["good"].to(request.outcome)) for row in file.walk()])
    >>> path = pathlib.Path(tempfile.mkdtemp(), "m.jsonl")
    >>> _ = path.write_text('{"ask": "q1", "good": true}\n{"ask": "q1", "good": false}\n')
    >>> check_format(LinesFormat(), path, {"m": {"q1": [1.0, 0.0]}})

    """
    if not isinstance(format, Format):
        raise AssertionError(f"check_format takes an instance of scorio.io.Format; got {format!r}")  # noqa: TRY004
    with _rule(format, "the format has a name, and its options are arguments of read or roles of fields"):
        _require(isinstance(format.name, str) and bool(format.name.strip()) and format.options <= _OPTIONS)
    with _rule(format, "every file matches, or is a companion"):
        every = [LogFile(path) for path in expand(files)]
        logs = [file.path for file in every if (file.is_json or not format.is_json) and format.matches(file)]
        others = [file for file in every if file.path not in logs]
        _require(all(any(companion.matches(file) for companion in format.companions) for file in others))
    with _rule(format, "files of other kinds do not match"), tempfile.TemporaryDirectory() as folder:
        for name, content in _FOREIGN.items():
            Path(folder, name).write_text(content, encoding="utf-8")
        _require(format.is_generic or not any(map(format.matches, map(LogFile, Path(folder).iterdir()))))
    with _rule(format, "the outcomes are the truth, in any order of the files"):
        expected = {
            model: {question: Counter(rewards) for question, rewards in questions.items()}
            for model, questions in truth.items()
        }
        for in_order in (logs, logs[::-1]):
            outcomes = read(in_order, format=format)
            trials = {
                model: {row.question: Counter(row.outcomes) for row in question_trials(matrix, model) if row.outcomes}
                for model, matrix in outcomes.items()
            }
            _require(trials == expected, f"read {trials}, expected {expected}")


@contextmanager
def _rule(form: Format, rule: str) -> Iterator[None]:
    """Name the format and the rule in an error for whatever happens."""
    try:
        yield
    except Exception as error:
        name = getattr(form, "name", type(form).__name__)
        raise AssertionError(f"{name}: {rule}: {error!r}") from error


def _require(is_kept: bool, otherwise: str = "it does not hold") -> None:
    if not is_kept:
        raise AssertionError(otherwise)
