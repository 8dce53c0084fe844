"""The estimate of a mean over questions from some labelled questions and a prediction for all of them.

Every question ``i`` of ``M`` has a prediction ``F_i``; the labelled ones, a random sample of ``n``, also have a value
``Y_i``. With ``e_i = Y_i - lam_i (F_i - mean(F))`` and weights ``w_i`` that sum to 1 (``1/n``, or proportional to
``1/pi_i`` for labels drawn with known probabilities ``pi_i``),

    theta = sum_i w_i e_i,                   these questions: V = n/(n-1) sum_i (1 - pi_i) w_i^2 (e_i - theta)^2

With one ``lam`` this is ``lam mean(F) + mean_labelled(Y - lam F)``, whose mean over all samples is the mean of ``Y``,
whatever the predictions are. Written with the mean over the unlabelled questions only, it is the same family: that
form has the weight ``lam (1 - n/M)``. For the population, the variance is that of cluster sums of
``lam (F_i - mean(F))/M + w_i (e_i - theta)``. Without clusters it is, up to factors ``1 + O(1/M)``, the sum
``l^2 s^2(F)/(M - n) + s^2(Y - l F)/n`` with ``l = lam (1 - n/M)``.

Questions may be drawn within strata ``h``: ``n_h`` of ``M_h`` at random, so ``w_i = M_h/M/n_h``. Then ``F_i`` is
taken from its mean in the stratum and ``e_i`` from theirs, ``n_h/(n_h-1)`` stands for ``n/(n-1)``, and the degrees of
freedom are Satterthwaite's. ``theta`` is unbiased, whatever the predictions and the strata are: exactly for a given
``lam``, and for an estimated one because each question's ``F_i`` is then taken from the mean of the questions of its
stratum that the others in the sample left over.

The optimum of ``lam`` for both targets is the slope of ``Y`` on ``F``. It is computed for each labelled question from
the other ones (or the other clusters), so that no question decides on its own weight.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from .._base.arrays import Indices, Vector
from .._base.choices import CATEGORICAL, CONTINUOUS
from .._base.words import pluralize
from ..errors import OutcomeError, within
from ..inference._interval import Bounds
from ..inference._level import satterthwaite
from ..metrics import Metric
from ..metrics._shared_prior import groups
from ..outcomes import OutcomeMatrix, as_outcomes
from ._question_sample import QuestionSample, names_of, places_of
from ._trial_noise import check_metric, question_values, trial_variances

LABELS, ASKED = "labels", "asked"  # what values are: of labelled questions, or of those asked
MANY = 100  # labelled questions from which on the weight of the predictions is estimated
FEW_DISAGREEMENTS = 10  # below these, one more is assumed: see ``_unseen``
BELOW, ABOVE = -1, 1
_ROUNDING = 1e-12  # smaller differences are none
_AT_LEAST = 2  # labelled questions, to estimate a variance


@dataclass(frozen=True, eq=False)
class Units:
    """The values of questions: ``predicted`` for all (M,), and for the labelled ones ``value``, ``place``, and so on.

    ``place`` is the position of each labelled question; ``chance`` is the probability with which each was labelled;
    ``noise`` is the variance of the value over trials; ``group`` and ``stratum`` number the cluster and the stratum of
    each of all questions; ``bounds`` are those of the mean. ``has_whole_clusters`` says that clusters were labelled,
    not questions. ``rewards`` and ``source`` are as in ``RectifiedInterval``.
    """

    predicted: Vector
    value: Vector
    place: Indices
    chance: Vector
    noise: Vector
    group: Indices
    stratum: Indices
    bounds: Bounds
    rewards: str
    source: str
    has_whole_clusters: bool = False

    @property
    def weight(self) -> Vector:
        """The weight of each labelled question; all sum to 1."""
        return np.asarray(1.0 / self.chance / np.sum(1.0 / self.chance))

    @property
    def width(self) -> float:
        """The largest possible disagreement, that of the values where there are no bounds."""
        width = self.bounds[1] - self.bounds[0]
        return width if np.isfinite(width) else float(np.ptp(np.concatenate([self.predicted, self.value])))

    @property
    def labelled_group(self) -> Indices:
        """The cluster of each labelled question."""
        return self.group[self.place]

    def __sub__(self, other: "Units") -> "Units":
        """Return the units of the difference of two models with the same labelled questions."""
        order = {place: i for i, place in enumerate(other.place.tolist())}
        if set(order) != set(self.place.tolist()):
            hint = "label the same questions of both, so that their difficulty cancels"
            raise OutcomeError("the two models have different labelled questions", hint=hint)
        again = np.array([order[place] for place in self.place.tolist()])
        return replace(
            self,
            predicted=self.predicted - other.predicted,
            value=self.value - other.value[again],
            noise=self.noise + other.noise[again],
            bounds=(self.bounds[0] - other.bounds[1], self.bounds[1] - other.bounds[0]),
        )


def _labelled_places(judged: OutcomeMatrix, human: OutcomeMatrix) -> tuple[Indices, Indices]:
    """Return the places of the labelled questions among those of people and all questions: by label, else by place."""
    asked = np.flatnonzero(human.trials > 0)
    if human.questions is not None:
        names, problem = [human.questions[i] for i in asked], "human has questions that the other outcomes lack:"
        hint = "question labels must be the same in both; without labels, questions are numbered"
        place = places_of(names, names_of(judged), problem, hint=hint)
    elif human.n_questions == judged.n_questions:
        place = asked
    else:
        raise OutcomeError(
            f"human has {pluralize(human.n_questions, 'question')} and the other outcomes have {judged.n_questions}, "
            "and nothing says which is which",
            hint="pass question labels, as in OutcomeMatrix(R, questions=[..]), or a row of None per unlabelled "
            'question with missing="omit"',
        )
    if len(place) < _AT_LEAST:
        raise OutcomeError(f"human covers {pluralize(len(place), 'question')}; at least {_AT_LEAST} are needed")
    return asked, place


def judged_units(metric: Metric, judged: Any, human: Any) -> Units:
    """Return the units of one model: values by people, predictions by the judge."""
    check_metric(metric)
    judge, people = as_outcomes(judged), as_outcomes(human)
    asked, place = _labelled_places(judge, people)
    some = people.reordered(asked)
    _check_labels(judge, some, place)
    with within("judged"):
        predicted = question_values(metric, judge)
    with within("human"):
        value, noise, rewards = _values(metric, some)
    chance, stratum = np.full(len(place), len(place) / len(predicted)), np.zeros(len(predicted), np.intp)
    about = groups(judge), stratum, metric.support(judge), rewards, LABELS
    return _with_whole_clusters(Units(predicted, value, place, chance, noise, *about))


def asked_units(metric: Metric, outcomes: Any, sample: QuestionSample) -> Units:
    """Return the units of a model that was asked the questions of a sample."""
    check_metric(metric)
    asked, group, place = as_outcomes(outcomes), np.arange(len(sample.benchmark)), sample.places()
    names = names_of(asked)
    if asked.clusters is not None and {*map(str, names)} == {*map(str, sample.benchmark)}:
        group = groups(asked)[places_of(sample.benchmark, names, "")]  # known only where all questions are there
    value, noise, rewards = _values(metric, sample.of(asked, "outcomes"))
    about = group, np.array(sample.stratum, np.intp), metric.support(asked), rewards, ASKED
    return Units(np.array(sample.rate), value, place, sample.chances[place], noise, *about)


def _values(metric: Metric, some: OutcomeMatrix) -> tuple[Vector, Vector, str]:
    """Return the values, their variances over trials, at most that of the values, and the kind of rewards."""
    value, noise = question_values(metric, some), trial_variances(metric, some)
    noise = np.where(np.isnan(noise), float(np.var(value, ddof=1)), noise)
    return value, noise, CONTINUOUS if some.is_continuous else CATEGORICAL


def _with_whole_clusters(units: Units) -> Units:
    """Return the units, of which clusters were labelled if those of several questions were labelled as wholes."""
    size, here = (np.bincount(group, minlength=units.group.max() + 1) for group in (units.group, units.labelled_group))
    is_whole = ((here == 0) | (here == size)).all() and (size[here > 0] > 1).any() and (here == 0).any()
    if not is_whole:
        return units
    drawn = np.count_nonzero(here)
    if drawn < _AT_LEAST:
        raise OutcomeError("all labelled questions are in one cluster", hint="label questions of two or more")
    return replace(units, has_whole_clusters=True, chance=np.full(len(units.chance), drawn / len(here)))


def _check_labels(judged: OutcomeMatrix, human: OutcomeMatrix, place: Indices) -> None:
    """Check that labels are of the judge's kind, and that all trials of a labelled question are labelled."""
    kinds = [
        "rewards" if outcomes.is_continuous or outcomes.levels is not None or outcomes.is_pass_fail else "categories"
        for outcomes in (judged, human)
    ]
    if kinds[0] != kinds[1]:
        problem = f"judged has {kinds[0]} and human has {kinds[1]}"
        raise OutcomeError(problem, hint="read both with OutcomeMatrix.from_rewards")
    advice = "label all trials of a question, or leave out its labels: those of other questions say more"
    if (human.trials == 1).all():
        advice = "every question has a single label: judged needs the labelled trial alone, or people all trials"
    for i, told in zip(place.tolist(), human.trials.tolist(), strict=True):
        if (wanted := int(judged.trials[i])) != told:
            raise OutcomeError(
                f"question {names_of(judged)[i]!r} has {pluralize(wanted, 'judged trial')} and "
                f"{pluralize(told, 'label')}",
                hint=advice,
            )


