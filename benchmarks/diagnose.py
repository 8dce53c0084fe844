"""How often ``diagnose`` finds something in sound outcomes, and in outcomes with a planted fault.

``python benchmarks/diagnose.py [--runs 200] [--page]`` prints two tables. In every sound world each trial is an
independent draw at the rate of its model and question. A planted fault is put into a bank whose models share the
difficulties of its questions. The error after ± is that of the simulation.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np
from marked import fill, made

from scorio import OutcomeSet
from scorio.diagnosis._diagnose import _findings
from scorio.diagnosis._diagnosis import GAPS, SATURATED
from scorio.diagnosis._runs import runs_of_arrays

Rng = np.random.Generator
Array = np.ndarray
CONFIDENCE = 0.95
COUNTED = {GAPS, SATURATED}  # these describe the outcomes and do not judge them


def trials(rng: Rng, rates: Array, count: int) -> Array:
    """Draw outcomes, (models, questions, trials)."""
    return rng.binomial(1, rates[..., None], (*rates.shape, count)).astype(float)


def bank(rng: Rng, models: int, questions: int, own: float = 0.9, spread: float = 2.0, level: float = 0.0) -> Array:
    """Rates of models that share difficulties: logits with a part of the model, of the question and of both."""
    parts = (
        rng.normal(level, 0.8, (models, 1)),
        rng.normal(0, spread, questions),
        rng.normal(0, own, (models, questions)),
    )
    return 1.0 / (1.0 + np.exp(-sum(parts)))


def halves(rng: Rng, models: int, questions: int) -> Array:
    """Rates .002 and .998, half of each."""
    return np.where(rng.permuted(np.tile(np.arange(questions) % 2, (models, 1)), axis=1), 0.998, 0.002)


def ragged(rng: Rng, outcomes: Array) -> Array:
    """Leave out trials at random, at least two of a question remaining."""
    gone = rng.random(outcomes.shape) < rng.uniform(0, 0.7)
    gone[..., :2] = False
    return np.where(gone, np.nan, outcomes)


def mixed(rng: Rng) -> Array:
    """Two models with rates near 0 and 1, and two with rates near one half."""
    return np.concatenate([rng.beta(0.1, 0.1, (2, 60)), rng.beta(5, 5, (2, 60))])


def with_guesser(rng: Rng) -> Array:
    """A model that guesses one of four answers to every question, among four others."""
    return np.concatenate([np.full((1, 100), 0.25), bank(rng, 4, 100)])


def one_sharp(rng: Rng) -> Array:
    """One model that is nearly sure of every answer, among three others."""
    return np.concatenate([halves(rng, 1, 100), rng.beta(1, 1, (3, 100))])


def one_surer(rng: Rng) -> Array:
    """Four models that share difficulties, one of them with three times the logits."""
    rates = bank(rng, 4, 200)
    rates[0] = 1.0 / (1.0 + (1.0 / rates[0] - 1.0) ** 3)
    return rates


SOUND: dict[str, Callable[[Rng], Array]] = {
    "rates .002 and .998, 3 x 100 x 5": lambda rng: trials(rng, halves(rng, 3, 100), 5),
    "the same, all models alike": lambda rng: trials(rng, np.repeat(halves(rng, 1, 100), 3, axis=0), 5),
    "all rates .5, 3 x 100 x 4": lambda rng: trials(rng, np.full((3, 100), 0.5), 4),
    "all rates .97, 3 x 100 x 4": lambda rng: trials(rng, np.full((3, 100), 0.97), 4),
    "rates 0, .5 and 1, 3 x 60 x 3": lambda rng: trials(rng, rng.choice([0, 0.5, 1], (3, 60)), 3),
    "Beta(.1, .1), 4 x 50 x 2": lambda rng: trials(rng, rng.beta(0.1, 0.1, (4, 50)), 2),
    "Beta(.1, .1), all models alike": lambda rng: trials(rng, np.tile(rng.beta(0.1, 0.1, 50), (4, 1)), 2),
    "Beta(1, 1), 2 x 40 x 8": lambda rng: trials(rng, rng.beta(1, 1, (2, 40)), 8),
    "Beta(60, .4), 4 x 200 x 4": lambda rng: trials(rng, rng.beta(60, 0.4, (4, 200)), 4),
    "2 x Beta(.1, .1) and 2 x Beta(5, 5), 60 x 2": lambda rng: trials(rng, mixed(rng), 2),
    "shared difficulty, 2 x 30 x 4": lambda rng: trials(rng, bank(rng, 2, 30), 4),
    "shared difficulty, 20 x 1000 x 2": lambda rng: trials(rng, bank(rng, 20, 1000), 2),
    "shared difficulty, 4 x 5 x 30": lambda rng: trials(rng, bank(rng, 4, 5), 30),
    "shared difficulty, one trial, 6 x 200": lambda rng: trials(rng, bank(rng, 6, 200), 1),
    "hard questions, 5 x 30 x 4": lambda rng: trials(rng, bank(rng, 5, 30, level=-3.0), 4),
    "a model that guesses, 5 x 100 x 4": lambda rng: trials(rng, with_guesser(rng), 4),
    "numbers of trials that vary, 4 x 80 x 2-8": lambda rng: ragged(rng, trials(rng, bank(rng, 4, 80), 8)),
    "clusters of 10, independent models, 3 x 200 x 3": lambda rng: trials(
        rng, np.repeat(rng.beta(0.5, 0.5, (3, 20)), 10, axis=1), 3
    ),
    "shared difficulty, one surer model, 4 x 200 x 4": lambda rng: trials(rng, one_surer(rng), 4),
    "one model .002 and .998, three Beta(1, 1), 100 x 5": lambda rng: trials(rng, one_sharp(rng), 5),
}
CLUSTERED = {"clusters of 10, independent models, 3 x 200 x 3": 10}


def copied_model(rng: Rng, x: Array) -> None:
    """The second model is the first under another name."""
    x[1] = x[0]


def shuffled_model(rng: Rng, x: Array) -> None:
    """The same, with the trials of each question in another order."""
    x[1] = rng.permuted(x[0], axis=1)


def flipped(rng: Rng, x: Array) -> Array:
    """Outcomes of which one in a hundred is the opposite."""
    return np.abs(x - (rng.random(x.shape) < 0.01))


def near_model(rng: Rng, x: Array) -> None:
    """A copied model with one outcome in a hundred changed."""
    x[1] = flipped(rng, x[0])


def copied_run(rng: Rng, x: Array) -> None:
    """A run of the first model is another one."""
    x[0, :, 1] = x[0, :, 0]


def near_run(rng: Rng, x: Array) -> None:
    """A copied run with one outcome in a hundred changed."""
    x[0, :, 1] = flipped(rng, x[0, :, 0])


def cached(rng: Rng, x: Array) -> None:
    """All trials of the first model are its first."""
    x[0] = x[0, :, :1]


def near_cached(rng: Rng, x: Array) -> None:
    """The same, with one outcome in a hundred changed."""
    x[0] = flipped(rng, np.broadcast_to(x[0, :, :1], x[0].shape))


def cached_where_hard(rng: Rng, x: Array) -> None:
    """All trials of the first model are alike on the half of the questions that other models fail most."""
    hard = np.argsort(x[1:].mean(axis=(0, 2)))[: x.shape[1] // 2]
    x[0, hard] = x[0, hard, :1]


def permuted(rng: Rng, x: Array) -> None:
    """The questions of the first model have each other's names."""
    x[0] = rng.permutation(x[0])


