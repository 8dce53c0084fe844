r"""Copies: trials of a question that are all alike, runs or models that repeat others, and repeated seeds.

Every chance is a bound that holds for every sound data set (``_tails``), corrected for the number of places.

Trials that agree may also have success rates near 0 and 1, which no outcome tells apart from copies. The variance of
an outcome has a share within questions, ``mean p (1 - p) / (m (1 - m))``. Trials are called copies if none differ and
this share is shown to be less than a quarter of that of other models, the lower median of them, on the same questions.
Where no other model shows any variation, a finding of its own says that trials are alike, and the share below a fifth.
"""

from ast import literal_eval
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .._arrays import Counts, Flags, Vector
from .._display.numbers import counts, is_chance, number
from .._display.words import pluralize, shorten
from ..errors import OutcomeError
from ..io import LogFile, Source, columns, is_table, rows
from ..outcomes import OutcomeMatrix, OutcomeSet, RewardMatrix, plain
from ._diagnosis import ALIKE, COPIED_MODEL, COPIED_RUN, COPIED_TASK, COPIES, NEARLY, SEED, Finding
from ._reliability import means_of, variances_of, varies
from ._runs import Runs
from ._tails import differences, disagreement, events, shared_successes

_ONCE = (
    "Repeated trials then add nothing: check the temperature, the cache and the seeds, or count one trial per question"
)
_EITHER = "These are copied trials, or success rates near 0 and 1: check the temperature, the cache and the seeds"
_QUARTER = 0.25  # of the share within questions of other models
_FIFTH = 0.2  # share within questions that alike trials exclude where there is nothing to compare with
_HARD = 0.5  # success rate of other models below which a question is hard
_FEWEST = 10  # hard questions
_NEAR = 0.5  # disagreements of copies, as a share of those of sound trials
_MOST_RUNS = 500  # runs of a model of which all pairs are looked at
_TESTED = 50  # pairs of runs whose chance is calculated, those that agree most
_SEED_COLUMNS = ("seed", "randomseed", "rngseed", "samplingseed")
_SEED_ADVICE = "Give each trial a seed of its own: where the seed is honored, such trials are copies"
_MOST_TRIALS = 1_000_000  # trials of tables that are looked at


def copies(
    task: str, models: OutcomeSet, runs: Mapping[str, Runs], error: float, error_of_runs: float
) -> Iterator[Finding]:
    """Yield what looks copied; models and trials are found in sound outcomes with probability at most ``error``.

    Trials need most of it. Numbers of trials that follow the outcomes are left out: their trials are not exchangeable.
    """
    fixed = {name: matrix for name, matrix in models.items() if not matrix.is_adaptive}
    yield from _copied_trials(task, fixed, 0.8 * error)
    of_fixed = {name: each for name, each in runs.items() if name in fixed}
    shares = shares_of_error([_chance_of_equal_runs(each.values) for each in of_fixed.values()], error_of_runs)
    for (name, each), share in zip(of_fixed.items(), shares, strict=True):
        yield from _copied_runs(task, name, each, share)
    yield from _copied_models(task, fixed, of_fixed, 0.1 * error)
    yield from _equal_single_trials(task, fixed, 0.1 * error)
    for name, each in runs.items():
        yield from _seeds(task, name, each)


class _Compared(NamedTuple):
    """Questions on which the trials of a model are compared with those of other models.

    ``usual`` is the share of the variance of outcomes that is within questions, the lower median of other models.
    """

    asked: Flags
    usual: float
    where: str = ""


def _copied_trials(task: str, models: Mapping[str, OutcomeMatrix], error: float) -> Iterator[Finding]:
    """Yield the models whose trials of a question are alike, or nearly, compared with those of other models."""
    for name, matrix in models.items():
        others = [each for other, each in models.items() if other != name]
        is_alone = not any(varies(each).any() for each in others)
        for compared in _comparisons(matrix, others):
            share = _FIFTH if is_alone else _QUARTER * compared.usual
            chance = min(1.0, 2 * len(models) * _chance_of_trials(matrix, compared.asked, share))
            alike = not varies(matrix)[compared.asked].any()
            if chance <= error and (alike or not is_alone):
                yield _about_trials(task, name, matrix, compared, chance)
                break