class CorrectedMean(NamedTuple):
    """The estimate, its standard deviation, the degrees of freedom, and the weight of the predictions.

    ``below`` and ``above`` are the standard deviations for the lower and the upper end: what is too rare to be seen
    lies on one side.
    """

    mu: float
    sigma: float
    degrees: float
    lam: float
    below: float
    above: float


def estimate(units: Units, lam: float | None, target: str) -> CorrectedMean:
    """Return the estimate; without ``lam``, it is 1 below ``MANY`` labelled questions, and the optimum above."""
    there, here = units.predicted[units.place], units.stratum[units.place]
    centre = (np.bincount(units.stratum, units.predicted) / np.bincount(units.stratum))[here]
    group = np.unique(units.labelled_group, return_inverse=True)[1]  # 0, 1, .. in order
    weights = _slopes(units, there, group) if lam is None and len(there) >= MANY else None
    lams = np.full(len(there), 1.0 if lam is None else lam) if weights is None else weights
    adjusted = units.value - lams * (there - centre)
    middle = np.bincount(here, units.weight * adjusted) / _positive(np.bincount(here, units.weight))
    mu = float(units.weight @ adjusted)
    if units.source != LABELS and weights is not None:
        mu = float(units.weight @ (units.value - lams * _from_the_rest(units, there, centre, here)))
    moved = units.weight * (adjusted - middle[here])
    mean_lam = float(lams[0] if weights is None else units.weight @ lams)
    has_groups = target == "population" or units.has_whole_clusters
    square, side = _unseen(units, group if has_groups else np.arange(len(moved)), mean_lam)
    if target == "population":
        seen, factor = _of_population(units, moved, group, mean_lam, middle)
    else:
        seen, factor = _of_these(units, moved, group)
    unseen = factor * square
    degrees = float(group.max()) if has_groups else _degrees(units, moved)
    ends = (float(np.sqrt(seen + (unseen if side != other else 0.0))) for other in (ABOVE, BELOW))
    return CorrectedMean(mu, float(np.sqrt(seen + unseen)), degrees, mean_lam, *ends)