def shifted(rng: Rng, x: Array) -> None:
    """The questions of the first model have the names of their neighbors."""
    x[0] = np.roll(x[0], 1, axis=0)


def as_text(rng: Rng, x: Array) -> None:
    """The questions of the first model are in the order of their numbers as text: 0, 1, 10, 11, .."""
    x[0] = x[0, sorted(range(x.shape[1]), key=str)]


def inverted(rng: Rng, x: Array) -> None:
    """Successes of the first model are failures, and the reverse."""
    x[0] = 1 - x[0]


def partly_inverted(rng: Rng, x: Array) -> None:
    """The same on three questions in ten."""
    some = rng.random(x.shape[1]) < 0.3
    x[0, some] = 1 - x[0, some]


def one_bad_run(rng: Rng, x: Array) -> None:
    """One run of the first model loses half of its successes."""
    x[0, :, 2] *= rng.random(x.shape[1]) < 0.5


def repeated(rng: Rng, x: Array) -> None:
    """A trial of the first model repeats the one before with probability .3."""
    for j in range(1, x.shape[2]):
        again = rng.random(x.shape[1]) < 0.3
        x[0, again, j] = x[0, again, j - 1]


FAULTS: list[Callable[[Rng, Array], None]] = [
    *(copied_model, shuffled_model, near_model, copied_run, near_run, cached, near_cached, cached_where_hard),
    *(permuted, shifted, as_text, inverted, partly_inverted, one_bad_run, repeated),
]
SHAPES = {"30 x 4": (4, 30, 4), "30 x 8": (4, 30, 8), "100 x 4": (4, 100, 4), "400 x 4": (4, 400, 4)}


