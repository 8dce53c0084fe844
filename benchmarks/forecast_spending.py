"""Where trials should go for a forecast: evenly, by the published rule, or by ``next_trials``.

python benchmarks/forecast_spending.py --out results.jsonl [--bank BANK.npz] [--draws 60] [--trials 16 64]
python benchmarks/forecast_spending.py --out results.jsonl --page       # the tables of docs/forecast.md
python benchmarks/forecast_spending.py --expected --out results.jsonl [--bank BANK.npz]     # what plans expect

All ways spend the same trials on the same questions, and each is followed by the interval of Pass@10,000. The published
rule (Kazdan et al. 2025, arXiv:2510.05197) gives each trial to the question with the fewest successes, and then the
fewest trials; "their fit" is the forecast that they make of its outcomes. ``next_trials`` starts with a quarter of the
trials, spread evenly, and is asked again after every eighth. Worlds and banks are those of ``forecast.py``.

With ``--expected``, plans from 64 trials of each question are carried out: 64 more of each, and as many by
``next_trials``. The half width that was expected is compared with the one that is reached.
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
from forecast import PENALTY, ROUNDING, WORLDS, worlds
from published_forecasts import by_beta_binomial_of, fewest_successes

from scorio import OutcomeMatrix, PassAtK, next_trials
from scorio.errors import ForecastWarning, PriorWarning, TrialsWarning
from scorio.inference import LEARNED, Level, as_prior
from scorio.planning._entrants import entrants
from scorio.planning._futures import Futures
from scorio.planning._next_trials import _allocated, _task

K, ROUNDS, FIRST = 10_000, 6, 4  # rounds of next_trials, after one part in FIRST
LEVEL, FUTURES = Level(0.95), 12
CHOSEN = (
    "Beta(.4, 2)",
    "a fifth hopeless, Beta(.3, 1)",
    "log-uniform from 1e-4",
    "log-uniform from 1e-6",
    "logit-normal(-4, 2)",
    "spikes 0 .01 .5",
)


def chosen_worlds(bank):
    """Names and rates of worlds: some of the simulated ones, or the models of a bank."""
    return {name: WORLDS[name] for name in CHOSEN} if bank is None else worlds(bank)


def spent_evenly(rate, trials, rng):
    """Outcomes of as many trials of every question."""
    return OutcomeMatrix.from_counts(rng.binomial(trials, rate), trials)


def spent_as_published(rate, trials, rng):
    """Outcomes of as many trials in all by the published rule."""
    return OutcomeMatrix.from_counts(*fewest_successes(rate, trials * len(rate), rng)).as_adaptive()


def spent_by_next_trials(rate, trials, rng):
    """Outcomes of as many trials in all by ``next_trials``, asked again and again.

    Only the trials are computed, and not the half widths to expect of them.
    """
    asked = np.full(len(rate), trials // FIRST)
    solved = rng.binomial(asked, rate)
    for part in np.diff(np.linspace(asked.sum(), trials * len(rate), ROUNDS + 1).astype(int)):
        outcomes = OutcomeMatrix.from_counts(solved, asked)
        entered = entrants(PassAtK(K), outcomes.as_adaptive() if np.ptp(asked) else outcomes)
        more, _ = _allocated(_task(entered, 1.0, LEVEL), entered, float(part), None)
        asked, solved = asked + more, solved + rng.binomial(more, rate)
    return OutcomeMatrix.from_counts(solved, asked).as_adaptive()


WAYS = {"even": spent_evenly, "published": spent_as_published, "next_trials": spent_by_next_trials}


def judged(outcomes, truth):
    """Half width, distance of the mean from the truth, whether the interval covers it, and its score."""
    interval = PassAtK(K).interval(outcomes)
    miss = max(interval.lo - truth, truth - interval.hi, 0.0)
    width = interval.hi - interval.lo
    return width / 2.0, abs(interval.mu - truth), miss <= ROUNDING, width + PENALTY * miss


def drawn(rate, trials, rng):
    """Of one draw: the numbers of every way."""
    truth = float(np.mean(-np.expm1(K * np.log1p(-np.minimum(rate, 1.0 - 1e-16)))))
    fit = np.nan
    for way, spend in WAYS.items():
        outcomes = spend(rate, trials, rng)
        yield way, judged(outcomes, truth)
        if way == "published":
            fit = float(by_beta_binomial_of(outcomes.counts[:, 1], outcomes.trials, [K])[0])
    yield "their fit", (np.nan, abs(fit - truth), np.nan, np.nan)


def expected(rate, trials, rng):
    """Of one draw: half widths that are expected of as many trials again, and those that are reached."""
    solved = rng.binomial(trials, rate)
    outcomes = OutcomeMatrix.from_counts(solved, trials)
    futures = Futures(PassAtK(K), outcomes, as_prior(LEARNED), range(FUTURES), LEVEL)
    hoped = LEVEL.critical() * futures.variance(trials) ** 0.5
    later = OutcomeMatrix.from_counts(solved + rng.binomial(trials, rate), 2 * trials)
    yield "even", (hoped, judged(later, 0.0)[0])
    plan = next_trials(PassAtK(K), outcomes, trials * len(rate))
    [more] = plan.trials
    later = OutcomeMatrix.from_counts(solved + rng.binomial(more, rate), trials + more).as_adaptive()
    yield "next_trials", (plan.half_width, judged(later, 0.0)[0])


def run(arguments):
    """Write one line per world, trials and way: draws, means and their standard errors."""
    with Path(arguments.out).open("a", encoding="utf-8") as file:
        for name, rates in chosen_worlds(arguments.bank).items():
            for trials in [64] if arguments.expected else arguments.trials:
                rng = np.random.default_rng([arguments.seed, trials])
                found = {}
                for _ in range(arguments.draws):
                    for way, numbers in (expected if arguments.expected else drawn)(rates(rng), trials, rng):
                        found.setdefault(way, []).append(numbers)
                for way, rows in found.items():
                    values = np.array(rows, dtype=float)
                    error = values.std(axis=0) / np.sqrt(len(rows))
                    about = {"world": name, "bank": arguments.bank is not None, "trials": trials, "way": way}
                    if arguments.expected:
                        gap = values[:, 0] - values[:, 1]
                        about["gap"] = [gap.mean(), gap.std() / np.sqrt(len(gap))]
                    about |= {"draws": len(rows), "mean": values.mean(axis=0).tolist(), "error": error.tolist()}
                    file.write(json.dumps(about) + "\n")
                file.flush()


def page(path):
    """Print a table of worlds, and of the mean over the models of a bank."""
    rows = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
    groups = {}
    for row in rows:
        name = "MATH" if row["bank"] else row["world"]
        groups.setdefault((name, row["trials"]), {}).setdefault(row["way"], []).append(row)
    for (name, trials), ways in groups.items():
        means = np.array([np.mean([each["mean"] for each in of], axis=0) for of in ways.values()])
        cells = [
            f"{name}, {trials}",
            *(", ".join(f"{each:.2f}" for each in column[~np.isnan(column)]) for column in means.T[:3]),
        ]
        errors = [np.sqrt(np.sum([np.square(each["error"]) for each in of], axis=0)) / len(of) for of in ways.values()]
        cells.append(" ".join(f"{each:.3f}" for each in np.nanmax(errors, axis=0)))
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--bank", type=Path)
    parser.add_argument("--draws", type=int, default=60)
    parser.add_argument("--trials", type=int, nargs="+", default=[16, 64])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--expected", action="store_true")
    parser.add_argument("--page", action="store_true")
    chosen = parser.parse_args()
    for kind in (ForecastWarning, PriorWarning, TrialsWarning):
        warnings.simplefilter("ignore", kind)
    page(chosen.out) if chosen.page else run(chosen)
