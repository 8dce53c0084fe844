"""Two models: how often equal ones are called different, and different ones are found."""

from functools import cache
from math import hypot

import numpy as np
from runner import grid, study
from scipy.optimize import brentq
from scipy.stats import norm, t
from worlds import Z, at_mean, banks, better, drawn, expit, hermite, inside, rates, tried, worth

from scorio import Design, OutcomeMatrix, OutcomeSet, PassAtK, analyze_history, compare, describe_questions
from scorio.comparison import compare_costs, diff_questions
from scorio.curves import gap

RULES = {"published": {"rule": "published", "confidence": 0.95}, "questions": {"confidence": 0.9},
         "population": {"target": "population", "confidence": 0.9}}  # so that all call equal models in .10  # fmt: skip


@study(
    grid(difficulties=("Beta(.3, 1.2)", "Beta(.3, .3)", "Beta(1, 1)"), size=((30, 16), (100, 4), (300, 8)),
         metric=("bayes", "pass@4")),
    worlds=2000, page="RESULTS.md", mark="two models",
)  # fmt: skip
def two_models(rng, difficulties, size, metric):
    """False calls (nominal .10) and power of ``compare``, by rule."""
    (questions, trials), found = size, {}
    p = rates(difficulties, rng, questions)
    one, same, ahead = (tried(each, trials, rng) for each in (p, p, better(p, 0.24)))
    for name, rule in RULES.items():
        found[f"{name}: false"] = compare(metric, same, one, **rule).winner is not None
        found[f"{name}: power"] = compare(metric, ahead, one, **rule).winner == "A"
    return found


def _far(one, other):
    """Whether 95% intervals of two models are apart by more than both reach, as posteriors alone have it."""
    gap, down, up = one.mu - other.mu, (one.mu - one.lo, other.mu - other.lo), (one.hi - one.mu, other.hi - other.mu)
    return gap > np.hypot(down[0], up[1]) or -gap > np.hypot(up[0], down[1])


@study(
    grid(design=((8, 2), (8, 4), (15, 2), (15, 4), (30, 2), (30, 4)),
         kind=("equal", "exchanged", "better", "mixed"),
         world=("at(.5)", "at(.2)", "U(0, 1)", "U(.3, .7)", "at(.3, .7)", "Beta(.4, .4)", "Beta(2, .7)",
                "Beta(.5, 3)")),
    worlds=1000, page="RESULTS.md", mark="few trials", by=(("design", "kind"),),
)  # fmt: skip
def few_trials(rng, design, kind, world):
    """Calls of two models with few trials, beside posteriors alone and a test that knows every rate."""
    questions, trials = design
    p = rates(world, rng, questions).clip(1e-6, 1.0 - 1e-6)
    own = rng.normal(0.0, 1.0, questions) if kind == "mixed" else 0.0  # log-odds, beside 1.2 for the better model
    q = {"equal": p, "exchanged": rng.permutation(p)}.get(kind, 1.0 / (1.0 + (1.0 - p) / p * np.exp(-1.2 - own)))
    one, other = (tried(each, trials, rng) for each in (p, q))
    gap = abs(int(one.successes.sum() - other.successes.sum()))
    found = [PassAtK(1).interval(each) for each in (one, other)]
    return {
        "called": compare("pass@1", one, other).winner is not None,
        "by posteriors alone": _far(*found),
        "knowing every rate": gap > Z * np.sqrt(trials * (p * (1.0 - p) + q * (1.0 - q)).sum()),
    }


EFFECTS = {  # of a population of tasks: the old rates, the new ones, and the mean difference
    "smooth": lambda n, rng, sd=0.3: _smooth(rng.random(n), 0.1 + rng.normal(0.0, sd, n)),
    **{f"lifted {share}": lambda n, rng, share=share: _lifted(n, rng, share) for share in (0.1, 0.3, 0.7, 0.9)},
    **{f"up and down {g}": lambda n, rng, g=g: _up_and_down(rng.choice([-g, g], n)) for g in (0.3, 0.9)},
}


