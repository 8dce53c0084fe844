"""Compare with other packages for statistics of evaluations, on the same simulated outcomes in one run.

    python benchmarks/peers.py                        # prints the tables; the packages get an environment of their own
    python benchmarks/peers.py --replicates 100 --only pair
    python benchmarks/peers.py --page                 # also fills benchmarks/RESULTS.md

Every replicate is given to every package; calls that take more than .1 s get the
first sixty. An interval that a package fails to give counts as a miss. Times are the least of all calls. Each
package is called as its documentation recommends for repeated trials, with 2,000 resamples. The environment of the
other packages runs this file too, as ``peers.py --call JOB IN.npz OUT.npz SIDE``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import venv
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from runner import fill, made

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


def call_all(job: str, source: str, destination: str, side: str) -> None:
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


HERE = Path(__file__).parent
INSTALLED = ["evalstats==0.3.3", "evalconfidence==0.1.1", "evalci==0.1.0", "truescore==0.7.4", "agentrel==0.1.0"]
Rng = np.random.Generator
Answers = dict[str, Array]
Rates = Callable[[Rng, int], Array]
WORLDS: dict[str, tuple[Rates, float]] = {  # how success rates are drawn, and their mean
    "two-sided": (lambda rng, count: rng.beta(0.3, 0.3, count), 0.5),
    "hard": (lambda rng, count: rng.beta(0.3, 1.2, count), 0.2),
}
PARTS = (
    "Share of intervals that contain the mean of these questions",
    "Share of intervals that contain the mean of the population",
    "Mean width, and milliseconds of a call",
)
SIZES = ((30, 1), (30, 5), (100, 1), (100, 5), (100, 16))


class Run(NamedTuple):
    """Where the packages are, and how many replicates there are."""

    python: Path
    folder: Path
    replicates: int
    data: Path | None = None

    def ask(self, job: str, **arrays: Array) -> tuple[Answers, dict[str, float]]:
        """Give the replicates to every package; return the answers and the seconds of one call."""
        source = self.folder / "in.npz"
        np.savez(source, **arrays)
        answers: Answers = {}
        for side, python in (("ours", Path(sys.executable)), ("peers", self.python)):
            out = self.folder / f"{side}.npz"
            subprocess.run([python, __file__, "--call", job, source, out, side], check=True, cwd=HERE)
            answers |= {name: array for name, array in np.load(out).items() if name != "versions"}
        prefix = "seconds of "
        times = {name.removeprefix(prefix): float(answers.pop(name)) for name in list(answers) if prefix in name}
        return answers, times


def share(hits: Array) -> str:
    """A share with its Monte Carlo error; failed calls count as misses, and are said."""
    values = np.asarray(hits, dtype=float)
    return f"{values.mean():.3f}±{np.sqrt(max(values.var(), 1e-4) / len(values)):.3f}"


def milliseconds(times: list[float]) -> str:
    """The least time of a call."""
    value = 1e3 * min(times)
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def trials(rng: Rng, rates: Array, count: int) -> Array:
    """0/1 outcomes, along a new last axis."""
    return (rng.random((*rates.shape, count)) < rates[..., None]).astype(np.int8)


class Column(NamedTuple):
    """A column of a table: its head, and the cell of each package."""

    head: str
    cells: dict[str, str]


def table(columns: list[Column]) -> str:
    """The columns as a Markdown table, a row for each package."""
    names = list(columns[0].cells)
    lines = [["call", *(column.head for column in columns)], ["---"] * (len(columns) + 1)]
    lines += [[name, *(column.cells.get(name, "") for column in columns)] for name in names]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def intervals(run: Run, job: str, sizes: tuple[tuple[int, int], ...]) -> str:
    """Coverage of these questions' mean and of the population's, and widths; Pass@4 for that job."""
    columns: tuple[list[Column], ...] = ([], [], [])
    times: dict[str, list[float]] = {}
    for number, (world, (draw, mean)) in enumerate(WORLDS.items()):
        for questions, count in sizes:
            rng = np.random.default_rng([number, questions, count, len(job)])
            rates = np.stack([draw(rng, questions) for _ in range(run.replicates)])
            value, everyone = rates, mean
            if job == "pass4":
                value, everyone = 1 - (1 - rates) ** 4, float(np.mean(1 - (1 - draw(rng, 10**6)) ** 4))
            answers, seconds = run.ask(job, R=trials(rng, rates, count))
            cells: tuple[dict[str, str], ...] = ({}, {}, {})
            for name, ends in answers.items():
                lo, hi = ends.T
                mean_here = value.mean(axis=1)[: len(lo)]
                these, all_ = (lo <= mean_here) & (mean_here <= hi), (lo <= everyone) & (everyone <= hi)
                for part, figure in zip(cells, (these.mean(), all_.mean(), np.nanmean(hi - lo)), strict=True):
                    part[name] = f"{figure:.3f}"
                times.setdefault(name, []).append(seconds[name])
            for part, cell in zip(columns, cells, strict=True):
                part.append(Column(f"{world} {questions} x {count}", cell))
    columns[-1].append(Column("ms", {name: milliseconds(values) for name, values in times.items()}))
    return "\n\n".join(f"{title}:\n\n{table(part)}" for title, part in zip(PARTS, columns, strict=True))


def pairs(run: Run) -> str:
    """False calls of two equal models, and calls of two different ones."""
    columns, times = [], {}
    for number, (world, (draw, _)) in enumerate(WORLDS.items()):
        for questions, count in SIZES[:4]:
            rng = np.random.default_rng([7, number, questions, count])
            rates = np.stack([draw(rng, questions) for _ in range(run.replicates)])
            better = rates + 0.9 * rates * (1 - rates)
            cells: dict[str, list[str]] = {}
            for other in (rates, better):
                R = trials(rng, np.stack([rates, other], axis=1), count)
                answers, seconds = run.ask("pair", R=R)
                for name, called in answers.items():
                    cells.setdefault(name, []).append(f"{np.nanmean(called[:, 0]):.3f}")
                    times.setdefault(name, []).append(seconds[name])
            columns.append(Column(f"{world} {questions} x {count}", {name: " / ".join(c) for name, c in cells.items()}))
    columns.append(Column("ms", {name: milliseconds(values) for name, values in times.items()}))
    return table(columns)


def banks(run: Run) -> str:
    """Two models on questions of real banks, whose shares of successes are taken for the truth."""
    columns = []
    for path in sorted(run.data.glob("*.npz")) if run.data else ():
        with np.load(path, allow_pickle=False) as bank:
            if "correct" not in bank.files:
                continue
            shares = bank["correct"] / bank["trials"]
        for questions, count in ((100, 1), (100, 5)):
            rng = np.random.default_rng([17, questions, count])
            rates = np.stack([two_of(rng, shares, questions) for _ in range(run.replicates)])
            cells: dict[str, list[str]] = {}
            for both in (np.repeat(rates[:, :1], 2, axis=1), rates):
                for name, called in run.ask("pair", R=trials(rng, both, count))[0].items():
                    cells.setdefault(name, []).append(f"{np.nanmean(called[:, 0]):.3f}")
            head = f"{path.stem.rsplit('_', 1)[0]} {questions} x {count}"
            columns.append(Column(head, {name: " / ".join(each) for name, each in cells.items()}))
    return table(columns)


def two_of(rng: Rng, shares: Array, questions: int) -> Array:
    """The rates of two models of a bank on some of its questions."""
    models = rng.choice(len(shares), 2, replace=False)
    return shares[np.ix_(models, rng.choice(shares.shape[1], questions, replace=False))]


def prompts(run: Run) -> str:
    """Two models under five prompts: equal over these prompts, though each has its own best one; and different."""
    columns = []
    for questions, count in ((50, 1), (50, 3)):
        rng = np.random.default_rng([19, questions, count])
        place = rng.normal(0.0, 1.2, (run.replicates, questions, 1)) + rng.normal(0.0, 0.6, (run.replicates, 1, 5))
        place = place + rng.normal(0.0, 0.3, place.shape)
        cells: dict[str, list[str]] = {}
        for ahead in (0.0, 0.3):
            other = place[..., ::-1] + ahead  # the same rates under other prompts
            rates = 1 / (1 + np.exp(-np.stack([place, other], axis=1)))
            for name, called in run.ask("factor", R=trials(rng, rates, count))[0].items():
                cells.setdefault(name, []).append(f"{np.nanmean(called[:, 0]):.3f}")
        columns.append(Column(f"{questions} x 5 prompts x {count}", {k: " / ".join(v) for k, v in cells.items()}))
    return table(columns)


def families(run: Run) -> str:
    """Six equal models: worlds with any false call; three ahead of three: the share of true differences called."""
    columns = []
    for questions, count in ((60, 3), (60, 1)):
        rng = np.random.default_rng([11, questions, count])
        difficulty = rng.normal(0.0, 2.0, (run.replicates, 1, questions))
        for name, abilities in (("6 equal: any false", np.zeros(6)), ("3 ahead: called", np.repeat([0.8, 0.0], 3))):
            rates = 1 / (1 + np.exp(difficulty - abilities[:, None]))
            answers, _ = run.ask("family", R=trials(rng, rates, count))
            # 9 of the 15 pairs differ where three are ahead.
            value = (lambda a: share(a[:, 0])) if "equal" in name else (lambda a: f"{np.nanmean(a[:, 1]) * 15 / 9:.3f}")
            columns.append(Column(f"{name}, {questions} x {count}", {k: value(a) for k, a in answers.items()}))
    return table(columns)


def judges(run: Run) -> str:
    """A lax judge, 60 of 300 questions labelled: coverage and half width."""
    rng = np.random.default_rng(13)
    shape = run.replicates, 300
    rates = np.where(rng.random(shape) < 0.35, 0.0, rng.random(shape))
    human = trials(rng, rates, 8)
    lax = 0.16 * rng.random((*shape, 1))
    judge = np.where(human, rng.random(human.shape) >= 0.04, rng.random(human.shape) < lax).astype(np.int8)
    place = np.stack([rng.choice(300, 60, replace=False) for _ in range(run.replicates)])
    answers, seconds = run.ask("judge", judge=judge, human=human, place=place)
    cover, width = {}, {}
    for name, ends in answers.items():
        lo, hi = ends.T
        value = rates.mean(axis=1)[: len(lo)] if "these" in name else 0.325
        cover[name], width[name] = share((lo <= value) & (value <= hi)), f"{np.nanmean(hi - lo) / 2:.4f}"
    times = {name: milliseconds([value]) for name, value in seconds.items()}
    return table([Column("coverage", cover), Column("half width", width), Column("ms", times)])


JOBS: dict[str, tuple[str, Callable[[Run], str]]] = {
    "mean": ("mean", lambda run: intervals(run, "mean", SIZES)),
    "pass4": ("Pass@4", lambda run: intervals(run, "pass4", SIZES[1::2])),
    "pair": ("two models", pairs),
    "bank": ("real banks", banks),
    "factor": ("two models under five prompts", prompts),
    "family": ("six models", families),
    "judge": ("judge", judges),
}


def environment(folder: Path) -> Path:
    """The Python of a virtual environment that holds the packages."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *INSTALLED, "pandas"], check=True)
    return python


def results(run: Run, only: str) -> Iterator[tuple[str, str]]:
    """The tables that were asked for."""
    for name, (title, job) in JOBS.items():
        if only in name and (name != "bank" or run.data):
            text = job(run)
            print(f"\n{title}\n\n{text}", flush=True)
            yield name, text


def main() -> None:
    """Print the tables; with ``--page`` fill benchmarks/RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=400)
    parser.add_argument("--venv", type=Path, default=HERE / ".venv-peers")
    parser.add_argument("--data", type=Path, help="a folder of real banks, for the table of real banks")
    parser.add_argument("--only", default="", help="part of the name of a table: " + ", ".join(JOBS))
    parser.add_argument("--page", action="store_true", help="fill benchmarks/RESULTS.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = Run(environment(options.venv), Path(folder), options.replicates, options.data)
        for name, text in results(run, options.only):
            if options.page:
                note = f"{made()}; {', '.join(INSTALLED)}; {options.replicates} replicates."
                fill("RESULTS.md", f"peers: {name}", f"{text}\n\n{note}")


if __name__ == "__main__":
    call_all(*sys.argv[2:]) if sys.argv[1:2] == ["--call"] else main()
