"""Look for the worlds in which scorio is most often wrong without a word: misses, false calls, disagreements, crashes.

    python benchmarks/adversary.py --minutes 60 --write            # also into docs/limits.md
    python benchmarks/adversary.py --runs 400 --world '{"claim": "covers", "questions": 300}'

``adversary_worlds.py`` has the space. One *run* of a world draws outcomes whose truth is known and asks for the
statement of the world, which may be wrong in a nominal share of the runs. An error is *silent* if no warning was
issued; outcomes or options that are refused with a reason are no errors.

The search is a bandit: half of its time goes to new worlds and to neighbors of the worst ones, the other half doubles
the runs of the world whose share of silent errors, less the nominal one, has the highest upper bound. What is reported
comes from fresh runs, because the worst of many noisy figures is worse than it really is. The worst ten are of
different kinds: of worlds that differ in details only, the worst one stands for all. Known limits, which are on the
page too, are left out unless ``--limits`` asks for them.
"""

import argparse
import json
import math
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from textwrap import shorten

import numpy as np
from adversary_worlds import CLAIMS, World, neighbor, random_world, settled
from runner import fill, made

from scorio import Metric
from scorio.errors import ScorioError

FIRST, MOST = 16, 1024  # runs of a new world, and of one world during the search
SLOWEST = 2.0  # seconds of one batch of runs; a quarter of this for the first
SEARCHED = 0.7  # share of the time; the rest is for fresh runs
BEST, REPORTED = 24, 10  # worlds that get neighbors and more runs; those that are reported

LIMITS: dict[str, Callable[[World], bool]] = {
    "k above the number of trials": lambda world: world.budget > world.trials,
    "outcomes decided the trials, and nobody said so": lambda world: world.design.endswith("undeclared"),
}


def limit(world: World) -> str:
    """The known limit that a world lies beyond, or nothing."""
    return next((name for name, lies_beyond in LIMITS.items() if lies_beyond(world)), "")


@dataclass
class Tally:
    """What the runs of a world gave."""

    runs: int = 0
    silent: int = 0
    warned: int = 0  # of the runs
    refused: int = 0
    example: str = ""

    def excess(self, world: World, errors: float = 0.0) -> float:
        """The share of silent errors less the nominal share, plus so many standard errors."""
        share = (self.silent + world.nominal) / (self.runs + 1.0)
        return share - world.nominal + errors * math.sqrt(share * (1.0 - share) / (self.runs + 1.0))

    def __str__(self) -> str:
        share = self.silent / max(self.runs, 1)
        error = math.sqrt(max(share * (1.0 - share), 1.0 / (self.runs + 1)) / max(self.runs, 1))
        return f"{share:.3f} ± {error:.3f}"


def run(world: World, runs: int, seed: int, tally: Tally | None = None, seconds: float = SLOWEST) -> Tally:
    """Add runs to a tally, until the time is over; the runs of a tally that has some are new ones."""
    tally, end = tally or Tally(), time.monotonic() + seconds
    metric = Metric.from_string(world.metric)
    rng = np.random.default_rng([seed, tally.runs])
    for _ in range(runs):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                wrong = CLAIMS[world.claim](world, metric, rng)
            except ScorioError as error:
                tally.refused += 1
                wrong, tally.example = "", tally.example or f"refused: {error}"
            except Exception as error:  # noqa: BLE001 - a crash is what is looked for
                wrong = f"{type(error).__name__}: {error}"
        tally.runs += 1
        tally.warned += bool(said)
        if wrong and not said:
            tally.silent += 1
            tally.example = wrong
        if time.monotonic() > end:
            break
    return tally