def _positive(sums: Vector | Indices) -> Vector:
    """Return sums to divide by: 1 for the empty ones."""
    return np.asarray(np.where(sums > 0, sums, 1.0), np.float64)


def _from_the_rest(units: Units, there: Vector, centre: Vector, here: Indices) -> Vector:
    """Return how far each prediction is from the mean of those that it was drawn from, given the others of the sample.

    The others left ``M_h - n_h + 1`` questions of the stratum. The factor ``(M_h - n_h + 1)/M_h`` makes the sum that
    of the distances from the mean of the whole stratum.
    """
    size, drawn = np.bincount(units.stratum)[here], np.bincount(here)[here]
    mean = (np.bincount(here, there) / _positive(np.bincount(here)))[here]
    return np.asarray(((size - drawn) * there + drawn * mean) / size - centre)


def _scales(units: Units) -> Vector:
    """Return ``n_h/(n_h-1)`` for each labelled question, 0 where its stratum has no other one."""
    here = units.stratum[units.place]
    drawn = np.bincount(here)[here].astype(np.float64)
    return np.asarray(np.where(drawn > 1.0, drawn / np.maximum(drawn - 1.0, 1.0), 0.0))


def _degrees(units: Units, moved: Vector) -> float:
    """Return Satterthwaite's degrees of freedom of a sum of variances within strata; ``n - 1`` for one stratum."""
    here = units.stratum[units.place]
    drawn = np.bincount(here)
    parts = np.bincount(here, _scales(units) * (1.0 - units.chance) * moved**2)
    if len(drawn) == 1:
        return float(len(moved) - 1)
    if not parts.any():
        return max(float(np.maximum(drawn - 1, 0).sum()), 1.0)
    return float(satterthwaite(parts, np.maximum(drawn - 1, 1))[1])