def _smooth(old, effect):
    return old, (old + effect).clip(0.0, 1.0), _mean_smooth()


@cache
def _mean_smooth():
    rng = np.random.default_rng(0)
    old = rng.random(1_000_000)
    return float(((old + 0.1 + rng.normal(0.0, 0.3, len(old))).clip(0.0, 1.0) - old).mean())


def _lifted(tasks, rng, share):
    same = rng.choice([0.02, 0.98], tasks)
    lifted = rng.random(tasks) < share
    return np.where(lifted, 0.02, same), np.where(lifted, 0.98, same), share * 0.96


def _up_and_down(effect):
    return 0.5 - effect / 2.0, 0.5 + effect / 2.0, 0.0


@study(grid(effects=list(EFFECTS), tasks=(3, 4, 5, 8, 10, 20, 30), runs=(1, 3, 10)), worlds=400,
       page="RESULTS.md", mark="few tasks", by=(("tasks",), ("effects",)))  # fmt: skip
def few_tasks(rng, effects, tasks, runs):
    """Differences for the population of few tasks: coverage, calls, and width over Student's paired interval."""
    old, new, truth = EFFECTS[effects](tasks, rng)
    one, other = (rng.binomial(runs, rates) for rates in (new, old))
    found = compare("pass@1", *(OutcomeMatrix.from_counts(each, runs) for each in (one, other)), target="population")
    student = 2.0 * t.isf(0.025, tasks - 1) * np.std((one - other) / runs, ddof=1) / np.sqrt(tasks)
    return {
        "covered": inside(found, truth),
        "called": found.winner is not None,
        "width": found.hi - found.lo,
        "Student's": student,
    }


@study(grid(effects=list(EFFECTS), tasks=(3, 5, 10, 30), runs=(1, 4), others=(1, 3), pairs=(False, True)), worlds=500,
       by=(("effects",),))  # fmt: skip
def few_gaps(rng, effects, tasks, runs, others, pairs):
    """Gaps for the population of few tasks, of which the first set is easier for one model: coverage and calls."""
    old, new, truth = EFFECTS[effects](tasks, rng)
    second = old if pairs else EFFECTS[effects](tasks, rng)[0]
    rates_of = {"a": np.concatenate([new, second])} | dict.fromkeys("bcd"[:others], np.concatenate([old, second]))
    models = {name: OutcomeMatrix.from_counts(rng.binomial(runs, p), runs) for name, p in rates_of.items()}
    sets, about = ["before"] * tasks + ["after"] * tasks, {"model": "a", "target": "population"}
    found = gap("pass@1", OutcomeSet(models), sets, pairs=[*range(tasks)] * 2 if pairs else None, **about)
    return {"covered": inside(found, truth), "called": found.call != "not told", "width": found.hi - found.lo}


@study(
    lambda: grid(world=("U(0, 1)", "Beta(.3, .3)", "Beta(.3, 1.2)", "Beta(3, .3)", *banks()),
                 questions=(20, 60, 100, 500), several=(1, 4)),
    worlds=1000, page="RESULTS.md", mark="single trials",
)  # fmt: skip
def single_trials(rng, world, questions, several):
    """One trial per question, against one or four of the other model: false calls, coverage and power, by rule."""
    if world in banks():
        of = banks()[world]
        some = rng.choice(of.shape[1], questions, replace=questions > of.shape[1])
        both = of[np.ix_(rng.choice(len(of), 2, replace=False), some)]
    else:
        p = rates(world, rng, questions)
        both = np.stack([better(p), p])
    half, exchanged = questions // 2, both[1].copy()
    exchanged[:half] = exchanged[:half][::-1]
    pairs = {"equal": both[[1, 1]], "exchanged": np.stack([both[1], exchanged]), "different": both}
    found = {}
    for kind, (p, q) in pairs.items():
        one, other, truth = tried(p, 1, rng), tried(q, several, rng), (p - q).mean()
        posterior = compare("pass@1", one, other, **({"paired": False} if several == 1 else {}))
        paired = compare("pass@1", one, other) if several == 1 else _student(one, other)
        for rule, each in (("posterior", posterior), ("paired", paired)):
            lo, hi = each if isinstance(each, tuple) else (each.lo, each.hi)
            found[f"{kind}: {rule} called"] = lo > 0.0 or hi < 0.0
            if kind == "different":
                found[f"{kind}: {rule} covers"] = inside((lo, hi), truth)
    return found


