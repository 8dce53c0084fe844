r"""What is suspicious about outcomes: copies, runs that differ, gaps that depend on the outcome, and duplicates.

Every chance is a bound that holds for every sound data set, corrected for the number of places.

- *Trials of a question* of the rate ``p`` are all alike with the chance ``p^n + (1 - p)^n``. Its logarithm is
  concave in ``p (1 - p)``, so of all rates whose ``p (1 - p)`` have a given mean, equal ones give the largest chance.
- *Two models* with ``n`` trials each of a question and one success rate: given the successes of both, those of one are
  hypergeometric. If their rates differ, equal numbers are rarer.
- *Runs.* Within a question, trials are exchangeable, so the sums ``T_j`` over questions differ by chance only:
  ``Q = sum_j (T_j - mean T)^2 / sum_q s_q^2`` is about chi-squared with ``N - 1`` degrees of freedom, with ``s_q^2``
  the variance of the outcomes of question ``q``. For binary outcomes this is Cochran's Q test.

Trials that agree may also have success rates near 0 and 1, which no outcome tells apart from copies. They are found if
the share of the variance of outcomes within questions, ``mean p (1 - p) / (m (1 - m))``, is shown to be below a fifth.

A model that fails where others succeed may have its outcomes inverted. Success rates of questions (of clusters, where
there are clusters) are ranked within each model, and ``r`` is the correlation of the ranks of one model with the sum of
those of the others. Fisher's ``atanh r`` has about the standard deviation ``1.06 / sqrt(questions - 3)`` for ranks
(Fieller, Hartley and Pearson, 1957).
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping

import numpy as np

from .._base.arrays import TIE, Counts, Vector
from .._base.numbers import counts, is_chance, number
from .._base.special import log_choose, ndtr
from .._base.words import pluralize, shorten
from ..io import Source, grouped
from ..io._doubts import columns_of_keys
from ..outcomes import OutcomeMatrix, OutcomeSet, RewardMatrix
from ..outcomes._trial_order import cochran
from ..outcomes._trials import contradictions_text
from ._diagnosis import Finding
from ._runs import Runs

_FIFTH = 0.2  # share of the variance within questions that alike trials exclude
_PERMUTATIONS = 1999
_FEWEST = 10  # questions or clusters that show that a model is inverted
_LEAST = 0.3  # correlation with the others, below 0
_SPREAD = 1.06  # of Fisher's transform of a correlation of ranks
_ALIKE = 1e-9  # a spread, or a distance of a correlation from -1, that is rounding only


def means_of(matrix: OutcomeMatrix) -> Vector:
    """Return the mean reward of each question, NaN without trials."""
    return matrix.question_rewards()[1]


def copies(models: OutcomeSet, runs: Mapping[str, Runs], error: float, error_of_runs: float) -> Iterator[Finding]:
    """Yield what looks copied; models and trials are found in sound outcomes with probability at most ``error``.

    Trials need most of it. Numbers of trials that follow the outcomes are left out: their trials are not exchangeable.
    """
    fixed = {name: matrix for name, matrix in models.items() if not matrix.is_adaptive}
    of_fixed = {name: of_model for name, of_model in runs.items() if name in fixed}
    yield from _alike_trials(fixed, 0.8 * error)
    for name, of_model in of_fixed.items():
        yield from _copied_runs(name, of_model, error_of_runs / len(of_fixed))
    yield from _copied_models(fixed, 0.2 * error)


def _alike_trials(models: Mapping[str, OutcomeMatrix], error: float) -> Iterator[Finding]:
    for name, matrix in models.items():
        if matrix.max_trials < 2 or (matrix.question_rewards()[2] > TIE).any():
            continue
        asked = matrix.trials >= 2
        fewest = int(matrix.trials[asked].min())
        chance = min(1.0, len(models) * _chance_of_alike(_passes(matrix)[asked], fewest))
        if chance <= error:
            size = f"{pluralize(int(asked.sum()), 'question')} x {counts(fewest, matrix.max_trials)} trials"
            what = (
                f"all trials of a question are alike: {name}, {size} (p {is_chance(chance)} if a fifth or more of the"
                " variance of outcomes were within questions)"
            )
            yield Finding.of("trials alike", what, name, chance=chance)


def _passes(matrix: OutcomeMatrix) -> Counts:
    """Return the successes of each question; outcomes in the upper half of their range are successes."""
    if isinstance(matrix, RewardMatrix):
        means = np.nan_to_num(matrix.means)
        return np.where(means > 0.5 * (means.min() + means.max()), matrix.trials, 0)
    return np.asarray(matrix.counts[:, matrix.n_categories // 2 :].sum(axis=1))


def _chance_of_alike(passes: Counts, trials: int) -> float:
    """Return the chance that so many trials of every question are alike, as these are.

    It holds if at least a fifth of the variance of outcomes is within questions.

    >>> round(_chance_of_alike(np.array([0, 2, 2]), 2), 3)  # two trials agree with probability 1 - 2 p (1 - p)
    0.756
    """
    mean = float((passes > 0).mean())
    rate = 0.5 - np.sqrt(0.25 - _FIFTH * mean * (1.0 - mean))
    return float((rate**trials + (1.0 - rate) ** trials) ** len(passes))


def _copied_runs(name: str, runs: Runs, error: float) -> Iterator[Finding]:
    """Yield two runs with the same outcome on every question, where the outcomes of all runs make that unlikely."""
    columns = [column.tobytes() for column in runs.values.T + 0.0]
    groups = [equal for equal in grouped(range(len(columns)), columns.__getitem__).values() if len(equal) > 1]
    is_there = ~np.isnan(runs.values)
    trials = is_there.sum(axis=1)
    times = np.array([(runs.values == outcome).sum(axis=1) for outcome in np.unique(runs.values[is_there])])
    alike, pairs = (times * (times - 1)).sum(axis=0), trials * (trials - 1)
    share_alike = np.where(pairs > 0, alike / np.maximum(pairs, 1), 1.0)  # of the pairs of trials of each question
    pairs_of_runs = runs.values.shape[1] * (runs.values.shape[1] - 1) / 2
    tried = [is_there[:, equal[0]] for equal in groups]
    chances = [pairs_of_runs * float(np.prod(share_alike[questions])) for questions in tried]
    unlikely = [i for i, chance in enumerate(chances) if chance <= error]
    if not unlikely:
        return
    first = min(unlikely, key=chances.__getitem__)
    one, two = (runs.names[i] for i in groups[first][:2])
    more = sum(len(groups[i]) - 1 for i in unlikely) - 1
    like_this = f", and {pluralize(more, 'more run')} like this" if more else ""
    what = (
        f"two runs of {name} have the same outcome on all of {pluralize(int(tried[first].sum()), 'question')}: "
        f"{one} and {two} (by chance: p {is_chance(chances[first])}){like_this}"
    )
    yield Finding.of("copied run", what, name, chance=chances[first])


def _copied_models(models: Mapping[str, OutcomeMatrix], error: float) -> Iterator[Finding]:
    """Yield models with the same outcomes on every question, where two models with equal success rates rarely agree."""
    pairs = len(models) * (len(models) - 1) // 2
    contents = {
        name: (matrix.means.tobytes(), matrix.variances.tobytes())
        if isinstance(matrix, RewardMatrix)
        else matrix.counts.tobytes()
        for name, matrix in models.items()
    }
    for names in [equal for equal in grouped(contents, contents.__getitem__).values() if len(equal) > 1]:
        matrix = models[names[0]]
        n, c = matrix.trials, _passes(matrix)
        if matrix.max_trials == 1:  # that of two alike trials
            chance = _chance_of_alike(c[n > 0], 2)
        else:  # that of as many successes on every question, if all success rates are equal
            chance = float(np.exp((2.0 * log_choose(n, c) - log_choose(2 * n, 2 * c)).sum()))
        chance = min(1.0, pairs * chance)
        if chance <= error:
            more = f" and {pluralize(len(names) - 2, 'more model')}"
            who = " and ".join(names) if len(names) == 2 else f"{', '.join(names[:2])}{more}"
            what = f"{who} have the same outcomes on every question (by chance: p {is_chance(chance)})"
            yield Finding.of("copied model", what, *names, chance=chance)


def inverted(models: OutcomeSet, error: float) -> Iterator[Finding]:
    """Yield the models that fail where the others succeed, over the questions or clusters that every model tried."""
    means = np.array([means_of(matrix) for matrix in models.values()])
    shared = np.flatnonzero(~np.isnan(means).any(axis=0))
    labels = np.arange(len(shared)) if models.clusters is None else [str(models.clusters[i]) for i in shared]
    place, sizes = np.unique(labels, return_inverse=True, return_counts=True)[1:]
    means = np.array([np.bincount(place, of_model) for of_model in means[:, shared]]) / sizes
    ranks = {name: _ranked(of_model) for name, of_model in zip(models, means, strict=True) if len(set(of_model)) > 1}
    if len(ranks) < 2 or len(sizes) < _FEWEST:
        return
    for name, of_model in ranks.items():
        others = sum(ranks.values()) - of_model
        r = float((of_model * others).mean() / others.std()) if others.std() > _ALIKE else 0.0
        if r > -_LEAST:
            continue
        z = np.arctanh(max(r, _ALIKE - 1.0)) * np.sqrt(len(sizes) - 3.0) / _SPREAD
        chance = min(1.0, len(ranks) * float(ndtr(z)))
        if chance > error:
            continue
        size = f"{number(r, 2)} over questions (by chance: p {is_chance(chance)})"
        if len(ranks) == 2:
            what = f"where {name} succeeds, {list(ranks)[1]} fails: their success rates correlate {size}"
            yield Finding.of("inverted outcomes", what, *ranks, chance=chance)
            return
        what = f"{name} fails where other models succeed: its success rates correlate {size} with theirs"
        yield Finding.of("inverted outcomes", what, name, chance=chance)


def _ranked(values: Vector) -> Vector:
    """Return ranks, equal values sharing the mean of theirs, with the mean 0 and the variance 1."""
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(times) - 0.5 * times)[place]
    return np.asarray((ranks - ranks.mean()) / ranks.std())


def trial_effects(models: OutcomeSet, runs: Mapping[str, Runs], error: float) -> Iterator[Finding]:
    """Yield where trials differ by their number, which says that they are no repetitions, or that axes are swapped."""
    for name, of_model in runs.items():
        has = ~np.isnan(of_model.values)
        kept = np.flatnonzero(has.mean(axis=0) >= 0.5)  # without runs on less than half of the questions
        values = of_model.values[has[:, kept].all(axis=1)][:, kept]
        p = min(1.0, len(runs) * cochran(values))
        if p > error:
            continue
        if cochran(values.T) > error:
            what = (
                f"outcomes of {name} depend on the number of the trial (p {is_chance(p)}) and not on the question: "
                "questions and trials look swapped"
            )
            yield Finding.of("swapped axes", what, name, chance=p)
            continue
        means = values.mean(axis=0)
        low, high = int(np.argmin(means)), int(np.argmax(means))
        what = (
            f"runs of {name} differ by more than chance (p {is_chance(p)}): from {number(float(means[low]))} in "
            f"{of_model.names[kept[low]]} to {number(float(means[high]))} in {of_model.names[kept[high]]}"
        )
        yield Finding.of("trials differ", what, name, chance=p)
    for name, matrix in models.items():
        recorded = matrix.trial_columns.runs
        if recorded is not None and len(recorded.labels) > 1 and not recorded.share_questions(matrix.trials):
            what = f"no question of {name} has trials in two of its {len(recorded.labels)} runs: shards are no runs"
            yield Finding.of("runs without a shared question", what, name)
        if name not in runs and matrix.looks_swapped:
            shape = f"{pluralize(matrix.n_questions, 'question')} with {matrix.max_trials:,} trials each"
            yield Finding.of("swapped axes", f"{name} has {shape}: questions and trials look swapped", name)


def gaps(models: OutcomeSet, error: float) -> Iterator[Finding]:
    """Yield the models with missing trials, and those whose missing trials depend on the outcome."""
    incomplete = {name: matrix for name, matrix in models.items() if matrix.completeness < 1.0}
    for name, matrix in incomplete.items():
        missing = matrix.planned_trials - matrix.trials
        empty = int((matrix.trials == 0).sum())
        lost = f", {pluralize(empty, 'question')} without any trial" if empty else ""
        what = f"{int(missing.sum()):,} of {matrix.planned:,} planned trials of {name} have no outcome{lost}"
        means = means_of(matrix)
        tried = ~np.isnan(means)
        means, missing, planned = means[tried], missing[tried], matrix.planned_trials[tried]
        chance = min(1.0, len(incomplete) * dependence(missing.astype(np.float64), means))
        if chance > error:
            yield Finding.of("missing trials", what, name)
            continue
        lower = np.corrcoef(missing / np.maximum(planned, 1), means)[0, 1] < 0.0
        side = "fails" if lower else "succeeds"
        where = (
            f"{what}, more of them on questions that the model {side} on: mean "
            f"{number(float(np.average(means, weights=missing)))} where trials are missing, "
            f"{number(float(means.mean()))} on all questions (p {is_chance(chance)})"
        )
        advice = "" if lower else "Find out why they are missing before trusting the score"
        yield Finding.of("missing by outcome", where, name, chance=chance, advice=advice)


def dependence(missing: Vector, means: Vector) -> float:
    """Return the p-value, by permutation, of a correlation between missing trials and means over questions.

    >>> dependence(np.array([0.0, 0, 0, 0, 0, 2, 2, 2]), np.array([0.9, 1, 0.8, 0.9, 1, 0.1, 0, 0.2])) < 0.05
    True
    """
    if len(missing) < 2 or np.ptp(missing) == 0.0 or np.ptp(means) == 0.0:
        return 1.0
    centered = means - means.mean()
    observed = abs(float(missing @ centered))
    rng = np.random.default_rng(0)
    drawn = rng.permuted(np.broadcast_to(centered, (_PERMUTATIONS, len(means))), axis=1) @ missing
    return float(1 + (np.abs(drawn) >= observed * (1.0 - 1e-9)).sum()) / (1 + _PERMUTATIONS)


def duplicates(models: OutcomeSet, sources: Iterable[Source]) -> Iterator[Finding]:
    """Yield questions that may be the same under two names: by their label, or by their text."""
    labels = models.questions
    if labels is None:
        return
    alike: dict[Hashable, list[Hashable]] = {}
    for label in labels:
        alike.setdefault(" ".join(label.casefold().split()) if isinstance(label, str) else label, []).append(label)
    yield from _twice(alike, "differ in case or blanks only")
    texts: dict[Hashable, dict[Hashable, None]] = {}
    for source in sources:
        for label, mark in source.run.fingerprints.items():
            texts.setdefault(mark, {})[label] = None
    yield from _twice(texts, "have the same text")


def answers_as_outcomes(models: OutcomeSet, sources: Iterable[Source]) -> Iterator[Finding]:
    """Yield the columns of outcomes that may hold the right answers: no model and no trial has another value there."""
    for outcome, answers in columns_of_keys(models, sources):
        what = f"the column {outcome!r} has one value per question, for all models and trials, beside {answers!r}"
        advice = f"If it holds the right answers, write a column that says whether {answers!r} is right, and read that"
        yield Finding.of("answers as outcomes", what, advice=advice)


def contradictory(models: OutcomeSet) -> Iterator[Finding]:
    """Yield the models with answers that are both right and wrong among the trials of one question."""
    for name, matrix in models.items():
        if text := contradictions_text(matrix, name):
            yield Finding.of("contradictory answers", text, name)


def _twice(alike: Mapping[Hashable, Iterable[Hashable]], likeness: str) -> Iterator[Finding]:
    pairs = [names for names in map(list, alike.values()) if len(names) > 1]
    if pairs:
        more = f", and {pluralize(len(pairs) - 1, 'more such group')}" if len(pairs) > 1 else ""
        what = f"questions {shorten(pairs[0])} {likeness}{more}"
        yield Finding.of("duplicate questions", what)
