"""Gates and claims: how often verdicts are wrong at known drops, and what they decide."""

import numpy as np
from runner import grid, study
from worlds import banks, rates, shifted, tried

from scorio import Suite, gate
from scorio.comparison import check_claims

MODES = ("noninferior", "worse")
CASES = {
    "100 questions, 4 trials": ((100,), 4, "questions"),
    "300 questions, 1 trial": ((300,), 1, "questions"),
    "40 questions, 16 trials": ((40,), 16, "questions"),
    "3 tasks of 200, 80 and 40 questions, 8 trials": ((200, 80, 40), 8, "questions"),
    "20 tasks of 50 questions, 1 trial, overall": ((50,) * 20, 1, "questions"),
    "100 questions, 4 trials, for the population": ((100,), 4, "population"),
}


def suites(pairs, trials, rng):
    """Outcomes of two models as suites, from the rates of both on every task."""
    sides = ({}, {})
    for i, both in enumerate(pairs):
        for side, p in zip(sides, both, strict=True):
            side[f"task {i}"] = {"model": tried(p, trials, rng)}
    return Suite(sides[0]), Suite(sides[1])


@study(grid(data=list(CASES), rates_of=("Beta(1, .8)", "Beta(.3, .3)"), drop=(0.0, 0.05, 0.1)),
       page="RESULTS.md", mark="gates")  # fmt: skip
def gates(rng, data, rates_of, drop):
    """Verdicts of gates with ``max_drop`` .05, by mode: a fail is false up to a drop of .05, a pass from there on."""
    (sizes, trials, target), pairs = CASES[data], []
    for count in sizes:
        old = np.zeros(1)
        while old.mean() <= 0.12:
            old = rates(rates_of, rng, 20_000 if target == "population" else count)
        chosen = rng.permutation(len(old))[:count]
        pairs.append((shifted(old, drop, rng)[chosen], old[chosen]))
    both, found = suites(pairs, trials, rng), {}
    decided_by = "overall" if data.endswith("overall") else "all"
    for mode in MODES:
        verdict = gate("pass@1", *both, mode=mode, max_drop=0.05, target=target, decided_by=decided_by).verdict
        found |= {f"`{mode}` {word}": verdict == word for word in ("failed", "passed")}
    return found


@study(
    lambda: [
        {"bank": name, "size": size}
        for name, each in banks().items()
        for size in ((20, 3), (20, 64), (each.shape[1], 1), (each.shape[1], 8))
        if size[0] <= each.shape[1]
    ],
    page="RESULTS.md", mark="gates of banks",
)  # fmt: skip
def gates_of_banks(rng, bank, size):
    """Gates at exactly the true drop of two models of a real bank (``--data``): every verdict is false."""
    (count, trials), of, new = size, banks()[bank], np.zeros(1)
    while new.mean() == 0.0:  # a model that solves nothing has no ratio
        chosen = rng.permutation(of.shape[1])[:count]
        new, old = sorted(of[rng.choice(len(of), 2, replace=False)][:, chosen], key=np.mean)
    pair, found = [tried(each, trials, rng) for each in (new, old)], {}
    percent = f"{100.0 * (1.0 - new.mean() / old.mean()):.12f}%"
    for name, limit in (("", float(old.mean() - new.mean())), ("as a percentage: ", percent)):
        verdict = gate("pass@1", *pair, max_drop=limit, mode="noninferior").verdict
        found |= {f"{name}false pass": verdict == "passed", f"{name}false fail": verdict == "failed"}
    return found


@study(
    grid(questions_trials_tasks=((20, 3, 1), (20, 64, 1), (100, 1, 1), (100, 8, 1), (500, 3, 1), (20, 8, 10),
                                 (100, 1, 10)), baseline=(0.05, 0.2, 0.5, 0.95)),
    page="RESULTS.md", mark="gate ratios",
)  # fmt: skip
def gate_ratios(rng, questions_trials_tasks, baseline):
    """Coverage of a ratio of .9, and relative and equivalence gates at exactly their limits: every verdict is false."""
    (count, trials, tasks), overall = questions_trials_tasks, {"decided_by": "overall"}

    def both(drop):
        pairs = []
        for _ in range(tasks):
            spread = rng.uniform(-1, 1, count) * min(baseline, 1 - baseline) * 0.9
            old = shifted(np.full(count, baseline) + spread, 0.0, rng)
            old = np.clip(old * baseline / old.mean(), 0.0, 1.0)
            pairs.append((shifted(old, old.mean() * drop, rng), old))
        return suites(pairs, trials, rng)

    ratio = gate("pass@1", *both(0.1), max_drop="10%", confidence=0.975, **overall).checks[-1].ratio
    relative = gate("pass@1", *both(0.05), max_drop="5%", mode="noninferior", **overall).verdict
    found = {"ratio covered": not (ratio[1] > 0.9 or ratio[2] < 0.9)}  # without a success nothing is excluded
    found |= {"`5%` false pass": relative == "passed", "`5%` false fail": relative == "failed"}
    if baseline > 0.05:
        equal = gate("pass@1", *both(0.05 / baseline), max_drop=0.05, mode="equivalent", **overall).verdict
        found |= {"`equivalent` false pass": equal == "passed", "`equivalent` false fail": equal == "failed"}
    return found


