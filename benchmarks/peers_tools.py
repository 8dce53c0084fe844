"""The calls of ``peers.py``: one function per package and question, each on plain arrays.

``python peers_tools.py JOB IN.npz OUT.npz ours|peers`` runs every function of a job on every replicate of the arrays in
IN.npz, in the environment whose Python runs it. OUT.npz gets what they return (nan where a call fails), and the seconds
of one call. Each package is called as its documentation recommends for repeated trials, with 2,000 resamples.
"""

import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np

Array = np.ndarray
Call = Callable[..., Any]
RESAMPLES = 2000
FEWER, SLOW = 60, 0.1  # calls that take more seconds get this many replicates
OURS: dict[str, dict[str, Call]] = {}
PEERS: dict[str, dict[str, Call]] = {}
PACKAGES = {"ours": ("scorio",), "peers": ("evalstats", "evalconfidence", "evalci", "truescore", "agentrel")}
CALIBRATED = {"prior": "learned", "shape": "quantile"}


def ours(job: str, name: str) -> Callable[[Call], Call]:
    """Register a call of this package."""
    return lambda call: OURS.setdefault(job, {}).setdefault(name, call)


def peers(job: str, name: str) -> Callable[[Call], Call]:
    """Register a call of another package."""
    return lambda call: PEERS.setdefault(job, {}).setdefault(name, call)


def question_of_trial(R: Array) -> Array:
    """The question of each trial of a flattened matrix."""
    return np.repeat(np.arange(R.shape[0]), R.shape[1])


def by_question(R: Array) -> dict[str, Array]:
    """The trials of each question by name, as agentrel takes them."""
    return {f"q{i}": row.astype(float) for i, row in enumerate(R)}


def items(R: Array, model: str) -> list[Any]:
    """The trials as evalconfidence takes them."""
    from evalconfidence import ItemResult

    return [ItemResult(f"q{i}", model, float(x), epoch=k) for i, row in enumerate(R) for k, x in enumerate(row)]


def our_interval(metric: str, target: str) -> Call:
    """The calibrated interval of a metric."""

    def call(R: Array) -> list[float]:
        from scorio import Metric

        interval = Metric.from_string(metric).interval(R, target=target, **CALIBRATED)
        return [interval.lo, interval.hi]

    return call


for _job, _metric in (("mean", "pass@1"), ("pass4", "pass@4")):
    ours(_job, "scorio, these questions")(our_interval(_metric, "questions"))
    ours(_job, "scorio, population")(our_interval(_metric, "population"))


@peers("mean", "evalstats mean_ci")
def _(R: Array) -> list[float]:
    import evalstats

    interval = evalstats.mean_ci(R.mean(axis=1), n_bootstrap=RESAMPLES, rng=0)
    return [interval.ci_low, interval.ci_high]


@peers("mean", "evalconfidence standard_error")
def _(R: Array) -> list[float]:
    from evalconfidence import standard_error

    error = standard_error(items(R, "m"))
    return list(error.ci_clustered or error.ci_naive)


@peers("mean", "evalci cluster_ci")
def _(R: Array) -> list[float]:
    import evalci

    interval = evalci.cluster_ci(R.ravel().astype(float), question_of_trial(R), n_resamples=RESAMPLES, random_state=0)
    return [interval.lower, interval.upper]


@peers("mean", "evalci ci, trials pooled")
def _(R: Array) -> list[float]:
    import evalci

    interval = evalci.ci(R.ravel().astype(float))
    return [interval.lower, interval.upper]


@peers("mean", "truescore, clusters")
def _(R: Array) -> list[float]:
    from truescore import gold_only_estimate

    estimate = gold_only_estimate(R.ravel().astype(float), clusters=question_of_trial(R))
    return [estimate.low, estimate.high]


@peers("mean", "agentrel mean_score_ci")
def _(R: Array) -> list[float]:
    from agentrel import mean_score_ci

    estimate = mean_score_ci(by_question(R), n_boot=RESAMPLES, seed=0)
    return [estimate.ci_low, estimate.ci_high]


@peers("pass4", "agentrel pass_at_k")
def _(R: Array) -> list[float]:
    from agentrel import pass_at_k

    estimate = pass_at_k(by_question(R), 4, n_boot=RESAMPLES, seed=0)
    return [estimate.ci_low, estimate.ci_high]


@ours("pair", "scorio compare")
def _(R: Array) -> list[float]:
    from scorio import compare

    comparison = compare("pass@1", R[0], R[1])
    return [float(comparison.winner is not None)]


@ours("pair", "scorio compare, population")
def _(R: Array) -> list[float]:
    from scorio import compare

    comparison = compare("pass@1", R[0], R[1], target="population")
    return [float(comparison.winner is not None)]


@peers("pair", "evalstats pairwise_differences")
def _(R: Array) -> list[float]:
    import evalstats

    rng = np.random.default_rng(0)
    scores = R.astype(float) if R.shape[2] > 1 else R[:, :, 0].astype(float)
    return [evalstats.pairwise_differences(scores, 0, 1, n_bootstrap=RESAMPLES, rng=rng).p_value < 0.05]


@peers("pair", "evalconfidence compare")
def _(R: Array) -> list[float]:
    from evalconfidence import compare

    return [compare(items(R[0], "a"), items(R[1], "b")).p_value < 0.05]


@peers("pair", "evalci compare, question means")
def _(R: Array) -> list[float]:
    import evalci

    means = R.mean(axis=2)
    return [evalci.compare(means[0], means[1], n_resamples=RESAMPLES, random_state=0).p_value < 0.05]


