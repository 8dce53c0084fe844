"""Judges, predictions and samples of questions; prompts; common shortcuts; what ``diagnose`` finds."""

from functools import cache

import numpy as np
from runner import grid, study
from scipy.special import betaincinv
from worlds import Z, banks, better, drawn, expit, inside, named_metric, rates, tried, worth

from scorio import (
    Leaderboard,
    Looks,
    OutcomeMatrix,
    OutcomeSet,
    PassAtK,
    analyze_factors,
    choose_questions,
    compare,
    diagnose,
    estimate_with_judge,
)
from scorio.judging import estimate_models

JUDGED = "35% at(0) + U(0, 1)"
SETTINGS = {  # questions, of which people label some; how often the judge passes wrong answers and fails right ones
    "60 of 300, lax judge": (300, 60, 0.08, 0.04),
    "60 of 300, good judge": (300, 60, 0.01, 0.01),
    "60 of 300, bad judge": (300, 60, 0.25, 0.2),
    "30 of 200": (200, 30, 0.08, 0.04),
    "150 of 600, weight estimated": (600, 150, 0.08, 0.04),
    "80 of 400 in clusters of 4": (400, 80, 0.08, 0.04),
    "80 of 400 in clusters of 4, whole clusters": (400, 80, 0.08, 0.04),
}


def rogan_gladen(human, judge, place):
    """The corrected rate of trials with its published standard error, in which all trials are independent."""
    h, j = human[place].ravel(), judge[place].ravel()
    se, sp, q = j[h == 1].mean(), 1 - j[h == 0].mean(), judge.mean()
    p = (q + sp - 1) / (se + sp - 1)
    variance = q * (1 - q) / judge.size + p**2 * se * (1 - se) / h.sum() + (1 - p) ** 2 * sp * (1 - sp) / (1 - h).sum()
    half = Z * np.sqrt(variance) / (se + sp - 1)
    return p - half, p + half


def unlabelled_form(metric, human, judge, place):
    """The mean of the judge on the other questions, and of the differences on the labelled ones: the weight 1."""
    F, Y = metric.per_question(judge), metric.per_question(human)[place]
    rest, gap = np.delete(F, place), Y - F[place]
    half, middle = Z * np.sqrt(rest.var(ddof=1) / len(rest) + gap.var(ddof=1) / len(gap)), rest.mean() + gap.mean()
    return middle - half, middle + half


