"""Questions that are composed of estimates: how often their intervals contain the truth, and p-values call wrongly."""

import numpy as np
from runner import grid, study
from worlds import expit, hermite

from scorio import OutcomeMatrix, OutcomeSet, Suite, estimate

NODES, SHARES = hermite(30)
WORLDS = {"30 x 8": (8, 30), "30 x 4": (4, 30), "60 x 1": (1, 60), "8 runs": (8, 40), "a suite": (6, 20, 40)}
QUESTIONS = {  # of the estimates by pass@1, and by pass@4
    "a - .95 b": lambda m, _: m["a"] - 0.95 * m["b"],
    "2 b - c - d": lambda m, _: 2.0 * m["b"] - m["c"] - m["d"],
    "a - (b + c + d) / 3": lambda m, _: m["a"] - (m["b"] + m["c"] + m["d"]) / 3.0,
    "(a - b) - (c - d)": lambda m, _: (m["a"] - m["b"]) - (m["c"] - m["d"]),
    ".7 a + .3 c - b": lambda m, _: 0.7 * m["a"] + 0.3 * m["c"] - m["b"],
    "a / b": lambda m, _: m["a"] / m["b"],
    "a b": lambda m, _: m["a"] * m["b"],
    "log-odds": lambda m, _: logit(m["a"]) - logit(m["b"]),
    "a - b, pass@4": lambda _, m: m["a"] - m["b"],
    "a / b, pass@4": lambda _, m: m["a"] / m["b"],
    "a, pass@4 - pass@1": lambda m, more: more["a"] - m["a"],
    "a - b, pass@4 - pass@1": lambda m, more: (more["a"] - m["a"]) - (more["b"] - m["b"]),
}


def logit(x):
    return np.log(x / (1.0 - x)) if isinstance(x, float) else x.through(logit)


@study(grid(world=tuple(WORLDS)), worlds=1000, page="RESULTS.md", mark="expressions", by=(("world",), ("question",)))
def expressions(rng, world):
    """Coverage (nominal .95) and false calls (.05) of questions about four models, for these questions."""
    tasks, truth, s, (trials, *counts) = {}, 0.0, 0.3 * (world == "8 runs"), WORLDS[world]
    for count in counts:
        logits = rng.normal(0.0, 1.2, count) + rng.normal(0.0, 0.4, (4, count)) + 0.25 * np.arange(4)[:, None]
        rows = rng.random((4, count, trials)) < expit(logits[..., None] + s * rng.standard_normal((4, 1, trials)))
        models = [OutcomeMatrix(R, runs=list(range(trials)) if s else None) for R in rows.astype(int)]
        tasks[str(count)] = OutcomeSet(dict(zip("badc", models, strict=True)))
        p = expit(logits[..., None] + s * NODES) @ SHARES
        truth += np.array([p.mean(axis=1), (1.0 - (1.0 - p) ** 4).mean(axis=1)]) / len(counts)
    made = [estimate(metric, Suite(tasks), runs="random" if s else "independent") for metric in ("pass@1", "pass@4")]
    for name, question in [*QUESTIONS.items()][: 8 if trials == 1 else None]:
        told, value = question(*made), float(question(*(dict(zip("badc", row.tolist(), strict=True)) for row in truth)))
        yield {"question": name}, {"held": value in told.interval(), "false": told.p_value(value) <= 0.05}