def _student(one, other):
    """Student's interval of the paired differences."""
    gaps = one.successes / one.trials - other.successes / other.trials
    reach = t.ppf(0.975, len(gaps) - 1) * gaps.std(ddof=1) / np.sqrt(len(gaps))
    return gaps.mean() - reach, gaps.mean() + reach


@study(
    lambda: [{"bank": name, "model": i} for name, each in banks().items() for i in range(len(each))], by=(("bank",),)
)
def false_calls(rng, bank, model):
    """How often ``compare`` calls one of two equal models, for each model of real banks (``--data``)."""
    p = rng.choice(banks()[bank][model], 100)
    result = compare("pass@1", tried(p, 5, rng), tried(p, 5, rng))
    return {"called": result.lo > 0.0 or result.hi < 0.0}


PROFILES = {
    "typical": "10% at(0) + 15% at(1) + Beta(.8, .6)",
    "hard": "35% at(0) + Beta(.5, 2)",
    "two-sided": "30% at(0) + 30% at(1) + U(0, 1)",
}
DESIGNS = [
    *grid(size=[(200, 8)], profile=list(PROFILES), metric=("pass@1", "pass@4"), target=("questions", "population")),
    {"size": (200, 8), "target": "population", "paired": False},
    *grid(size=[(60, 4)], target=("questions", "population")),
    *grid(size=[(200, 1)], target=("questions",), correlation=(0.5, 0.7, 0.9)),
    {"size": (60, 1)},
    {"size": (500, 1), "profile": "hard"},
]


@cache
def _planned(size, profile, metric, target, paired, correlation):
    """A design, and sorted rates of both models by quantile, with the correlation of normals that gives theirs."""
    design = Design(*size, metric, profile, target=target, paired=paired, correlation=correlation)
    p, rng = np.sort(rates(PROFILES[profile], np.random.default_rng(0), 20_000)), np.random.default_rng(1)
    goal = worth(metric, p).mean() + design.detectable()
    q = p ** brentq(lambda c: worth(metric, p**c).mean() - goal, 1e-6, 1.0)
    z, e = norm.ppf((np.arange(len(p)) + 0.5) / len(p)), rng.standard_normal(len(p))
    one, other = worth(metric, p), worth(metric, q)

    def correlated(r):
        return np.corrcoef(one, other[_places(r * z + np.sqrt(1.0 - r * r) * e, len(p))])[0, 1] - correlation

    return design, p, q, brentq(correlated, 0.0, 1.0) if paired else 0.0


def _places(normals, count):
    return np.minimum((norm.cdf(normals) * count).astype(int), count - 1)


@study(DESIGNS)
def power(rng, size, profile="typical", metric="pass@1", target="questions", paired=True, correlation=0.7):
    """The power of ``compare`` at the difference that ``Design`` calls detectable with power .8."""
    design, p, q, r = _planned(size, profile, metric, target, paired, correlation)
    (count, trials), many = size, len(p)
    here = there = ((np.arange(count) + 0.5) / count * many).astype(int)
    if target == "population" or trials == 1:  # else the spread between questions does not count
        z = rng.standard_normal(count)
        here, there = _places(z, many), _places(r * z + np.sqrt(1.0 - r * r) * rng.standard_normal(count), many)
    pair = tried(q[there], trials, rng), tried(p[here], trials, rng)
    found = compare(metric, *pair, target=target, paired=paired if target == "population" else None)
    difference = design.detectable()
    return {"difference": difference, "promised": design.power(difference), "called": found.winner == "A"}