@study(
    [row for row in grid(metric=("pass@1", "pass@4"), about=("questions", "population"), labelled=list(SETTINGS))
     if row["about"] == "population" or "clusters" not in row["labelled"]]
    + [{"metric": "pass@4", "about": "questions", "labelled": "60 of 300, lax judge", "trials": 4}],
    worlds=1000, page="RESULTS.md", mark="judges",
)  # fmt: skip
def judges(rng, metric, about, labelled, trials=8):
    """Coverage and half width of scores by a judge with known errors, corrected by labels; of labels; of others."""
    questions, count, lax, strict = SETTINGS[labelled]
    size = 4 if "clusters" in labelled else 1
    p = np.repeat(rates(JUDGED, rng, questions // size), size)
    human = drawn(p, trials, rng)
    wrong = rng.random(human.shape) < 2 * lax * rng.random((questions, 1))  # of a question up to twice the average
    judge = np.where(human, rng.random(human.shape) >= strict, wrong).astype(int)
    place = rng.choice(questions, count, replace=False)
    if "whole" in labelled:
        place = (rng.choice(questions // 4, count // 4, replace=False)[:, None] * 4 + np.arange(4)).ravel()
    judged = OutcomeMatrix(judge, clusters=np.arange(questions) // size if size > 1 else None)
    people, rule = OutcomeMatrix(human[place], questions=place.tolist()), named_metric(metric)
    found = estimate_with_judge(rule, judged, people, target=about)
    intervals = {"corrected": found, "labels": found.labels_alone}
    intervals["judge"] = rule.interval(judged, prior="learned", target=about)
    if metric == "pass@1":
        intervals["Rogan-Gladen"] = rogan_gladen(human, judge, place)
    if about == "population" and size == 1:
        intervals["weight 1 on the others"] = unlabelled_form(rule, human, judge, place)
    truth, columns = float(worth(metric, p).mean()) if about == "questions" else 0.65 * rule.k / (rule.k + 1), {}
    for name, each in intervals.items():
        lo, hi = each if type(each) is tuple else (each.lo, each.hi)
        columns |= {f"{name}: covers": inside((lo, hi), truth), f"{name}: half width": (hi - lo) / 2}
    return columns


@study(grid(metric=("pass@1", "pass@4"), asked=(60, 120)), worlds=1000, page="RESULTS.md", mark="predictions")
def predictions(rng, metric, asked):
    """Scores of 300 questions by another model in place of a judge: coverage, and the trials that it is worth."""
    ability = rng.normal(size=(2, 1)) + 0.8 * rng.normal(size=(2, 300))
    p = expit(ability - 2.5 * rng.normal(size=300))
    R, place = drawn(p, 8, rng), rng.choice(300, asked, replace=False)
    found = estimate_with_judge(metric, OutcomeMatrix(R[0]), OutcomeMatrix(R[1, place], questions=place.tolist()))
    truth = worth(metric, p[-1]).mean()
    return {"covers": inside(found, truth), "trials are worth": (found.labels_alone.sigma / found.sigma) ** 2}


SIZES = {15: (8,), 80: (20, 40), 128: (40,), 400: (40, 150), 442: (40,)}
SIMULATED = {"simulated, alike": (300, 12, 0.0, 0.0), "simulated, each its own": (300, 12, 0.8, 0.0),
             "simulated, hard": (200, 6, 0.8, 2.0)}  # fmt: skip


@cache
def _models(name):
    """Rates of models whose ability, difficulty and discrimination differ, and strengths of their own; or a bank's."""
    if name in banks():
        return banks()[name]
    questions, models, own, shift = SIMULATED[name]
    rng = np.random.default_rng([7, *map(ord, name)])
    difficulty, slope = shift + 2.0 * rng.normal(size=questions), np.exp(0.4 * rng.normal(size=questions))
    logit = slope * (rng.normal(size=(models, 1)) - difficulty) + own * rng.normal(size=(models, questions))
    return expit(logit)


def _variance(values, noise, stratum, is_drawn):
    """The exact variance over draws and trials of a stratified mean, from the values of all questions."""
    total = 0.0
    for h in range(int(stratum.max()) + 1):
        here = stratum == h
        size, n = int(here.sum()), int(is_drawn[here].sum())
        within = float(values[here].var(ddof=1)) if size > 1 else 0.0
        total += (size / len(values)) ** 2 * ((1.0 - n / size) * within + float(noise[here].mean())) / n
    return total


def _effective(columns):
    """Questions of a uniform draw that are worth as much, without and with predictions."""
    mine = np.nanmean(columns["variance"])
    return {"effective questions": np.nanmean(columns["uniform"]) / mine,
            "with predictions": np.nanmean(columns["uniform, predicted"]) / mine}  # fmt: skip


@study(lambda: [{"models": name, "estimate": kind, "n": n, "trials": trials}
                for name in (*(name for name, each in banks().items() if len(each) > 3), *SIMULATED)
                for n in SIZES.get(_models(name).shape[1], (60,))
                for kind, trials in (("score", 1), ("score", 4), ("difference", 4), ("new version", 4))],
       page="RESULTS.md", mark="chosen questions", finish=_effective)  # fmt: skip
def chosen_questions(rng, models, estimate, n, trials):
    """Samples of questions chosen from other models: coverage of left-out models, and questions they are worth."""
    every = _models(models)
    order = np.argsort(every.mean(axis=1))
    at = int(rng.integers(len(order) - (estimate == "new version")))
    other = {"difference": at - len(order) // 3, "new version": at + 1}.get(estimate)
    out = [order[at]] if other is None else [order[at], order[other]]
    rest = [i for i in range(len(every)) if i not in out]
    sample = choose_questions(OutcomeSet({f"m{i}": tried(every[i], 4, rng) for i in rest}), n, rng=rng)
    p = every[out]
    outcomes = [tried(each, trials, rng) for each in p]
    if other is None:
        found, difference = estimate_models("pass@1", {"one": outcomes[0]}, sample).rows[0].score, p[0]
    else:
        [pair] = estimate_models("pass@1", {"one": outcomes[0], "other": outcomes[1]}, sample).pairs
        found, difference = pair.difference, (p[0] - p[1]) * (1 if pair.first == "one" else -1)
    noise, one = (p * (1.0 - p)).sum(axis=0) / trials, np.zeros(p.shape[1], int)
    predicted = difference - (np.array(sample.rate) if other is None else 0.0)
    is_drawn, stratum = np.array(sample.is_drawn), np.array(sample.stratum)
    columns = {"covers": inside(found, difference.mean()), "half width": (found.hi - found.lo) / 2.0}
    if trials == 1:
        solved = int(rng.binomial(1, p[0][rng.permutation(p.shape[1])[:n]]).sum())
        ends = [float(betaincinv(solved + 0.5, n - solved + 0.5, tail)) for tail in (0.025, 0.975)]
        ends = (0.0 if solved == 0 else ends[0]), (1.0 if solved == n else ends[1])
        columns |= {"Jeffreys covers": inside(ends, p[0].mean()), "Jeffreys half width": (ends[1] - ends[0]) / 2.0}
    return columns | {
        "variance": _variance(predicted, noise, stratum, is_drawn),
        "uniform": _variance(difference, noise, one, is_drawn),
        "uniform, predicted": _variance(predicted, noise, one, is_drawn),
    }


EVERY = 400  # prompts that stand for all prompts like these
EFFECTS = {  # standard deviations of logits, by what an effect belongs to: questions, models, prompts
    (0,): 1.2, (2,): 0.6, (1, 2): 0.3, (0, 2): 0.3, (0, 1, 2): 0.3}  # fmt: skip


@study(grid(prompts=(3, 5, 10), trials=(1, 3), questions=("these",))
       + [{"prompts": n, "trials": k, "questions": "population"} for n, k in ((5, 3), (10, 1))],
       worlds=300, page="RESULTS.md", mark="factors")  # fmt: skip
def factors(rng, prompts, trials, questions):
    """Two equal models under prompts on 50 questions: coverage of margins, and with prompts as repeated trials."""
    target, more = ("population", 1500) if questions == "population" else ("questions", 0)
    shape = (50 + more, 2, EVERY)
    p = expit(sum(sd * rng.normal(size=[n if i in axes else 1 for i, n in enumerate(shape)])
                  for axes, sd in EFFECTS.items()) + np.zeros(shape))  # fmt: skip
    these, like = p[:, :, :prompts].mean(axis=(0, 2)), p.mean(axis=(0, 2))
    R = drawn(p[:50, :, :prompts], trials, rng)
    rows = {f"m{i} p{j}": R[:, i, j] for i in range(2) for j in range(prompts)}
    conditions = {name: dict(zip(("model", "prompt"), name.split(), strict=True)) for name in rows}
    found = analyze_factors("pass@1", OutcomeSet(rows, conditions=conditions), target=target)
    pooled = [OutcomeMatrix(R[:, i].reshape(50, -1)) for i in range(2)]
    result = compare("pass@1", *pooled, target=target)
    one, pair = PassAtK(1).interval(pooled[0], prior="learned", target=target), found.pairs[0]
    ours = (found.margins[0].these, pair.these, found.margins[0].like, pair.like)
    truths, columns = (these[0], these[0] - these[1], like[0], like[0] - like[1]), {}
    names = ("these prompts", "difference of these", "prompts like these", "difference of like these")
    for name, mine, plain, truth in zip(names, ours, (one, result) * 2, truths, strict=True):
        columns |= {name: inside(mine, truth), f"{name}, pooled": inside(plain, truth)}
    return columns | {"false calls": pair.like.p_value < 0.05, "false calls, pooled": result.winner is not None}


def _pooled_trials(rng):
    R = drawn(rng.beta(0.3, 0.3, 100), 8, rng)
    share, width = R.mean(), Z**2 / R.size
    half = Z * np.sqrt(share * (1 - share) / R.size + width / (4 * R.size)) / (1 + width)
    middle = (share + width / 2) / (1 + width)  # Wilson's interval
    return inside((middle - half, middle + half), 0.5), inside(PassAtK(1).interval(R, target="population"), 0.5)


def _plugged_in(rng):
    p = rng.beta(0.3, 1.2, 100)
    truth, R = worth("pass@8", p).mean(), drawn(p, 16, rng)
    return float(np.mean(1 - (1 - R[:, :8].mean(axis=1)) ** 8)) - truth, PassAtK(8).score(R) - truth


def _overlapping(rng):
    p = rng.beta(0.3, 0.3, 100)
    a, b = drawn(better(p, 0.5), 3, rng), drawn(p, 3, rng)
    return PassAtK(1).interval(a).lo > PassAtK(1).interval(b).hi, compare("pass@1", a, b).winner is not None


def _peeking(rng):
    p = rng.beta(0.3, 0.3, 60)
    a, b = drawn(p, 32, rng), drawn(p, 32, rng)
    return tuple(
        any(compare("pass@1", a[:, :n], b[:, :n], looks=looks).winner for n in range(1, 33))
        for looks in (None, Looks(trials=32))
    )


def _best_of_many(rng):
    p = rng.beta(0.3, 0.3, 60)
    return max(drawn(p, 2, rng).mean() for _ in range(10)) - p.mean(), drawn(p, 2, rng).mean() - p.mean()


def _every_pair(rng):
    p = rng.beta(0.3, 0.3, 60)
    ranking = Leaderboard("pass@1", {f"m{i}": OutcomeMatrix(drawn(p, 4, rng)) for i in range(6)})["pass@1"]
    return tuple(any(pair.better is not None for pair in ranking.pairs(family)) for family in ("each", "simultaneous"))


def _trusted_judge(rng):
    p = rates(JUDGED, rng, 300)
    human = drawn(p, 8, rng)
    judge = np.where(human, rng.random(human.shape) >= 0.04, rng.random(human.shape) < 0.08).astype(int)
    place, truth = rng.choice(300, 60, replace=False), worth("pass@4", p).mean()
    labels = OutcomeMatrix(human[place], questions=place.tolist())
    corrected = estimate_with_judge("pass@4", OutcomeMatrix(judge), labels, target="questions")
    return inside(PassAtK(4).interval(judge), truth), inside(corrected, truth)


SHORTCUTS = {  # a shortcut: what is measured, and what to do instead
    "Treat all 100 x 8 trials as independent": (
        _pooled_trials, "share of 95% intervals that contain the population's mean",
        '`target="population"`'),
    "Put the observed rates of 8 trials into 1 - (1 - p)^8": (
        _plugged_in, "mean error of Pass@8", "`pass@8` from 16 trials"),
    "Call models different only where their intervals do not overlap": (
        _overlapping, "share of true differences that are found", "`compare`"),
    "Look after every trial, and stop at the first significant difference": (
        _peeking, "share of equal models that are called different", "`looks=`"),
    "Report the best of ten equal runs": (
        _best_of_many, "mean error of the reported score", "a new run of the chosen model"),
    "Test all 15 pairs of six equal models at 5% each": (
        _every_pair, "share of worlds with a false call", "`family=`"),
    "Trust a judge that passes 8% of the wrong answers": (
        _trusted_judge, "share of 95% intervals that contain the true Pass@4", "`estimate_with_judge`"),
}  # fmt: skip


@study([{"shortcut": name, "what is measured": of[1], "with": of[2], "worlds": {_peeking: 0.1, _every_pair: 0.3}.get(
        of[0], 1.0)} for name, of in SHORTCUTS.items()],
       worlds=1000, page="RESULTS.md", mark="table of mistakes")  # fmt: skip
def mistakes(rng, **row):
    """What goes wrong with common shortcuts, and what is done instead, on the same outcomes."""
    return dict(zip(("by the shortcut", "instead"), SHORTCUTS[row["shortcut"]][0](rng), strict=True))


def bank(rng, models, questions, level=0.0):
    """Rates of models that share difficulties: logits with a part of the model, of the question and of both."""
    own = rng.normal(0, 0.9, (models, questions))
    return expit(rng.normal(level, 0.8, (models, 1)) + rng.normal(0, 2.0, questions) + own)


def _halves(rng, models):
    return np.where(rng.permuted(np.tile(np.arange(100) % 2, (models, 1)), axis=1), 0.998, 0.002)


SOUND = {
    "rates .002 and .998, 3 x 100 x 5": lambda rng: drawn(_halves(rng, 3), 5, rng),
    "the same, all models alike": lambda rng: drawn(np.repeat(_halves(rng, 1), 3, axis=0), 5, rng),
    "all rates .5, 3 x 100 x 4": lambda rng: drawn(np.full((3, 100), 0.5), 4, rng),
    "all rates .97, 3 x 100 x 4": lambda rng: drawn(np.full((3, 100), 0.97), 4, rng),
    "rates 0, .5 and 1, 3 x 60 x 3": lambda rng: drawn(rng.choice([0, 0.5, 1], (3, 60)), 3, rng),
    "Beta(.1, .1), 4 x 50 x 2": lambda rng: drawn(rng.beta(0.1, 0.1, (4, 50)), 2, rng),
    "Beta(.1, .1), all models alike": lambda rng: drawn(np.tile(rng.beta(0.1, 0.1, 50), (4, 1)), 2, rng),
    "Beta(1, 1), 2 x 40 x 8": lambda rng: drawn(rng.beta(1, 1, (2, 40)), 8, rng),
    "Beta(60, .4), 4 x 200 x 4": lambda rng: drawn(rng.beta(60, 0.4, (4, 200)), 4, rng),
    "2 x Beta(.1, .1) and 2 x Beta(5, 5), 60 x 2": lambda rng: drawn(
        np.concatenate([rng.beta(0.1, 0.1, (2, 60)), rng.beta(5, 5, (2, 60))]), 2, rng),
    "shared difficulty, 2 x 30 x 4": lambda rng: drawn(bank(rng, 2, 30), 4, rng),
    "shared difficulty, 20 x 1000 x 2": lambda rng: drawn(bank(rng, 20, 1000), 2, rng),
    "shared difficulty, 4 x 5 x 30": lambda rng: drawn(bank(rng, 4, 5), 30, rng),
    "shared difficulty, one trial, 6 x 200": lambda rng: drawn(bank(rng, 6, 200), 1, rng),
    "hard questions, 5 x 30 x 4": lambda rng: drawn(bank(rng, 5, 30, -3.0), 4, rng),
    "a model that guesses, 5 x 100 x 4": lambda rng: drawn(
        np.concatenate([np.full((1, 100), 0.25), bank(rng, 4, 100)]), 4, rng),
    "clusters of 10, independent models, 3 x 200 x 3": lambda rng: drawn(
        np.repeat(rng.beta(0.5, 0.5, (3, 20)), 10, axis=1), 3, rng),
    "one model .002 and .998, three Beta(1, 1), 100 x 5": lambda rng: drawn(
        np.concatenate([_halves(rng, 1), rng.beta(1, 1, (3, 100))]), 5, rng),
}  # fmt: skip


KINDS = (*("copied model", "copied run", "trials alike", "trials differ"), *("swapped axes", "inverted outcomes"))


def _found(x, clusters=None):
    models = {f"m{i}": each for i, each in enumerate(x)}
    outcomes = OutcomeSet(models, clusters=clusters) if clusters else models  # single runs are known of arrays only
    every = {each.kind for each in diagnose(outcomes).findings if each.chance is not None}
    return {"anything found": bool(every)} | {kind: kind in every for kind in KINDS}


@study(grid(world=list(SOUND)), worlds=200, page="RESULTS.md", mark="sound outcomes")
def sound_outcomes(rng, world):
    """How often ``diagnose`` finds something in sound outcomes."""
    return _found(SOUND[world](rng), [i // 10 for i in range(200)] if "clusters" in world else None)


def _copied_run(_, x):
    x[0, :, 1] = x[0, :, 0]


def _bad_run(rng, x):
    x[0, :, 2] *= rng.random(x.shape[1]) < 0.5


def _repeated(rng, x):
    for j in range(1, x.shape[2]):
        again = rng.random(x.shape[1]) < 0.3
        x[0, again, j] = x[0, again, j - 1]


def _inverted(share):
    def plant(rng, x):
        some = rng.random(x.shape[1]) < share
        x[0, some] = 1 - x[0, some]

    return plant


def _put(make, model=0):
    def plant(rng, x):
        x[model] = make(rng, x)

    return plant


FAULTS = {
    "The second model is the first under another name": _put(lambda _, x: x[0], 1),
    "The same, with the trials of each question in another order": _put(lambda rng, x: rng.permuted(x[0], axis=1), 1),
    "A run of the first model is another one": _copied_run,
    "All trials of the first model are its first": _put(lambda _, x: x[0, :, :1]),
    "Successes of the first model are failures, and the reverse": _inverted(1.0),
    "The same on three questions in ten": _inverted(0.3),
    "One run of the first model loses half of its successes": _bad_run,
    "A trial of the first model repeats the one before with probability .3": _repeated,
}


@study(grid(fault=list(FAULTS), size=((30, 4), (30, 8), (100, 4), (400, 4))), worlds=200, page="RESULTS.md",
       mark="planted faults")  # fmt: skip
def planted_faults(rng, fault, size):
    """How often ``diagnose`` finds a planted fault in outcomes of four models that share difficulties."""
    x = drawn(bank(rng, 4, size[0]), size[1], rng)
    FAULTS[fault](rng, x)
    return _found(x)