def _of_these(units: Units, moved: Vector, group: Indices) -> tuple[float, float]:
    """Return the variance over samples of labels with that of the trials of these questions.

    The second number is the factor of a square that no labelled question shows.
    """
    chance, scale = units.chance, _scales(units)
    if units.has_whole_clusters:
        chance = np.asarray(np.bincount(group, chance) / np.bincount(group), np.float64)
        moved = np.bincount(group, moved).astype(np.float64)
        scale = np.full(len(moved), len(moved) / (len(moved) - 1.0))
    squares = float(np.sum(scale * (1.0 - chance) * moved**2))
    noise = float(units.weight @ units.noise) / len(units.predicted)
    return squares + noise, float(np.mean(scale * (1.0 - chance)))


def _of_population(units: Units, moved: Vector, group: Indices, lam: float, middle: Vector) -> tuple[float, float]:
    """Return the variance over samples of questions or clusters of them and of labels, and the same factor."""
    count, clusters, strata = int(group.max()) + 1, int(units.group.max()) + 1, units.stratum
    centre = np.bincount(strata, units.predicted) / np.bincount(strata)
    level = middle - float(middle[strata].mean())
    shared = (lam * (units.predicted - centre[strata]) + level[strata]) / len(units.predicted)
    scale = np.sqrt(count / (count - 1.0))
    sums = np.bincount(units.group, shared, clusters) * np.sqrt(clusters / (clusters - 1.0))
    factor = scale if units.source == LABELS else np.sqrt(_scales(units))
    sums += np.bincount(units.labelled_group, moved * factor, clusters)
    return float(sums @ sums), float(scale**2)


def _unseen(units: Units, group: Indices, lam: float) -> tuple[float, int]:
    """Return the square that one more disagreement would add: disagreements too rare to be seen have a variance too.

    It is the mean square of those that were seen, or that of the largest possible one if there are none. From
    ``FEW_DISAGREEMENTS`` questions (or clusters of them) on, it is left out. Where questions were drawn, what is unseen
    are values off a bound, next to predictions that do not show them; the second number says on which side they lie.
    """
    if units.source == ASKED and lam != 0.0 and np.isfinite(units.bounds).all():
        return _rare(units)
    gap = units.value - units.predicted[units.place]
    differs = np.abs(gap) > _ROUNDING
    has_any = np.bincount(group, differs) > 0
    seen = int(np.count_nonzero(has_any))
    if lam == 0.0 or seen >= min(FEW_DISAGREEMENTS, len(has_any)):
        return 0.0, 0
    if not seen:
        return float((units.width / len(has_any)) ** 2), 0
    sums = np.bincount(group, np.where(differs, units.weight * gap, 0.0))
    return float(sums @ sums) / seen, 0


def _rare(units: Units) -> tuple[float, int]:
    """Return the square that one more question off the bound would add, where few are, and on which side it lies.

    Where successes are few, it is above the estimate, and where failures are, below.
    """
    low, high = units.bounds
    sides = ((units.value - low, ABOVE), (high - units.value, BELOW))
    gaps, side = min(sides, key=lambda side: np.count_nonzero(side[0]))
    seen = int(np.count_nonzero(gaps))
    if seen >= min(FEW_DISAGREEMENTS, len(gaps)):
        return 0.0, 0
    if not seen:
        return float((units.weight.max() * units.width) ** 2), side
    return float(np.sum((units.weight * gaps) ** 2)) / seen, side


def _slopes(units: Units, there: Vector, group: Indices) -> Vector:
    """Return the slope of the values on the predictions without each question's own cluster, per labelled question."""
    weight = units.weight * len(there)
    x, y = there - there.mean(), units.value - units.value.mean()
    parts = np.array([np.bincount(group, weight * part) for part in (np.ones_like(x), x, y, x * y, x * x)])
    total, sum_x, sum_y, products, squares = parts.sum(axis=1, keepdims=True) - parts
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = (products - sum_x * sum_y / total) / (squares - sum_x**2 / total)
    has_spread = squares - sum_x**2 / total > 1e-12 * (x @ x + 1e-300)
    return np.asarray(np.where(has_spread, slope, 0.0)[group])
