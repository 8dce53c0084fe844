"""Looks while trials come in: any-look misses and false calls, and how many trials it takes to settle."""

import numpy as np
from runner import grid, study
from scipy.special import ndtri
from worlds import banks, drawn, inside, named_metric, rates, worth

from scorio import Looks, OutcomeMatrix, RewardMatrix, compare

RULES = {"a single-look statement": None, "Looks(trials=64)": {"trials": 64}, "Looks(around=16)": {"around": 16}}
EVERY, DOUBLING = tuple(range(1, 65)), (1, 2, 4, 8, 16, 32, 64)
BINARY = ("pass@1", "pass@4", "pass^4", "gpass@8:tau=.5")
DIFFICULTIES = ("U(0, 1)", "Beta(.3, .3)", "Beta(.5, 5)", "Beta(5, .5)", "35% at(0) + 25% at(1) + U(0, 1)")
RUBRIC = "avg:weights=0,.5,1"


def looked(metric, runs, truth, **about):
    """Whether any interval of a run misses, and any comparison of two runs of one model calls one, by rule."""
    found = {f"{rule}: {what}": False for rule in RULES for what in ("missed", "called")}
    for one, other in zip(*runs, strict=True):
        for rule, looks in RULES.items():
            for what, confidence in (("missed", 0.95), ("called", 0.9)):
                kept = {"looks": None if looks is None else Looks(**looks, confidence=confidence), **about}
                name = f"{rule}: {what}"
                if found[name]:
                    continue
                if what == "called":
                    found[name] = compare(metric, one, other, confidence=confidence, **kept).winner is not None
                else:
                    found[name] = not inside(metric.interval(one, prior="learned", shape="quantile", **kept), truth)
    return found


def counted(outcomes, looks, **options):
    """The outcomes at every look, of 0/1 trials (questions, trials)."""
    solved = np.cumsum(outcomes, axis=1)
    return [OutcomeMatrix.from_counts(solved[:, n - 1], n, **options) for n in looks]


def _some(world, rng):
    """Rates of 100 questions, or of a random model of a bank."""
    return banks()[world][rng.integers(len(banks()[world]))] if world in banks() else rates(world, rng, 100)


@study(
    lambda: grid(what=(*BINARY, "rubric", "continuous", "pass@1 of the population, clusters"),
                 looks=("doubling", "every trial"), world=(*DIFFICULTIES, *banks())),
    worlds=160, page="RESULTS.md", mark="looks", by=(("what", "looks"),),
)  # fmt: skip
def looks(rng, what, looks, world):
    """Any-look misses of 95% intervals (promised .05) and false calls at 90% confidence (promised .10), by rule."""
    when, p = EVERY if looks == "every trial" else DOUBLING, _some(world, rng)
    if what in BINARY:
        runs = [counted(drawn(p, 64, rng), when) for _ in range(2)]
        return looked(named_metric(what), runs, worth(what, p).mean())
    if what == "rubric":
        q = np.clip(p, 0.02, 0.98)
        edges = np.cumsum([(1 - q) ** 2, 2 * q * (1 - q)], axis=0).T[:, None]
        each = [(rng.random((len(q), 64, 1)) >= edges).sum(axis=2) for _ in range(2)]
        runs = [[OutcomeMatrix(of[:, :n]) for n in when] for of in each]
        return looked(named_metric(RUBRIC), runs, q.mean())
    if what == "continuous":
        q, spread = np.clip(p, 0.02, 0.98)[:, None], rng.uniform(2.0, 8.0, (len(p), 1))
        each = [rng.beta(spread * q, spread * (1.0 - q), (len(p), 64)) for _ in range(2)]
        runs = [[RewardMatrix(of[:, :n], support=(0, 1)) for n in when] for of in each]
        return looked(named_metric("avg"), runs, q.mean())
    shared = np.repeat(rng.choice(p, 25) if world in banks() else rates(world, rng, 25), 4)
    own = rng.choice(p, 100) if world in banks() else p
    truth = p.mean() if world in banks() else rates(world, np.random.default_rng(0), 1_000_000).mean()
    q, labels = np.where(rng.random(100) < 0.5, shared, own), np.repeat(np.arange(25), 4)
    runs = [counted(drawn(q, 64, rng), when, clusters=labels) for _ in range(2)]
    return looked(named_metric("pass@1"), runs, truth, target="population")