@peers("pair", "truescore paired_bootstrap")
def _(R: Array) -> list[float]:
    from truescore import paired_bootstrap

    a, b = R.reshape(2, -1).astype(float)
    result = paired_bootstrap(a, b, clusters=question_of_trial(R[0]), n_bootstrap=RESAMPLES)
    return [result.p_value < 0.05]


@peers("pair", "agentrel paired_delta")
def _(R: Array) -> list[float]:
    from agentrel import paired_delta

    return [paired_delta(by_question(R[0]), by_question(R[1]), n_boot=RESAMPLES, seed=0).t_pvalue < 0.05]


@ours("factor", "scorio factors, these prompts")
def _(R: Array) -> list[float]:
    from scorio import OutcomeSet, analyze_factors

    rows = {f"m{i} p{j}": R[i, :, j] for i in range(len(R)) for j in range(R.shape[2])}
    conditions = {name: dict(zip(("model", "prompt"), name.split(), strict=True)) for name in rows}
    pair = analyze_factors("pass@1", OutcomeSet(rows, conditions=conditions)).pairs[0]
    return [pair.these.lo > 0.0 or pair.these.hi < 0.0]


def over_prompts(name: str) -> Call:
    """A comparison of two models whose trials are those of all prompts, as the package takes repeated trials."""

    def call(R: Array) -> Any:
        return PEERS["pair"][name](R.reshape(*R.shape[:2], -1))

    return call


for _name in ("evalstats pairwise_differences", "evalconfidence compare", "evalci compare, question means"):
    peers("factor", f"{_name}, prompts as trials")(over_prompts(_name))


def our_family(family: str) -> Call:
    """Any pair called, and the share of pairs called."""

    def call(R: Array) -> list[float]:
        from scorio import Leaderboard

        ranking = Leaderboard("pass@1", {f"m{i}": matrix for i, matrix in enumerate(R)})["pass@1"]
        called = [pair.better is not None for pair in ranking.pairs(family)]
        return [any(called), np.mean(called)]

    return call


ours("family", "scorio simultaneous")(our_family("simultaneous"))
ours("family", "scorio Holm")(our_family("holm"))


@peers("family", "evalstats all_pairwise")
def _(R: Array) -> list[float]:
    import evalstats

    scores = R.astype(float) if R.shape[2] > 1 else R[:, :, 0].astype(float)
    names = [f"m{i}" for i in range(len(R))]
    matrix = evalstats.all_pairwise(scores, names, n_bootstrap=RESAMPLES, rng=np.random.default_rng(0))
    called = [pair.p_value < 0.05 for pair in matrix.results.values()]
    return [any(called), np.mean(called)]


@peers("family", "evalci multi_compare, Holm")
def _(R: Array) -> list[float]:
    import evalci
    import pandas as pd

    models, questions, _ = R.shape
    names = np.repeat([f"m{i}" for i in range(models)], questions)
    items = {"model": names, "item_id": np.tile(np.arange(questions), models), "score": R.mean(axis=2).ravel()}
    table = evalci.multi_compare(pd.DataFrame(items), n_resamples=RESAMPLES, random_state=0)
    called = np.asarray(table["p_adj"]) < 0.05
    return [called.any(), called.mean()]


def our_judge(target: str) -> Call:
    """The mean corrected by labels."""

    def call(judge: Array, human: Array, place: Array) -> list[float]:
        from scorio import OutcomeMatrix, estimate_with_judge

        labels = OutcomeMatrix(human[place], questions=place.tolist())
        interval = estimate_with_judge("pass@1", OutcomeMatrix(judge), labels, target=target)
        return [interval.lo, interval.hi]

    return call


ours("judge", "scorio estimate_with_judge, these questions")(our_judge("questions"))
ours("judge", "scorio estimate_with_judge, population")(our_judge("population"))


@peers("judge", "evalstats judge_debias_mean_ci")
def _(judge: Array, human: Array, place: Array) -> list[float]:
    import evalstats

    labels = np.full(len(judge), np.nan)
    labels[place] = human[place].mean(axis=1)
    interval = evalstats.judge_debias_mean_ci(judge.mean(axis=1), labels, n_bootstrap=RESAMPLES, rng=0)
    return [interval.ci_low, interval.ci_high]


@peers("judge", "truescore ppi_estimate")
def _(judge: Array, human: Array, place: Array) -> list[float]:
    from truescore import ppi_estimate

    estimate = ppi_estimate(judge.mean(axis=1), human[place].mean(axis=1), place)
    return [estimate.low, estimate.high]


def run(job: str, source: str, destination: str, side: str) -> None:
    """Run the calls of a job on every replicate, and save what they return."""
    warnings.simplefilter("ignore")
    replicates = list(zip(*np.load(source).values(), strict=True))
    saved: dict[str, Any] = {}
    for name, call in (OURS if side == "ours" else PEERS)[job].items():
        answers, times, first_error = [], [], ""
        for arrays in replicates:
            start = time.perf_counter()
            try:
                answers.append([float(x) for x in call(*arrays)])
            except Exception as error:  # noqa: BLE001 - a crash of another package is a result
                answers.append([np.nan, np.nan])
                first_error = first_error or f"{type(error).__name__}: {error}"[:200]
            times.append(time.perf_counter() - start)
            if len(times) == FEWER and np.median(times) > SLOW:
                break
        width = max(map(len, answers))
        saved[name] = np.array([answer if len(answer) == width else [np.nan] * width for answer in answers])
        saved[f"seconds of {name}"] = min(times)
        if first_error:
            print(f"{name}: {first_error}", file=sys.stderr)
    versions = [f"{name} {version(name)}" for name in PACKAGES[side]]
    np.savez(destination, versions=np.array(versions), **saved)


if __name__ == "__main__":
    run(*sys.argv[1:])