BELOW = 0.8 - 1e-9
WORLDS = {  # rates, and the share of the questions that have each
    "half just below .8, half .99": ((BELOW, 0.5), (0.99, 0.5)),
    "a tenth just below .8, the rest 1": ((BELOW, 0.1), (1.0, 0.9)),
    "all just below .8": ((BELOW, 1.0),),
    "half .8, half .5": ((0.8, 0.5), (0.5, 0.5)),
    "a tenth .8, the rest .1": ((0.8, 0.1), (0.1, 0.9)),
    "half .5, half .99": ((0.5, 0.5), (0.99, 0.5)),
    "spread as in banks": (),
}
BANK = "30% at(1) + Beta(1, .6)"


def _per_question(rng, world, questions, trials):
    """By rule, whether any pass and any fail was false, and the shares of questions decided, and decided wrongly."""
    p = np.repeat(*np.array([(rate, round(share * questions)) for rate, share in WORLDS[world]]).T.tolist()) \
        if WORLDS[world] else rates(BANK, rng, questions)  # fmt: skip
    outcomes, found = tried(p, trials, rng), {}
    for rule in ("posterior", "binomial", "8 of 10"):
        if rule == "8 of 10":
            passed = outcomes.successes >= 0.8 * trials - 1e-9
            failed = ~passed
        else:
            rows = gate(None, outcomes, per_question=0.8, question_rule=rule).questions.rows
            passed, failed = (np.array([row.verdict == word for row in rows]) for word in ("passed", "failed"))
        false_pass, false_fail = passed & (p < 0.8), failed & (p >= 0.8)
        found[rule] = {"false pass": false_pass.any(), "false fail": false_fail.any(),
                       "decided": (passed | failed).mean(), "wrong": (false_pass | false_fail).mean()}  # fmt: skip
    return found


@study(grid(world=list(WORLDS), questions_trials=((20, 3), (20, 64), (100, 1), (100, 10), (100, 40), (500, 10))),
       page="RESULTS.md", mark="question gates")  # fmt: skip
def question_gates(rng, world, questions_trials):
    """How often any verdict about a question that is asked to be solved with probability .8 is false."""
    found = _per_question(rng, world, *questions_trials)
    return {f"`{rule}` {name}": found[rule][name]
            for rule in ("posterior", "binomial") for name in ("false pass", "false fail", "decided")}  # fmt: skip


@study(grid(trials=(10, 20, 40)), page="RESULTS.md", mark="question gate power")
def question_gate_power(rng, trials):
    """How many of 100 questions, half at .5 and half at .99, are decided, and what the obvious rule gets wrong."""
    found = _per_question(rng, "half .5, half .99", 100, trials)
    return {f"{rule} {name}": found[rule][name]
            for rule, name in (("posterior", "decided"), ("binomial", "decided"), ("8 of 10", "wrong"))}  # fmt: skip


@study([{"questions": m, "trials": n, "tasks": tasks} for m, n, tasks in (
        (20, 3, 1), (20, 10, 1), (100, 4, 1), (100, 10, 1), (100, 20, 10), (500, 10, 1), (500, 64, 1))],
       page="RESULTS.md", mark="new failures")  # fmt: skip
def new_failures(rng, questions, trials, tasks):
    """How often ``no_new_failures`` fails where no rate changed, and sees one question that broke."""
    p = rates(BANK, rng, questions)

    def fails(new, old):
        pairs = zip(np.array_split(new, tasks), np.array_split(old, tasks), strict=True)
        found = gate("pass@1", *suites(pairs, trials, rng), max_drop=0.99, no_new_failures=True)
        return found.failures.verdict == "failed"

    broke = fails(np.append(p[1:], 0.2), np.append(p[1:], 1.0))
    return {"false fail": fails(p, p), "a break from 1 to .2 is seen": broke}


CLAIMS = [{"holds": text} for i in range(10) for text in (f"m{i} > rival", f"m{i} > rival - 0.1")]


@study(grid(questions_trials=((20, 8), (100, 1), (100, 4), (500, 3), (40, 64))), page="RESULTS.md", mark="claims")
def claims(rng, questions_trials):
    """Twenty claims about ten models exactly as good as a rival: ten are false, at the margin, ten are true."""
    questions, trials = questions_trials
    base = rates("Beta(1, .8)", rng, questions)
    p = {"rival": base} | {f"m{i}": shifted(base, 0.0, rng) for i in range(10)}
    rows = check_claims(CLAIMS, {name: tried(each, trials, rng) for name, each in p.items()}).rows
    false, true = ([row.verdict for row in rows[start::2]] for start in (0, 1))
    return {
        "any false supported": "passed" in false,
        "any true contradicted": "failed" in true,
        "true ones supported": np.mean([each == "passed" for each in true]),
    }
