"""Leaderboards and suites: errors of families of pairs, the top set, winners that were chosen, overall scores."""

import numpy as np
from runner import grid, study
from worlds import Z, banks, expit, hermite, inside, tried, worth

from scorio import Leaderboard, Looks, OutcomeMatrix, OutcomeSet, Suite, compare
from scorio.inference import Interval
from scorio.rank._chosen import chosen_score

FAMILIES = ("each", "holm", "fdr", "simultaneous")
SPREAD = 2.0  # of difficulties, in logits
APART = (2.0, 1.6, 1.2, 0.8, 0.4, 0.0)
ABILITIES = {  # in logits
    "2 equal": (0.0,) * 2,
    "6 equal": (0.0,) * 6,
    "20 equal": (0.0,) * 20,
    "50 equal": (0.0,) * 50,
    "6: two tied best": (0.5, 0.5, 0.0, 0.0, 0.0, 0.0),
    "6: one best": (0.5, 0.0, 0.0, 0.0, 0.0, 0.0),
    "6: all different": (1.0, 0.8, 0.6, 0.4, 0.2, 0.0),
    "6: far apart": APART,
    "20: four groups": tuple(np.repeat([0.9, 0.6, 0.3, 0.0], 5)),
    "50: two tied best": (0.8, 0.8, *np.linspace(0.6, 0.0, 48)),
}
PAIRS = [
    {"world": world, "size": size} | ({"worlds": 0.25} if ABILITIES[world][6:] else {})
    for world, size in (
        *((name, (60, 8 if len(own) == 6 else 4)) for name, own in ABILITIES.items() if len(own) > 2),
        *(
            ("6 equal", (60, 1)),
            ("6 equal", (20, 4)),
            ("6 equal", (500, 2)),
            ("2 equal", (5, 64)),
            ("50 equal", (60, 1)),
        ),
        *(("50 equal", (60, 64)), ("50 equal", (5, 8)), ("50 equal", (500, 4))),
        *(("6: far apart", (5, 4)), ("6: far apart", (10, 2))),
    )
]


def true_scores(p, abilities, target, metric="pass@1"):
    """The true scores of models on these questions, or on all that they were drawn from."""
    if target == "questions":
        return worth(metric, p).mean(axis=1)
    nodes, shares = hermite(80)
    return worth(metric, expit(np.array(abilities)[:, None] - SPREAD * nodes)) @ shares


def called(pairs, gaps, family):
    """Errors and power of the pairs of a family, whose true gaps are known."""
    better = np.array([pair.better is not None for pair in pairs])
    false, differ = better & (gaps <= 1e-12), gaps > 1e-12
    found = {f"{family}: any false": false.any()}
    if family == "fdr":
        found = {"fdr: false share": false.sum() / max(better.sum(), 1)}
    if family == "simultaneous":
        held = all(inside(pair, gap) for pair, gap in zip(pairs, gaps, strict=True))
        found["simultaneous intervals hold"] = held
    return found | ({f"{family}: differences called": (better & differ).sum() / differ.sum()} if differ.any() else {})


@study(PAIRS, page="RESULTS.md", mark="pairs")
def pairs(rng, world, size, target="questions"):
    """Pairs of many models: errors and power of each family, the top set, and intervals of ranks."""
    abilities, (questions, trials) = ABILITIES[world], size
    p = expit(np.array(abilities)[:, None] - rng.normal(0.0, SPREAD, questions))
    truth = true_scores(p, abilities, target)
    models = {f"m{i:02d}": tried(each, trials, rng) for i, each in enumerate(p)}
    ranking, found = Leaderboard("pass@1", models, target=target)["pass@1"], {}
    place = {name: i for i, name in enumerate(ranking.models)}
    for family in FAMILIES:
        rows = ranking.pairs(family)
        gaps = np.array([truth[place[pair.first]] - truth[place[pair.second]] for pair in rows])
        found |= called(rows, gaps, family)
    above = 1 + (truth[None, :] > truth[:, None] + 1e-12).sum(axis=1)  # equal models share the ranks between them
    below = len(truth) - (truth[None, :] < truth[:, None] - 1e-12).sum(axis=1)
    reach = ranking.rank_intervals
    return found | {
        "top loses a best model": not ranking.tied_with_top[truth >= truth.max() - 1e-12].all(),
        "models in top": ranking.tied_with_top.sum(),
        "all ranks in their intervals": bool(((reach[:, 0] <= above) & (reach[:, 1] >= below)).all()),
    }


@study(PAIRS, worlds=240, page="RESULTS.md", mark="pairs of population")
def pairs_of_population(rng, world, size):
    """The same for questions like these."""
    return pairs(rng, world, size, "population")


NORMAL = {  # true values in standard errors
    "equal": lambda n, rng: np.zeros(n),
    "spread 1": lambda n, rng: rng.standard_normal(n),
    "spread 2": lambda n, rng: 2.0 * rng.standard_normal(n),
    **{f"two groups {g} apart": lambda n, rng, g=g: np.where(np.arange(n) % 2, 0.0, g) for g in (2.0, 4.0)},
    **{f"one {g} ahead": lambda n, rng, g=g: np.where(np.arange(n), 0.0, g) for g in (2.0, 3.0, 4.0, 6.0)},
}