BINS = (1.0, 4.0, 16.0, 64.0, 256.0)


def _oracle(p, q):
    """Trials per question for a power of 80% at a known difference and confidence .9, as words."""
    gap, noise = p.mean() - q.mean(), (p @ (1 - p) + q @ (1 - q)) / len(p) ** 2
    trials = (ndtri(0.95) + ndtri(0.8)) ** 2 * noise / gap**2 if gap else np.inf
    return "the same model twice" if not gap else f"up to {BINS[min(np.searchsorted(BINS, trials), 4)]:g}"


@study(
    lambda: grid(bank=list(banks())), worlds=400, page="RESULTS.md", mark="settling", by=(("trials of the oracle",),)
)
def settling(rng, bank):
    """Trials until two real models (``--data``) are told apart at 90%, with a look after each of 64, by rule."""
    of = banks()[bank]
    pair = of[rng.choice(len(of), 2, replace=rng.random() < 0.3)]
    solved = [np.cumsum(drawn(each, 64, rng), axis=1) for each in pair]
    better, found = "AB"[int(pair[0].mean() < pair[1].mean())], {}
    for rule, given in {"all 64": None, **RULES}.items():
        looks = None if given is None else Looks(**given, confidence=0.9)
        for n in EVERY[-1:] if rule == "all 64" else EVERY:
            both = [OutcomeMatrix.from_counts(each[:, n - 1], n) for each in solved]
            winner = compare("pass@1", *both, confidence=0.9, looks=looks).winner
            if winner is not None:
                break
        right = winner == better and not np.array_equal(*pair)
        found |= {f"{rule}: right": right, f"{rule}: wrong": winner is not None and not right, f"{rule}: trials": n}
    yield {"trials of the oracle": _oracle(*pair)}, found


@study(lambda: [row for row in grid(bank=list(banks()), best=("as observed", "two tied"))
                if len(banks()[row["bank"]]) >= 8],
       worlds=60, page="RESULTS.md", mark="settled boards", by=(("best",),))  # fmt: skip
def settled_boards(rng, bank, best):
    """Trials until one of eight real models (``--data``) is best, a look every 4 of 128, without and with dropping."""
    of = banks()[bank]
    p = of[rng.permutation(len(of))[:8]]
    p = p[np.argsort(-p.mean(axis=1))]
    p = p[[0, 0, *range(2, 8)]] if best == "two tied" else p
    solved, found = np.cumsum(drawn(p, 128, rng), axis=-1), {}
    error = 0.1 / 7.0  # of both tails of a comparison
    for rule, given in {"single look": None, "budget 128": {"trials": 128}, "around 16": {"around": 16}}.items():
        looks = None if given is None else Looks(**given, confidence=1.0 - error)
        alive, spent = list(range(8)), np.zeros(8)
        for n in range(4, 129, 4):
            spent[alive] = n
            models = {i: OutcomeMatrix.from_counts(solved[i, :, n - 1], n) for i in alive}
            leader = max(alive, key=lambda i, models=models: models[i].successes.sum())
            about = {"confidence": 1.0 - error, "looks": looks}
            alive = [i for i in alive if i == leader
                     or compare("pass@1", models[leader], models[i], **about).winner != "A"]  # fmt: skip
            if len(alive) == 1:
                break
        wrong = len(alive) == 1 and (best == "two tied" or alive[0] != 0)
        found |= {f"{rule}: wrong best": wrong, f"{rule}: settled": len(alive) == 1,
                  f"{rule}: trials": spent.max(), f"{rule}: with dropping": spent.mean()}  # fmt: skip
    return found