def found(x: Array, cluster: int | None = None) -> set[str]:
    """The kinds of what is found, apart from what is only counted."""
    models = {f"m{i}": each for i, each in enumerate(x)}
    labels = None if cluster is None else [i // cluster for i in range(x.shape[1])]
    outcomes = OutcomeSet(models, missing="omit", clusters=labels)
    every = _findings({"": outcomes}, runs_of_arrays(models), [], 1.0 - CONFIDENCE)
    return {each.kind for each in every} - COUNTED


def cell(count: int, runs: int) -> str:
    """A share with its error."""
    share = count / runs
    return f"{share:.3f} ± {max(share * (1 - share), 1 / runs) ** 0.5 / runs**0.5:.3f}"


def sound_table(runs: int) -> Iterable[str]:
    """Sound worlds, and how often anything is found in them."""
    yield "| sound outcomes: models x questions x trials | anything found | what |"
    yield "|---|---|---|"
    for number, (name, draw) in enumerate(SOUND.items()):
        rngs = (np.random.default_rng([1, number, seed]) for seed in range(runs))
        each = [found(draw(rng), CLUSTERED.get(name)) for rng in rngs]
        kinds = Counter(kind for one in each for kind in one)
        what = ", ".join(f"{kind} {count / runs:.3f}" for kind, count in kinds.most_common())
        yield f"| {name} | {cell(sum(map(bool, each)), runs)} | {what} |"


def fault_table(runs: int) -> Iterable[str]:
    """Planted faults, and how often anything is found."""
    yield f"| planted fault, four models | {' | '.join(SHAPES)} | found as |"
    yield "|---|" + "---|" * (len(SHAPES) + 1)
    for number, fault in enumerate(FAULTS):
        shares, kinds = [], Counter[str]()
        for shape, (models, questions, count) in enumerate(SHAPES.values()):
            hits = 0
            for seed in range(runs):
                rng = np.random.default_rng([2, number, shape, seed])
                x = trials(rng, bank(rng, models, questions), count)
                fault(rng, x)
                one = found(x)
                hits += bool(one)
                kinds.update(one)
            shares.append(cell(hits, runs))
        names = ", ".join(kind for kind, times in kinds.most_common() if times > 0.1 * runs)
        yield f"| {fault.__doc__.splitlines()[0].rstrip('.')} | {' | '.join(shares)} | {names} |"


def main() -> None:
    """Print the tables; with ``--page`` fill docs/doctor.md."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--page", action="store_true", help="fill docs/doctor.md")
    options = parser.parse_args()
    for name, rows in (("sound outcomes", sound_table), ("planted faults", fault_table)):
        lines = []
        for line in rows(options.runs):
            print(line, flush=True)
            lines.append(line)
        if options.page:
            fill("doctor.md", name, "\n".join([*lines, "", f"{made()}; {options.runs} runs each."]))


if __name__ == "__main__":
    main()