@study(
    grid(questions_trials=((100, 4), (300, 1), (40, 16)), rates_of=("Beta(1, .8)", "Beta(.3, .3)"), drop=(0.0, 0.5)),
    page="RESULTS.md", mark="histories",
)  # fmt: skip
def histories(rng, questions_trials, rates_of, drop):
    """Calls of a history of ten runs: false ones, and drops of the logits after the fifth run that are found."""
    questions, trials = questions_trials
    before = rates(rates_of, rng, questions)
    after = before if not drop else 1.0 / (1.0 + np.exp(drop) * (1.0 - before) / np.maximum(before, 1e-12))
    runs = {str(i): tried(before if i < 5 else after, trials, rng) for i in range(10)}
    points = analyze_history("pass@1", runs).rows
    called = [i for i, point in enumerate(points) if point.change]
    return {
        "false calls": any(i < 5 for i in called) if drop else bool(called),
        "drops found": any(points[i].change == "worse" for i in called if i >= 5) if drop else np.nan,
    }


@study(
    [{"questions": m, "trials": n, "changed": share} for m, n, share in (
        (100, 4, 0.0), (100, 8, 0.0), (100, 8, 0.2), (500, 4, 0.2), (500, 8, 0.02), (500, 8, 0.2), (500, 32, 0.2))],
    page="RESULTS.md", mark="question diffs",
)  # fmt: skip
def question_diffs(rng, questions, trials, changed):
    """The false-discovery rate of ``diff_questions``; changed questions have another rate."""
    old, is_changed = rates("Beta(.5, .5)", rng, questions), np.arange(questions) < round(changed * questions)
    new = np.where(is_changed, rates("Beta(.5, .5)", rng, questions), old)
    rows = diff_questions(tried(new, trials, rng), tried(old, trials, rng), fdr=0.1).rows
    called = np.array([row.change in ("improved", "worse") for row in rows])
    false = int((called & ~is_changed).sum())
    power = called[is_changed].mean() if is_changed.any() else np.nan
    return {"false-discovery rate": false / max(called.sum(), 1), "any false call": false > 0, "changes found": power}


FLAGS = ("solved less by better models", "flaky")
PLANTED = 10  # questions whose order of models is reversed


@study(grid(models_trials=((10, 4), (40, 1), (40, 4), (40, 16)), world=("clean", "noisy", "planted")), worlds=200,
       page="RESULTS.md", mark="question flags")  # fmt: skip
def question_flags(rng, models_trials, world):
    """False flags of ``describe_questions`` on 200 questions, and planted questions that are found."""
    (models, trials), questions = models_trials, 200
    ability, place = rng.normal(0.0, 1.2, models), np.arange(questions)
    own = rng.normal(0.0, 1.0, (models, questions)) * (world == "noisy")
    p, planted = expit(ability[:, None] - rng.normal(0.0, 1.5, questions) + own), PLANTED * (world == "planted")
    if planted:
        reversed_ = np.sort(ability)[::-1][np.argsort(np.argsort(ability))]
        p[:, :planted] = expit(2.0 * reversed_)[:, None]
    outcomes = OutcomeSet({str(i): tried(each, trials, rng) for i, each in enumerate(p)})
    flagged = [{flag.name for flag in row.flags} for row in describe_questions(outcomes).rows]
    true = (place < planted, (2.0 * p * (1.0 - p)).mean(axis=0) > 0.32)
    found = {}
    for name, kind in zip(FLAGS, true, strict=True):
        flags = np.array([name in each for each in flagged])
        found[f"false {name}"] = (flags & ~kind).sum() / max(flags.sum(), 1)
        if planted and name != "flaky":
            found[f"found {name}"] = flags[kind].mean()
    return found