def judged(best, truth, *, points=False):
    """What the plain and the corrected interval of a winner hold, bias in standard errors, and relative width."""
    plain = best.plain
    error = max((plain.hi - plain.lo) / (2.0 * Z), 1e-9)
    found = {
        "plain covers": inside(plain, truth),
        "corrected covers": inside(best, truth),
        "plain bias": (best.observed - truth) / error,
        "corrected bias": (best.score - truth) / error,
        "width": (best.hi - best.lo) / (plain.hi - plain.lo),
    }
    return found | ({"points": 100.0 * (best.score - truth)} if points else {})


@study([*grid(world=list(NORMAL), models=(2, 10, 40, 100), errors=("equal",)),
        *grid(world=("equal", "spread 1"), models=(2, 10, 40), errors=("unequal",))],
       page="RESULTS.md", mark="winner")  # fmt: skip
def winner(rng, world, models, errors):
    """The winner of scores that are normal around true values: coverage and bias, plain and corrected."""
    sd = np.ones(models) if errors == "equal" else np.where(np.arange(models) % 2, 2.0, 0.7)
    truth = NORMAL[world](models, rng)
    scores = truth + sd * rng.standard_normal(models)
    plain = [Interval(x, s, x - Z * s, x + Z * s) for x, s in zip(scores.tolist(), sd.tolist(), strict=True)]
    best = chosen_score([*map(str, range(models))], scores, np.diag(sd**2), plain, np.full(models, Z))
    return judged(best, float(truth[int(best.model)]))


EVEN = tuple(np.linspace(-0.3, 0.3, 10))
WINNERS = (
    *(("equal", (0.0,) * n, size, "pass@1") for n, size in ((2, (100, 4)), (10, (100, 4)), (40, (100, 4)),
                                                            (10, (500, 1)), (40, (500, 1)))),
    ("equal", (0.0,) * 10, (100, 4), "pass@4"),
    ("equal, 2 or 8 trials", (0.0,) * 10, (100, 0), "pass@1"),
    ("spread", EVEN, (100, 4), "pass@1"),
    ("spread", tuple(np.linspace(-0.3, 0.3, 40)), (100, 4), "pass@1"),
    ("two groups", (0.0, 0.5) * 5, (100, 4), "pass@1"),
    ("one ahead by .8", (0.0,) * 9 + (0.8,), (100, 4), "pass@1"),
)  # fmt: skip


@study([{"world": name, "models": len(own), "size": size, "metric": metric, "target": target}
        for target, worlds in (("questions", WINNERS), ("population", (WINNERS[1], WINNERS[7])))
        for name, own, size, metric in worlds], worlds=200, page="RESULTS.md", mark="winner of outcomes")  # fmt: skip
def winner_of_outcomes(rng, world, models, size, metric, target):
    """The winner of a leaderboard of outcomes."""
    [own] = {own for name, own, *_ in WINNERS if (name, len(own)) == (world, models)}
    p = expit(np.array(own)[:, None] - rng.normal(0.0, SPREAD, size[0]))
    trials = np.full(models, size[1]) if size[1] else np.where(np.arange(models) % 2, 2, 8)
    return _of_board(p, trials, metric, true_scores(p, own, target, metric), target, rng)


def _of_board(p, trials, metric, truth, target, rng):
    outcomes = OutcomeSet({str(i): tried(each, n, rng) for i, (each, n) in enumerate(zip(p, trials, strict=True))})
    best = Leaderboard(metric, outcomes, target=target).leader_score
    return judged(best, float(truth[int(best.model)]), points=True)


@study(lambda: grid(bank=list(banks()), trials=(1, 2, 4)), worlds=200, page="RESULTS.md", mark="winner of banks")
def winner_of_banks(rng, bank, trials):
    """The winner of real models (``--data``) on 100 of their questions, at their observed rates."""
    of = banks()[bank]
    p = of[:, rng.choice(of.shape[1], min(100, of.shape[1]), replace=False)]
    return _of_board(p, [trials] * len(p), "pass@1", p.mean(axis=1), "questions", rng)


@study(lambda: grid(bank=list(banks()), models=(10, 40), trials=(4, 16), apart=(0.0, 0.1)), worlds=200,
       page="RESULTS.md", mark="near equal models")  # fmt: skip
def near_equal_models(rng, bank, models, trials, apart):
    """The winner of shifted checkpoints of one of the five best real models (``--data``), on 30 questions."""
    of = banks()[bank]
    best = rng.choice(of[np.argsort(-of.mean(axis=1))[:5]])
    p = best[rng.choice(of.shape[1], 30, replace=False)].clip(1e-4, 1.0 - 1e-4)
    p = expit(np.log(p / (1.0 - p)) + apart * rng.standard_normal((models, 1)))
    return _of_board(p, [trials] * models, "pass@1", p.mean(axis=1), "questions", rng)