def search(minutes: float, seed: int, limits: bool) -> dict[World, Tally]:
    """Spend the time on new worlds and on the most promising ones."""
    rng, end, found = np.random.default_rng(seed), time.monotonic() + 60.0 * minutes, dict[World, Tally]()
    spent = {"new": 0.0, "more": 0.0}
    while (start := time.monotonic()) < end:
        best = worst_of_kinds(found, BEST)
        more = [world for world in best if found[world].runs < MOST]
        job = "more" if more and spent["more"] < spent["new"] else "new"
        if job == "more":
            world = max(more, key=lambda each: found[each].excess(each, errors=2.0))
            run(world, found[world].runs, seed, found[world])
        else:
            is_near = bool(best) and rng.random() < 0.5
            world = neighbor(best[rng.integers(len(best))], rng) if is_near else random_world(rng)
            if world not in found and (limits or not limit(world)):
                found[world] = run(world, FIRST, seed, seconds=SLOWEST / 4.0)
        spent[job] += time.monotonic() - start
    return found


def worst_of_kinds(found: dict[World, Tally], count: int) -> list[World]:
    """The worst world of each kind, the worst kinds first; few runs count as what they are surely worse than."""
    kinds: dict[tuple[str, ...], World] = {}
    for world, tally in found.items():
        known = kinds.setdefault(world.kind, world)
        if tally.excess(world, -1.0) > found[known].excess(known, -1.0):
            kinds[world.kind] = world
    return sorted(kinds.values(), key=lambda world: -found[world].excess(world, -1.0))[:count]


def confirmed(worlds: list[World], minutes: float, runs: int, seed: int) -> dict[World, Tally]:
    """Fresh runs of worlds, the worst first."""
    seconds = 60.0 * minutes / max(len(worlds), 1)
    fresh = {world: run(world, runs, seed, seconds=seconds) for world in worlds}
    return dict(sorted(fresh.items(), key=lambda each: -each[1].excess(each[0])))


def shown(found: Iterable[tuple[World, Tally]]) -> str:
    """The worst worlds as a table, and the calls that repeat them."""
    rows = ["| | wrong, silently | nominal | warned | refused | runs | world |", "|--:|" + "---|" * 6]
    calls = []
    for i, (world, tally) in enumerate(found, 1):
        shares = (f"{part / max(tally.runs, 1):.2f}" for part in (tally.warned, tally.refused))
        numbers = f"{tally} | {world.nominal:.2f} | {' | '.join(shares)} | {tally.runs}"
        known = f"; limit: {limit(world)}" if limit(world) else ""
        rows.append(f"| {i} | {numbers} | {world}{known} |")
        calls += [f"# {i}: {shorten(tally.example, 100, placeholder=' ..')}", world.call]
    return "\n".join([*rows, "", "```sh", *calls, "```"])


def main() -> None:
    """Search and report, or repeat one world."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--runs", type=int, default=400, help="fresh runs of a world that is reported")
    parser.add_argument("--limits", action="store_true", help="search beyond the known limits too")
    parser.add_argument("--write", action="store_true", help="write the worst ten into docs/limits.md")
    parser.add_argument("--world", type=json.loads, help="run this world only")
    options = parser.parse_args()
    if options.world:
        parts = options.world | {"shape": tuple(map(tuple, options.world.get("shape", World().shape)))}
        world = settled(World(**parts))
        print(shown([(world, run(world, options.runs, options.seed + 1, seconds=math.inf))]))
        return
    start = time.monotonic()
    found = search(SEARCHED * options.minutes, options.seed, options.limits)
    worst = worst_of_kinds(found, BEST)
    fresh = confirmed(worst, (1.0 - SEARCHED) * options.minutes, options.runs, options.seed + 1)
    runs = sum(tally.runs for tally in (*found.values(), *fresh.values()))
    text = shown(list(fresh.items())[:REPORTED])
    note = f"{len(found):,} worlds, {runs:,} runs in {(time.monotonic() - start) / 60.0:.0f} minutes; {made()}."
    print(f"{text}\n{note}")
    if options.write:
        fill("limits.md", "adversary", f"{text}\n\n{note}")


if __name__ == "__main__":
    main()