def _comparisons(matrix: OutcomeMatrix, others: Sequence[OutcomeMatrix]) -> Iterator[_Compared]:
    """Yield all questions with several trials, and those of them that other models mostly fail.

    Which questions others fail must not depend on the model of which the share is taken, so it is left out.
    """
    several = matrix.trials >= 2
    usual = lower_median([share_within(each, each.trials >= 2) for each in others])
    yield _Compared(several, usual)
    if usual and len(others) > 1 and all(each.is_pass_fail for each in others):
        hard = _hard(others) & several
        shares = [share_within(one, _hard([each for each in others if each is not one])) for one in others]
        if _FEWEST <= hard.sum() < several.sum():
            yield _Compared(hard, lower_median(shares), ", on questions that other models mostly fail")


def lower_median(shares: Sequence[float]) -> float:
    """Return the lower median, 0 of nothing."""
    return sorted(shares)[(len(shares) - 1) // 2] if shares else 0.0


def _hard(others: Sequence[OutcomeMatrix]) -> Flags:
    """Return the questions that other models fail more often than not."""
    rates = np.array([means_of(each) for each in others])
    tried = ~np.isnan(rates)
    return np.asarray(np.nan_to_num(rates).sum(axis=0) < _HARD * tried.sum(axis=0))


def share_within(matrix: OutcomeMatrix, asked: Flags) -> float:
    """Return the share of the variance of single outcomes that is within questions; 0 without any variance."""
    asked = asked & (matrix.trials >= 2)
    if not asked.any():
        return 0.0
    means, variances, n = means_of(matrix)[asked], variances_of(matrix)[asked], matrix.trials[asked]
    total = float((means**2 + variances * (n - 1) / n).mean() - means.mean() ** 2)
    return float(variances.mean()) / total if total > 0.0 else 0.0


def _passes(matrix: OutcomeMatrix) -> Counts:
    """Return the successes of each question; outcomes in the upper half of their range are successes."""
    if isinstance(matrix, RewardMatrix):
        means = np.nan_to_num(matrix.means)
        return np.where(means > 0.5 * (means.min() + means.max()), matrix.trials, 0)
    return np.asarray(matrix.counts[:, matrix.n_categories // 2 :].sum(axis=1))


def _chance_of_trials(matrix: OutcomeMatrix, asked: Flags, share: float) -> float:
    """Return the chance of trials so alike if at least this share of the variance of outcomes is within questions."""
    if share <= 0.0 or not asked.any() or (not matrix.has_two_categories and varies(matrix)[asked].any()):
        return 1.0
    successes, trials = _passes(matrix)[asked], matrix.trials[asked]
    mean = float((successes / trials).mean())
    return disagreement(successes, trials, share * mean * (1.0 - mean))


def _about_trials(task: str, name: str, matrix: OutcomeMatrix, compared: _Compared, chance: float) -> Finding:
    asked, usual, where = compared
    questions, trials = int(asked.sum()), matrix.trials[asked]
    differing = int(varies(matrix)[asked].sum())
    size = f"{pluralize(questions, 'question')} x {counts(int(trials.min()), int(trials.max()))} trials{where}"
    alike = f"all trials of a question are alike: {name}, {size}"
    if not usual:
        what = f"{alike} (p {is_chance(chance)} if a fifth or more of the variance of outcomes were within questions)"
        return Finding(ALIKE, what, _EITHER, task, (name,), chance)
    quarter = f"(p {is_chance(chance)} if they differed a quarter as often as those of other models)"
    if not differing:
        return Finding(COPIES, f"{alike} {quarter}", _ONCE, task, (name,), chance)
    what = (
        f"trials of {name} differ on {differing:,} of {size} {quarter}: the share of the variance within questions is "
        f"{number(share_within(matrix, asked))}, and {number(usual)} for other models"
    )
    return Finding(NEARLY, what, _EITHER, task, (name,), chance)


def shares_of_error(least: Sequence[float], error: float) -> list[float]:
    """Return shares of an error for statistics whose smallest chances are ``least``, in sum no more than the error.

    The smallest chances follow from the numbers of successes, on which all chances are conditional, so shares may
    depend on them (Tarone 1990): as many statistics as possible get what their smallest chance needs, and all get an
    equal part of the rest.

    >>> [round(share, 4) for share in shares_of_error([0.003, 0.006, 0.5, 0.001], 0.02)]
    [0.0055, 0.0085, 0.0025, 0.0035]
    """
    needed, left = [0.0] * len(least), error
    for place in sorted(range(len(least)), key=least.__getitem__):
        if least[place] > left:
            break
        needed[place] = least[place]
        left -= least[place]
    return [each + left / len(least) for each in needed]


def _chance_of_equal_runs(values: Vector) -> float:
    """Return a bound of the chance that some two runs have the same outcome on every question that all runs have."""
    complete = values[~np.isnan(values).any(axis=1)]
    count = values.shape[1]
    pairs = count * (count - 1) / 2
    return float(pairs * np.prod(1.0 - _chances_to_differ(complete)))


def _copied_runs(task: str, name: str, runs: Runs, error: float) -> Iterator[Finding]:
    """Yield two runs that agree on more questions than the outcomes of all runs of these questions allow."""
    found = list(_agreeing_runs(runs.values, error))
    if not found:
        return
    chance, i, j = min(found)
    one, two = runs.values[:, i], runs.values[:, j]
    both = ~np.isnan(one) & ~np.isnan(two)
    more = len({later for _, _, later in found}) - 1
    like_this = f", and {pluralize(more, 'more run')} like this" if more else ""
    what = (
        f"two runs of {name} have the same outcome on {_all_or_some(int((one == two)[both].sum()), int(both.sum()))}: "
        f"{runs.names[i]} and {runs.names[j]} (by chance: p {is_chance(chance)})"
        f"{like_this}"
    )
    yield Finding(COPIED_RUN, what, "Read the run once, if it was copied", task, (name,), chance)


def _all_or_some(agreeing: int, questions: int) -> str:
    share = "all" if agreeing == questions else f"{agreeing:,}"
    return f"{share} of {pluralize(questions, 'question')}"


def _agreeing_runs(values: Vector, error: float) -> Iterator[tuple[float, int, int]]:
    """Yield the corrected chance and the numbers of pairs of runs that agree too often."""
    chances = _chances_to_differ(values)
    values, chances = values[chances > 0.0, :_MOST_RUNS], chances[chances > 0.0]
    has = ~np.isnan(values)
    count = values.shape[1]
    expected = (has * chances[:, None]).T @ has.astype(np.float64)
    pairs: list[tuple[float, int, int, int]] = []
    for i in range(count - 1):
        both = has[:, i : i + 1] & has[:, i + 1 :]
        differ = ((values[:, i : i + 1] != values[:, i + 1 :]) & both).sum(axis=0)
        fewer = differ - expected[i, i + 1 :]
        near = np.flatnonzero((differ <= _NEAR * expected[i, i + 1 :]) & (fewer < 0.0)).tolist()
        pairs += [(float(fewer[j]), i, i + 1 + j, int(differ[j])) for j in near]
    for _, i, j, differ_by in sorted(pairs)[:_TESTED]:
        chance = count * (count - 1) / 2 * events(chances[has[:, i] & has[:, j]], differ_by)
        if chance <= error:
            yield min(1.0, chance), i, j


def _chances_to_differ(values: Vector) -> Vector:
    """Return for each question the share of pairs of its trials that differ."""
    ordered = np.sort(values, axis=1)  # NaN come last
    trials = (~np.isnan(values)).sum(axis=1)
    alike = np.zeros(len(values))
    begins = np.zeros(len(values), np.int64)
    for j in range(1, values.shape[1]):
        begins = np.where(ordered[:, j] == ordered[:, j - 1], begins, j)
        alike += j - begins  # earlier trials with the same outcome
    pairs = trials * (trials - 1) / 2
    return np.asarray(np.where(pairs > 0, 1.0 - alike / np.maximum(pairs, 1), 0.0))


def _copied_models(
    task: str, models: Mapping[str, OutcomeMatrix], runs: Mapping[str, Runs], error: float
) -> Iterator[Finding]:
    """Yield the pairs of models whose outcomes are closer than those of two models with equal success rates."""
    pairs = len(models) * (len(models) - 1) // 2
    for (name, one), (other, two) in combinations(models.items(), 2):
        by_counts = 1.0
        if not isinstance(one, RewardMatrix) and not isinstance(two, RewardMatrix):
            by_counts = _chance_of_counts(one, two)
        by_trials, agreeing, both = 1.0, 0, 0
        if name in runs and other in runs and runs[name].values.shape == runs[other].values.shape:
            by_trials, agreeing, both = _chance_of_trials_of_models(runs[name].values, runs[other].values)
        chance = min(1.0, 2 * pairs * min(by_counts, by_trials))
        if chance > error:
            continue
        same = int((_passes(one) == _passes(two)).sum())
        if by_trials < by_counts and agreeing < both:
            seen = f"the same outcome in {agreeing:,} of {pluralize(both, 'trial')}"
        elif same < one.n_questions:
            seen = f"as many successes on {same:,} of {pluralize(one.n_questions, 'question')}, and nearly on all"
        else:
            seen = "the same outcomes on every question"
        what = f"{name} and {other} have {seen} (by chance: p {is_chance(chance)})"
        yield Finding(COPIED_MODEL, what, "Check whether one log was read under two names", task, (name, other), chance)


def _chance_of_counts(one: OutcomeMatrix, two: OutcomeMatrix) -> float:
    """Return the chance of numbers of successes as close as these, if all success rates are equal."""
    c, d, n = _passes(one), _passes(two), one.trials
    asked = (n == two.trials) & (n > 0)
    c, d, n = c[asked], d[asked], n[asked]
    s = c + d
    spread = np.sqrt(s * (2 * n - s) / np.maximum(2.0 * n - 1.0, 1.0)).sum()
    return 1.0 if np.abs(c - d).sum() > _NEAR * spread else differences(n, c, d)


def _chance_of_trials_of_models(one: Vector, two: Vector) -> tuple[float, int, int]:
    """Return the chance that so many trials agree in their order, how many do, and how many there are."""
    both = ~np.isnan(one) & ~np.isnan(two)
    if not both.any():
        return 1.0, 0, 0
    middle = 0.5 * (min(np.nanmin(one), np.nanmin(two)) + max(np.nanmax(one), np.nanmax(two)))
    a, b = (one > middle) & both, (two > middle) & both
    n, c, d = both.sum(axis=1), a.sum(axis=1), b.sum(axis=1)
    asked = n > 0
    n, c, d = n[asked], c[asked], d[asked]
    observed = int((a != b).sum())
    agreeing = int(((one == two) & both).sum())
    if observed > _NEAR * float(((c * (n - d) + d * (n - c)) / n).sum()):
        return 1.0, agreeing, int(n.sum())
    return shared_successes(n, c, d, observed), agreeing, int(n.sum())


def _equal_single_trials(task: str, models: Mapping[str, OutcomeMatrix], error: float) -> Iterator[Finding]:
    """Yield models with one trial per question that agree on every question."""
    groups: dict[bytes, list[str]] = defaultdict(list)
    for name, matrix in models.items():
        if matrix.max_trials == 1:
            groups[np.nan_to_num(means_of(matrix), nan=-np.inf).tobytes()].append(name)
    for names in (names for names in groups.values() if len(names) > 1):
        matrix = models[names[0]]
        passes, asked = _passes(matrix)[matrix.trials > 0], int(matrix.trials.sum())
        mean = float(passes.mean())
        pairs = len(models) * (len(models) - 1) // 2
        chance = min(1.0, pairs * disagreement(2 * passes, np.full(asked, 2), _FIFTH * mean * (1.0 - mean)))
        if chance <= error:
            what = (
                f"{shorten(names)} have the same outcome on every question, with one trial each of "
                f"{pluralize(asked, 'question')} (p {is_chance(chance)} if a fifth or more of the variance of outcomes "
                "were within questions)"
            )
            advice = "Check whether one log was read under two names; success rates near 0 and 1 look the same"
            yield Finding(ALIKE, what, advice, task, tuple(names), chance)


def copied_tasks(tasks: Mapping[str, OutcomeSet], error: float) -> Iterator[Finding]:
    """Yield the pairs of tasks on which some model has the same counts of outcomes, if that is unlikely by chance."""
    pairs = len(tasks) * (len(tasks) - 1) // 2
    for (first, one), (second, two) in combinations(tasks.items(), 2):
        same = [name for name in one if name in two and _same_counts(one[name], two[name])]
        found = [_chance_of_counts(one[name], one[name]) for name in same]
        chance = min([1.0, *(pairs * len(same) * each for each in found)])
        if chance <= error:
            what = (
                f"{first} and {second} have the same outcomes of {shorten(same)} on every question "
                f"(by chance: p {is_chance(chance)})"
            )
            yield Finding(COPIED_TASK, what, "Leave out one of them if it is a copy", "", tuple(same), chance)


def _same_counts(one: OutcomeMatrix, two: OutcomeMatrix) -> bool:
    """Return whether two tasks have the same counts, question by question: by their labels if these are the same."""
    if one.is_continuous or two.is_continuous:
        return False
    order = {label: row for row, label in enumerate(two.questions or ())}
    rows = [order[label] for label in one.questions or () if label in order]
    counts_of_two = two.counts[rows] if len(rows) == two.n_questions else two.counts
    return np.array_equal(one.counts, counts_of_two)


def _seeds(task: str, name: str, runs: Runs) -> Iterator[Finding]:
    """Yield the seeds that several runs of a model have."""
    of: dict[str, list[str]] = {}
    for run, seed in zip(runs.names, runs.seeds, strict=True):
        if seed is not None:
            of.setdefault(seed, []).append(run)
    repeated = {seed: names for seed, names in of.items() if len(names) > 1}
    if repeated:
        seed, names = next(iter(repeated.items()))
        more = f", and {len(repeated) - 1} more seeds repeat" if len(repeated) > 1 else ""
        what = f"{pluralize(len(names), 'run')} of {name} have the seed {seed}{more}"
        advice = "Give each run a seed of its own: where the seed is honored, such runs are copies"
        yield Finding(SEED, what, advice, task, (name,))


class _Question(NamedTuple):
    task: str | None
    model: str
    levels: tuple[str | None, ...]
    name: str | None


def column_seeds(sources: Sequence[Source], tasks: Collection[str]) -> Iterator[Finding]:
    """Yield the models of tables in which several trials of a question have one seed; ``tasks`` are all tasks."""
    tables = [each for each in sources if each.format == "table" and each.run.notes.get("form") == "long"]
    if sum(each.present for each in tables) > _MOST_TRIALS:
        return
    trials: dict[tuple[_Question, str], set[str]] = defaultdict(set)
    for path, source in {path: each for each in tables for path in each.paths}.items():
        try:
            for question, seed, trial in _seeds_of_table(path, source):
                trials[question, seed].add(trial)
        except (OutcomeError, OSError):  # a table within a database or an archive, or a file that is gone
            continue
    every: dict[tuple[str | None, str], set[_Question]] = defaultdict(set)
    repeated: dict[tuple[str | None, str], dict[_Question, int]] = defaultdict(dict)
    for (question, _), names in trials.items():
        place = (question.task, question.model)
        every[place].add(question)
        if len(names) > 1:
            repeated[place][question] = max(len(names), repeated[place].get(question, 0))
    only = next(iter(tasks)) if len(tasks) == 1 else ""
    for (task, model), questions in repeated.items():
        most = pluralize(max(questions.values()), "trial")
        where = f"on {len(questions):,} of {pluralize(len(every[task, model]), 'question')}"
        what = f"several trials of {model} have one seed, up to {most} of a question, {where}"
        yield Finding(SEED, what, _SEED_ADVICE, task if task is not None and task in tasks else only, (model,))


def _seeds_of_table(path: Path, source: Source) -> Iterator[tuple[_Question, str, str]]:
    """Yield the question, the seed and the name of every trial that has a seed."""
    file = LogFile(path)
    notes = source.run.notes
    known = ("model", "task", "question", "trial", "run")
    roles = {role: literal_eval(notes[role]) for role in known if role in notes}
    seed = _seed_column(columns(file), roles.values()) if is_table(file) else None
    if seed is None:
        return
    factors = notes.get("factors")
    crossed = [literal_eval(name) for name in factors.split(", ")] if factors else []
    for line, row in enumerate(rows(file, [*roles.values(), *crossed, seed])):
        values = dict(zip(roles, row.values, strict=False))
        levels, value = row.values[len(roles) : -1], row.values[-1]
        if value is None or not value.strip():
            continue
        model = values.get("model") or source.run.model
        question = _Question(values.get("task"), model, tuple(levels), values.get("question"))
        if "trial" in roles:
            yield question, value, str(values["trial"])
        else:  # equal rows may come as one
            yield from ((question, value, f"{path} {line} {i}") for i in range(row.times))


def _seed_column(names: Iterable[str], used: Collection[str]) -> str | None:
    """Return the column of seeds that is not used otherwise."""
    flat = {name: plain(name).replace("_", "").replace(" ", "").replace("-", "") for name in names if name not in used}
    return next((name for name, letters in flat.items() if letters in _SEED_COLUMNS), None)