@study(
    [{"target": target} | row for target, sizes in (("questions", ((20, 4), (100, 1), (40, 8), (200, 3))),
                                                   ("population", ((100, 1), (40, 8))))
     for row in grid(size=sizes, rate=(0.02, 0.1, 0.3, 0.7, 0.9, 0.98), failure=(3.0, 1.0 / 3.0), noise=(0.5, 1.0))],
    page="RESULTS.md", mark="costs", by=(("target", "size", "rate"),),
)  # fmt: skip
def costs(rng, target, size, rate, failure, noise):
    """Coverage of costs per success, their ratio and difference; a failure costs ``failure`` successes."""
    count, trials = size
    pool = 5000 if target == "population" else count
    hard, chosen = rng.normal(0.0, 1.5, pool), rng.permutation(pool)[:count]
    outcomes, spent, truth = {}, {}, []
    for name, scale, goal in (("a", 1.0, rate), ("b", 0.5, rate + 0.2 * rate * (1.0 - rate))):
        p = at_mean(-hard + rng.normal(0.0, 0.7, pool), goal)
        each = scale * np.exp(0.3 * hard + rng.normal(0.0, 0.5, pool))
        truth.append(float((each * (p + (1.0 - p) * failure)).mean() / p.mean()))
        solved = drawn(p[chosen], trials, rng)
        own = each[chosen][:, None] * np.exp(rng.normal(-(noise**2) / 2.0, noise, solved.shape))
        outcomes[name], spent[name] = solved, {"dollars": np.where(solved, own, failure * own)}
    both = OutcomeSet(outcomes, costs=spent)
    found = compare_costs(both, both, "dollars", model=("a", "b"), target=target)
    return {
        "cost per success": inside(found.costs[0], truth[0]),
        "ratio": inside(found.ratio, truth[0] / truth[1]),
        "difference": inside(found.difference, truth[0] - truth[1]),
    }


HARDER, SHARED, OWN = 0.7, 1.2, 0.6  # log-odds of the second set, and the spread of questions and by model
GAPS = (
    *(((40, 40), 1, 4, 0.0, False), ((40, 40), 4, 1, 0.0, False), ((100, 60), 4, 4, 0.0, False)),
    *(((100, 60), 4, 4, 0.6, False), ((200, 50), 2, 8, 0.0, False), ((200, 200), 8, 3, 0.3, False)),
    *(((60, 60), 1, 4, 0.0, True), ((60, 60), 4, 4, 0.0, True), ((60, 60), 4, 4, 0.6, True)),
    ((150, 150), 8, 2, 0.3, True),
)


@study([dict(zip(("questions", "trials", "others", "size", "paired"), each, strict=True)) for each in GAPS],
       worlds=1000, page="RESULTS.md", mark="gaps")  # fmt: skip
def gaps(rng, questions, trials, others, size, paired):
    """Gaps between two sets of questions, less those of other models: coverage and calls."""
    (first, second), (nodes, shares) = questions, hermite(41)
    shared, is_second = rng.normal(0.0, SHARED, first + second), np.arange(first + second) >= first
    if paired:
        shared[first:] = shared[:first]
    logit = 0.3 + shared + rng.normal(0.0, OWN, (others + 1, first + second)) - HARDER * is_second
    logit[0] += size * ~is_second
    p = expit(logit)
    change = p[:, :first].mean(axis=1) - p[:, first:].mean(axis=1)
    means = [float(expit(x + hypot(SHARED, OWN) * nodes) @ shares) for x in (0.3 + size, 0.3)]
    outcomes = OutcomeSet({f"m{i}": drawn(each, trials, rng) for i, each in enumerate(p)})
    about = {"pairs": [i if i < first else i - first for i in range(first + second)]} if paired else {}
    sets, found = np.where(is_second, "after", "before").tolist(), {}
    for target, truth in (("questions", change[0] - change[1:].mean()), ("population", means[0] - means[1])):
        got = gap("pass@1", outcomes, sets, model="m0", target=target, **about)
        found |= {f"{target} cover": inside(got, truth), f"{target} called": got.call != "not told"}
    own = outcomes["m0"].successes / trials  # without a control
    error = np.sqrt(sum(each.var(ddof=1) / len(each) for each in (own[:first], own[first:])))
    return found | {"own called": abs(own[:first].mean() - own[first:].mean()) > Z * error}