TASKS = {"hard": ((0.15, 1.5),), "mixed": ((0.15, 1.5), (3.0, 0.3), (1.0, 1.0), (0.3, 0.3))}  # Beta distributions


def _suite(rng, world, tasks, trials, target):
    """Two models on tasks of 5 to 150 questions, half of which are as hard for both; and their true scores."""
    outcomes, truth = {}, np.zeros(2)
    for task in range(tasks):
        count = int(np.exp(rng.uniform(np.log(5), np.log(150))))
        a, b = TASKS[world][rng.integers(len(TASKS[world]))]
        p = rng.beta(a, b, (2, count))
        p[1] = np.where(rng.random(count) < 0.5, p[0], p[1])
        truth += (np.full(2, a / (a + b)) if target == "population" else p.mean(axis=1)) / tasks
        outcomes[f"task {task}"] = {name: tried(each, trials, rng) for name, each in zip("ab", p, strict=True)}
    return Suite(outcomes), truth


@study(grid(world=("hard",), target=("questions", "population"), tasks=(2, 10, 30), trials=(1, 4))
       + grid(world=("mixed",), target=("questions", "population"), tasks=(2, 10, 30), trials=(4,)),
       page="RESULTS.md", mark="suites")  # fmt: skip
def suites(rng, world, target, tasks, trials):
    """Coverage of overall scores, of the difference of two models, and of a plain sum of means and variances."""
    suite, truth = _suite(rng, world, tasks, trials, target)
    board = Leaderboard("pass@1", suite, target=target)
    parts = np.array([[tuple(each) for each in ranking.intervals] for ranking in board.tasks.values()])
    reach = Z * np.sqrt((parts[..., 1] ** 2).sum(axis=0)) / len(parts)
    difference = compare("pass@1", *(suite.select(models=[name]) for name in "ab"), target=target)
    return {
        "overall": np.mean([inside(each, value) for each, value in zip(board.intervals, truth, strict=True)]),
        "difference": inside(difference, truth[0] - truth[1]),
        "plain sum": np.mean(np.abs(parts[..., 0].mean(axis=0) - truth) <= reach),
    }


@study(grid(world=list(TASKS), tasks=(2, 10, 30)), worlds=200)
def suite_limits(rng, world, tasks):
    """Suites of single trials beside the upper limit of their noise, which is the variance of the outcomes."""
    suite, truth = _suite(rng, world, tasks, 1, "questions")
    board, rows = Leaderboard("pass@1", suite), []
    for name, interval, score, value in zip(suite.models, board.intervals, board.scores, truth, strict=True):
        solved = [each[name].successes for each in suite.values()]
        reach = Z * np.sqrt(sum(each.var(ddof=1) / len(each) for each in solved)) / tasks
        ratio = (interval.hi - interval.lo) / 2.0 / reach if reach else np.nan
        rows.append((ratio, inside(interval, value), abs(score - value) <= reach))
    return dict(zip(("width over the limit", "covers", "limit covers"), np.nanmean(rows, axis=0), strict=True))


SIZES, BUDGET = (60, 25, 8), 12
EVERYTHING = tuple(range(len(SIZES)))
LOOKS = {"budget": Looks(trials=BUDGET, confidence=0.9), "around": Looks(around=4, confidence=0.9)}


@study([{"trials_come": "together", "about": target} for target in ("questions", "population")]
       + grid(trials_come=("in turn", "at random"), about=("questions",)),
       worlds=300, page="RESULTS.md", mark="suite looks")  # fmt: skip
def suite_looks(rng, trials_come, about):
    """Two equal models on three tasks, with a look after every round of trials, and two tied leaders of three."""
    p = [rng.beta(0.5, 0.5, size) for size in SIZES]
    counts, trials = [np.zeros((3, size), int) for size in SIZES], [0] * len(SIZES)
    rest = [(task,) for task in EVERYTHING for _ in range(BUDGET - 1)]  # after one trial of everything
    if trials_come == "at random":
        rest = [rest[i] for i in rng.permutation(len(rest))]
    found = dict.fromkeys(("single look", *LOOKS, "best lost"), False)
    for chosen in [EVERYTHING] * BUDGET if trials_come == "together" else [EVERYTHING, *rest]:
        for task in chosen:
            worse = np.clip(p[task] - 0.15, 0.0, 1.0)
            counts[task] += rng.random((3, SIZES[task])) < [p[task], p[task], worse]
            trials[task] += 1
        suite = Suite({f"task {task}": OutcomeSet({name: OutcomeMatrix.from_counts(row, trials[task])
                                                   for name, row in zip("abc", each, strict=True)})
                       for task, each in enumerate(counts)})  # fmt: skip
        pair = [suite.select(models=[name]) for name in "ab"]
        for name, looks in {"single look": None, **LOOKS}.items():
            found[name] |= compare("pass@1", *pair, confidence=0.9, looks=looks, target=about).winner is not None
        if trials_come == "together":
            board = Leaderboard("pass@1", suite, target=about, looks=LOOKS["budget"])
            found["best lost"] |= not board.tied_with_top[:2].all()
    return found if trials_come == "together" else {k: v for k, v in found.items() if k != "best lost"}
