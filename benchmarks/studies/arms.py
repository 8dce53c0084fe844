"""Arms, such as runs with and without a skill, on few tasks with a few runs each, and how alike runs of a task end."""

import numpy as np
from runner import grid, study
from scipy.stats import t
from worlds import Z, expit, rates, tried

from scorio import compare
from scorio.arms import MARGIN
from scorio.metrics import AgreementAtK

WORLDS = ("U(0, 1)", "Beta(.4, .4)", "at(.5)", "at(.2, .8)")
TASKS, RUNS = (1, 2, 3, 4, 6, 10), (3, 5, 10)
DRAWS = 400  # of the bootstrap


def verdict(one, other):
    """What the comparison of an arm with the one without says, as ``analyze_arms`` puts it."""
    these = compare("pass@1", one, other)
    if these.lo > -MARGIN and these.hi < MARGIN:
        return "practically equal"
    return {None: "cannot tell", "A": "helps", "B": "hurts"}[these.winner]


def bootstrap(one, other, rng):
    """Whether the middle 95% of differences of resampled runs excludes zero; every task keeps its number of runs."""
    ends = [rng.binomial(arm.trials, arm.successes / arm.trials, (DRAWS, len(arm.trials))) for arm in (one, other)]
    differences = (ends[0] / one.trials - ends[1] / other.trials).mean(axis=1)
    lo, hi = np.quantile(differences, (0.025, 0.975))
    return lo > 0.0 or hi < 0.0


def unpaired_z(one, other):
    """Whether a test of two shares of all runs calls them different."""
    first, second = (arm.successes.sum() / arm.trials.sum() for arm in (one, other))
    sd = np.sqrt(sum(share * (1.0 - share) / one.trials.sum() for share in (first, second)))
    return abs(first - second) > Z * sd


def paired_t(one, other):
    """Whether Student's test of the differences of tasks calls them different."""
    gaps = one.successes / one.trials - other.successes / other.trials
    if len(gaps) == 1:
        return False
    return abs(gaps.mean()) > t.isf(0.025, len(gaps) - 1) * gaps.std(ddof=1) / np.sqrt(len(gaps))


@study(
    [*grid(kind=("equal",), tasks=TASKS, runs=RUNS, world=WORLDS),
     *grid(kind=("helps",), tasks=TASKS, runs=RUNS, world=WORLDS, worlds=(0.4,))],
    worlds=1000, page="RESULTS.md", mark="arms", by=(("kind", "tasks"), ("kind", "runs")),
)  # fmt: skip
def few_runs(rng, kind, tasks, runs, world):
    """Equal arms that are called different, and arms that help (by 1.5 in log-odds) that are found, by rule."""
    p = rates(world, rng, tasks).clip(1e-6, 1.0 - 1e-6)
    q = p if kind == "equal" else expit(np.log(p / (1.0 - p)) + 1.5)
    one, other = tried(q, runs, rng), tried(p, runs, rng)
    said = verdict(one, other)
    return {
        "called": said in ("helps", "hurts"),
        "called equal": said == "practically equal",
        "bootstrap": bootstrap(one, other, rng),
        "unpaired z": unpaired_z(one, other),
        "paired t": paired_t(one, other),
    }


@study(grid(tasks=(1, 2, 4, 8), world=WORLDS), worlds=40, page="RESULTS.md", mark="audits", by=(("tasks",),))
def audits(rng, tasks, world):
    """Two audits of the same 63 skills that change nothing, with 3 runs a side: verdicts that move, and that turn."""
    moved = turned = called = 0
    for _ in range(63):
        p = rates(world, rng, tasks)
        first, second = (verdict(tried(p, 3, rng), tried(p, 3, rng)) for _ in range(2))
        calls = {first, second} & {"helps", "hurts"}
        moved += first != second
        turned += len(calls) == 2
        called += (first in calls) + (second in calls)
    return {"moved": moved / 63, "turned": turned / 63, "called": called / 126}


@study(
    grid(world=("U(0, 1)", "Beta(.3, .3)", "Beta(.3, 1.2)"), tasks=(50, 165), runs=(2, 3, 4, 8, 16)),
    worlds=1000, page="RESULTS.md", mark="consistency", by=(("runs",),),
)  # fmt: skip
def consistency(rng, world, tasks, runs):
    """Consistency of agents, 2 agreement@2 - 1, its error and coverage, and the share of tasks whose runs are alike."""
    p = rates(world, rng, tasks)
    outcomes = tried(p, runs, rng)
    truth = 2.0 * (p**2 + (1.0 - p) ** 2).mean() - 1.0
    metric = AgreementAtK(2)
    agreement = metric.interval(outcomes)
    return {
        "consistency": 2.0 * metric.score(outcomes) - 1.0,
        "error": 2.0 * metric.score(outcomes) - 1.0 - truth,
        "covered": 2.0 * agreement.lo - 1.0 <= truth <= 2.0 * agreement.hi - 1.0,
        "all runs alike": AgreementAtK(runs).score(outcomes),
    }
