"""Compare with other packages for statistics of evaluations, on the same simulated outcomes in one run.

    python benchmarks/peers.py                        # prints the tables; the packages get an environment of their own
    python benchmarks/peers.py --replicates 100 --only pair
    python benchmarks/peers.py --page                 # also fills docs/peers.md

Every replicate is given to every package (``peers_tools.py`` has the calls); calls that take more than .1 s get the
first sixty. An interval that a package fails to give counts as a miss. Times are the least of all calls.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from runner import fill, made

HERE = Path(__file__).parent
PEERS = ["evalstats==0.3.3", "evalconfidence==0.1.1", "evalci==0.1.0", "truescore==0.7.4", "agentrel==0.1.0"]
Rng = np.random.Generator
Array = np.ndarray
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
            subprocess.run([python, HERE / "peers_tools.py", job, source, out, side], check=True, cwd=HERE)
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
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS, "pandas"], check=True)
    return python


def results(run: Run, only: str) -> Iterator[tuple[str, str]]:
    """The tables that were asked for."""
    for name, (title, job) in JOBS.items():
        if only in name and (name != "bank" or run.data):
            text = job(run)
            print(f"\n{title}\n\n{text}", flush=True)
            yield name, text


def main() -> None:
    """Print the tables; with ``--page`` fill docs/peers.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicates", type=int, default=400)
    parser.add_argument("--venv", type=Path, default=HERE / ".venv-peers")
    parser.add_argument("--data", type=Path, help="a folder of real banks, for the table of real banks")
    parser.add_argument("--only", default="", help="part of the name of a table: " + ", ".join(JOBS))
    parser.add_argument("--page", action="store_true", help="fill docs/peers.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = Run(environment(options.venv), Path(folder), options.replicates, options.data)
        for name, text in results(run, options.only):
            if options.page:
                note = f"{made()}; {', '.join(PEERS)}; {options.replicates} replicates."
                fill("peers.md", f"table of {name}", f"{text}\n\n{note}")


if __name__ == "__main__":
    main()
