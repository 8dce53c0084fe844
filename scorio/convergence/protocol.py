"""The protocol: draw replicates, score their first n trials for every n, compare each ranking with gold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OutcomeError, ParameterError
from ..grouped import frozen
from ..metrics import Metric
from ..metrics.registry import as_metrics
from ..outcome_set import OutcomeSet
from ..parallel import Progress, run
from ..params import budget
from .banks import Bank, Grid, Scheme, Seeds, read_banks
from .gold import Gold, gold_rankings
from .result import Convergence, ConvergenceTable, first_of_the_last_stretch
from .scoring import Scorer, scorer

_CHUNK = 32  # replicates that share a seed: another number would give other replicates
_SEED_WORDS = 3
_LARGEST_TABLE = 1 << 24  # scores of a metric over n and successes, 128 MiB

Compared = list[tuple[NDArray[np.float64], NDArray[np.bool_]]]


def convergence(
    metrics: Metric | str | Sequence[Metric | str],
    outcomes: Any,
    *,
    gold: Any = "full",
    n: Any = None,
    replicates: int = 1000,
    scheme: Scheme = "rows",
    replace: bool = True,
    free_ties: bool = False,
    rng: int | np.random.Generator | None = None,
    n_jobs: int | None = None,
    progress: bool = True,
) -> ConvergenceTable:
    """How many trials a ranking of models needs: tau-b to ``gold`` against ``n``, and convergence@n, over replicates.

    A replicate is a sequence of trials drawn from the outcomes; its first ``n`` are scored and ranked for every ``n``.
    All metrics see the same replicates.

    ``gold`` is ``"full"`` (each metric's own ranking on all trials), a Metric, or one ranking as ``rank_agreement``
    takes it: scores, or names from best to worst. With ``free_ties`` models that tie in gold may come in any order.
    ``n`` is the largest, or a list of those wanted; every one up to the fewest trials of a question if left out, which
    is too much for thousands of trials.

    ``scheme="rows"`` draws each question's trials by themselves, ``"columns"`` whole runs, for which ``outcomes`` must
    be arrays. With ``replace`` (the bootstrap) a trial may be drawn again and ``n`` may exceed the trials there are;
    without it a replicate is a random order of the trials, and ends at ``"full"`` gold.

    ``rng`` alone decides the result: neither ``n_jobs`` (joblib, threads unless ``joblib.parallel_config`` says
    otherwise) nor the order in which chunks finish. ``progress`` shows on a terminal once a second has passed.

    >>> R = {"a": [[1, 1, 0, 1], [1, 1, 1, 1]], "b": [[0, 1, 0, 0], [0, 1, 1, 0]]}
    >>> found = convergence("avg", R, replicates=200, rng=0)
    >>> found["avg"].mean, found["avg"].never
    (1.336734693877551, 0.02)
    """
    chosen = as_metrics(metrics)
    models, banks = read_banks(outcomes, scheme, replace)
    grid = _grid(n, min(bank.trials for bank in banks), replace)
    golds = gold_rankings(gold, chosen, models, free_ties)
    study = Study(banks, scorer(chosen, models, grid), golds, _seed(rng))
    replicates = budget("replicates", replicates)
    jobs = [(i, min(_CHUNK, replicates - i * _CHUNK)) for i in range(-(-replicates // _CHUNK))]
    with Progress("convergence", len(jobs), progress) as shown:
        chunks = run(jobs, study.chunk, n_jobs, shown)
    return ConvergenceTable(tuple(_result(study, i, chunks, models, scheme) for i in range(len(chosen))))


@dataclass(frozen=True, eq=False)
class Study:
    """Everything that a chunk of replicates needs."""

    banks: tuple[Bank, ...]
    score: Scorer
    golds: tuple[Gold, ...]
    seed: int

    def chunk(self, index: int, size: int) -> Compared:
        """Tau-b and whether it is the gold ranking, (replicates, n) of each metric, in the chunk of this index."""
        seeds = self._seeds(index)[:, :size]
        scores = [self.score(bank, of_bank) for bank, of_bank in zip(self.banks, seeds, strict=True)]
        by_metric = np.stack(scores, axis=1)
        return [gold.compare(each) for gold, each in zip(self.golds, by_metric, strict=True)]

    def _seeds(self, index: int) -> Seeds:
        """Words of seed for each model and replicate of the chunk."""
        count = len(self.banks) * _CHUNK * _SEED_WORDS
        words: Seeds = np.random.SeedSequence(self.seed, spawn_key=(index,)).generate_state(count, np.uint64)  # type: ignore[assignment]
        return words.reshape(-1, _CHUNK, _SEED_WORDS)


def _result(study: Study, i: int, chunks: list[Compared], models: OutcomeSet, scheme: Scheme) -> Convergence:
    same = np.concatenate([chunk[i][1] for chunk in chunks])
    return Convergence(
        metric=study.score.metrics[i],
        models=models.names,
        gold=study.golds[i].ranks,
        n=frozen(study.score.n),
        tau=frozen(np.concatenate([chunk[i][0] for chunk in chunks])),
        converged=frozen(first_of_the_last_stretch(same, study.score.n)),
        scheme=scheme,
        replace=study.banks[0].replace,
        free_ties=study.golds[i].free_ties,
        seed=study.seed,
    )


def _grid(n: Any, trials: int, replace: bool) -> Grid:
    """The values of ``n``, ascending."""
    wanted: Sequence[int]
    if np.ndim(n) == 0:
        wanted = range(1, (trials if n is None else budget("n", n)) + 1)
    else:
        wanted = sorted({budget("n", each) for each in n})
    if not wanted:
        raise ParameterError("n must be a number of trials or a list of them; got none")
    if wanted[-1] > trials and not replace:
        raise OutcomeError(f"n = {wanted[-1]} trials cannot be drawn without replacement from {trials}")
    if len(wanted) * wanted[-1] > _LARGEST_TABLE:
        raise ParameterError(f"{len(wanted)} values of n up to {wanted[-1]} are too many: give a list of fewer of them")
    return np.array(wanted, dtype=np.intp)


def _seed(rng: int | np.random.Generator | None) -> int:
    """The number that all replicates follow from."""
    if rng is None or isinstance(rng, np.random.Generator):
        return int(np.random.default_rng(rng).integers(2**63))
    if isinstance(rng, bool) or not isinstance(rng, (int, np.integer)) or rng < 0:
        raise ParameterError(f"rng must be None, an integer >= 0 or a numpy Generator; got {rng!r}")
    return int(rng)
