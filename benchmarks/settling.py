"""What honest looks buy: trials until two models, or eight, are settled, at the observed rates of real models.

    python benchmarks/settling.py --data DIR

``DIR`` holds ``.npz`` files with ``correct`` (models, questions) and ``trials``. Pairs of models are grouped by the
trials per question that an oracle, who knows the difference, would need for a power of 80%. A call is right when the
better model is called.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from looked_at import counts_at, real_rates
from scipy.special import ndtri

from scorio import OutcomeMatrix, PassAtK
from scorio.inference import Level, Looks, quantile_interval

BUDGET, CONFIDENCE = 64, 0.95
BINS = (0.0, 1.0, 4.0, 16.0, 64.0, 256.0)
RULES = ("all 64", "naive", "budget 64", "around 16")
RATE = PassAtK(1)


@dataclass
class Run:
    """One run: the posterior mean of Pass@1 at every look, and how far the intervals reach, (rules, looks) each."""

    mean: np.ndarray
    down: np.ndarray
    up: np.ndarray

    def beats(self, other: Run) -> np.ndarray:
        """Whether the interval of the difference from the other run lies above zero, by rule and look."""
        return self.mean - other.mean > np.hypot(self.down, other.up)


def run(rates: np.ndarray, looks: np.ndarray, errors: np.ndarray, rng: np.random.Generator) -> Run:
    """One run of one model, with intervals of these error probabilities, (rules, looks)."""
    numbers = np.empty((len(looks), len(errors), 3))
    for at, (n, counts) in enumerate(zip(looks, counts_at(rates, looks.tolist(), rng), strict=True)):
        posterior = RATE.posterior(OutcomeMatrix.from_counts(counts, int(n)), prior="learned")
        for rule, error in enumerate(errors[:, at]):
            mu, _, lo, hi = quantile_interval(posterior, Level(CONFIDENCE, error), (0.0, 1.0))
            numbers[at, rule] = mu, mu - lo, hi - mu
    mean, down, up = np.moveaxis(numbers, 2, 0)
    return Run(mean[:, 0], down.T, up.T)


def errors_of(rules: tuple[str, ...], looks: np.ndarray, comparisons: int = 1) -> np.ndarray:
    """The probability of both tails of intervals at every look, by rule; 0 where a rule does not look."""
    alpha = 2.0 * (1.0 - CONFIDENCE) / comparisons
    rows = []
    for rule in rules:
        kind, number = rule.split() if " " in rule else (rule, "0")
        if kind == "naive":
            rows.append(np.full(len(looks), alpha))
        elif kind == "all":
            rows.append(np.where(looks == looks[-1], alpha, 0.0))
        else:
            chosen = Looks(trials=float(number)) if kind == "budget" else Looks(around=float(number))
            rows.append(np.array([chosen.tail(float(n), alpha) for n in looks]))
    return np.array(rows)


def oracle(one: np.ndarray, other: np.ndarray) -> float:
    """Trials per question for a power of 80% at a known difference."""
    gap = one.mean() - other.mean()
    single = (one @ (1 - one) + other @ (1 - other)) / len(one) ** 2
    return float((ndtri(CONFIDENCE) + ndtri(0.8)) ** 2 * single / gap**2) if gap else np.inf


def pairs(data: Path, runs: int, most: int, rng: np.random.Generator) -> None:
    """The table of pairs."""
    looks = np.arange(1, BUDGET + 1)
    errors = errors_of(RULES, looks)
    found: dict[str, dict[str, list[tuple[int, int]]]] = {}
    for rates in real_rates(data).values():
        chosen = rates[rng.permutation(len(rates))[:most]]
        paths = [[run(each, looks, errors, rng) for _ in range(runs)] for each in chosen]
        for i in range(len(chosen)):
            for j in range(i, len(chosen)):
                group = "same model" if i == j else name_of(oracle(chosen[i], chosen[j]))
                truth = int(np.sign(chosen[i].mean() - chosen[j].mean()))
                for a in range(runs):
                    if i == j and a % 2:
                        continue
                    one, other = paths[i][a], paths[j][(a + 1) % runs if i == j else a]
                    signs = one.beats(other).astype(int) - other.beats(one).astype(int)
                    for rule, row in zip(RULES, signs, strict=True):
                        found.setdefault(group, {}).setdefault(rule, []).append(called(row, truth))
    print(f"{'oracle trials':14} {'rule':10} right  (se)    wrong  (se)    trials  pairs")
    for group in sorted(found):
        for rule in RULES:
            print(f"{group:14} {rule:10} {line(np.array(found[group][rule]))}")


def name_of(trials: float) -> str:
    """The group of a pair."""
    for low, high in pairwise(BINS):
        if low <= trials < high:
            return f"{low:3.0f} - {high:3.0f}"
    return "beyond 256"


def called(signs: np.ndarray, truth: int) -> tuple[int, int]:
    """The first call: 1 right, -1 wrong, 0 none; and the trials at which it came."""
    over = np.flatnonzero(signs)
    if not over.size:
        return 0, len(signs)
    first = int(over[0])
    return (1 if signs[first] == truth else -1), first + 1


def line(calls: np.ndarray) -> str:
    """Shares with standard errors, and mean trials."""
    parts = []
    for sign in (1, -1):
        share = float((calls[:, 0] == sign).mean())
        smoothed = ((calls[:, 0] == sign).sum() + 1.0) / (len(calls) + 2.0)
        parts.append(f"{share:.3f} ({np.sqrt(smoothed * (1 - smoothed) / len(calls)):.3f})")
    return f"{'  '.join(parts)}  {calls[:, 1].mean():6.1f}  {len(calls)}"


def boards(data: Path, runs: int, models: int, rng: np.random.Generator) -> None:
    """The table of leaderboards: trials per question and model until one model is best."""
    looks = np.arange(4, 129, 4)
    print(f"\n{models} models, a look every 4 trials, budget 128: trials per question and model until settled")
    for tied in (False, True):
        rules = ("naive", "budget 128", "around 16")
        errors = errors_of(rules, looks, models - 1)
        # The same simulated runs for every rule: (boards, rules, numbers).
        results = np.array([board(rates, looks, errors, models, tied, rng) for rates in chosen_rates(data, runs, rng)])
        for which, rule in enumerate(rules):
            wrong, right, even, dropped = results[:, which].T
            error = np.sqrt(max(wrong.mean(), 1 / len(wrong)) * (1 - wrong.mean()) / len(wrong))
            kind = "two best tied, any single best is wrong" if tied else "as observed"
            print(
                f"{kind:40} {rule:10} wrong best {wrong.mean():.3f} ({error:.3f}), "
                f"settled {right.mean() + wrong.mean():.3f}, "
                f"uniform {even.mean():.1f}, dropping {dropped.mean():.1f}"
            )


def chosen_rates(data: Path, runs: int, rng: np.random.Generator) -> list[np.ndarray]:
    """The rates of one bank with enough models, once for every run."""
    banks = [rates for rates in real_rates(data).values() if len(rates) >= 8]
    return [banks[i % len(banks)] for i in range(runs)]


def board(
    rates: np.ndarray, looks: np.ndarray, errors: np.ndarray, models: int, tied: bool, rng: np.random.Generator
) -> list[tuple[float, float, float, float]]:
    """Of every rule: wrong and right calls, and the trials per model, uniform and with beaten models dropped."""
    chosen = rates[rng.permutation(len(rates))[:models]]
    chosen = chosen[np.argsort(-chosen.mean(axis=1))]
    if tied:
        chosen[1] = chosen[0]
    paths = [run(each, looks, errors, rng) for each in chosen]
    return [outcome(paths, looks, rule, tied) for rule in range(len(errors))]


def outcome(paths: list[Run], looks: np.ndarray, rule: int, tied: bool) -> tuple[float, float, float, float]:
    """The end of one leaderboard by one rule."""
    models = len(paths)
    alive, spent = list(range(models)), np.zeros(models)
    for at, n in enumerate(looks):
        spent[alive] = n
        leader = max(alive, key=lambda i: paths[i].mean[at])
        alive = [i for i in alive if i == leader or not paths[leader].beats(paths[i])[rule, at]]
        if len(alive) == 1:
            break
    single = len(alive) == 1
    is_wrong = single and (tied or alive[0] != 0)
    return float(is_wrong), float(single and not is_wrong), float(spent.max()), float(spent.mean())


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--models", type=int, default=14, help="models of each bank, at most")
    parser.add_argument("--boards", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    pairs(arguments.data, arguments.runs, arguments.models, rng)
    boards(arguments.data, arguments.boards, 8, rng)


if __name__ == "__main__":
    main()
