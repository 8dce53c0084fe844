"""A leaderboard of simulated models, two of them equal; and how often each tie rule separates two models."""

from scorio import Leaderboard, simulate
from scorio.rank import rank_scores

ABILITIES = {"amber": 1.5, "birch": 1.2, "cedar": 1.2, "delta": 0.7, "ember": 0.0}
QUESTIONS, TRIALS, WORLDS = 60, 8, 400
GAPS = (0.0, 0.25, 0.5)
PUBLISHED = {"prior": "uniform", "shape": "normal"}
RULES: dict[str, dict[str, str]] = {
    "difference": {},
    "difference, population": {"target": "population"},
    "zscore_adjacent": PUBLISHED,
    "ci_overlap_adjacent": PUBLISHED,
}


def world(abilities: list[float], seed: int, names: list[str] | None = None) -> simulate.World:
    """Outcomes of models of these abilities on questions of all difficulties."""
    return simulate.coins(simulate.rates(abilities, QUESTIONS, rng=seed), TRIALS, models=names, rng=seed + 1)


def separated(rule: str, gap: float) -> float:
    """Return the share of worlds in which two models whose abilities differ by ``gap`` have different ranks."""
    count = 0
    for seed in range(WORLDS):
        board = Leaderboard("pass@1", world([gap, 0.0], 2 * seed).outcomes, **RULES[rule])
        ranks = board.ranks
        if rule in ("zscore_adjacent", "ci_overlap_adjacent"):  # published
            sigmas = [interval.sigma for interval in board.intervals]
            ranks = rank_scores(board.scores, sigmas=sigmas, tie=rule)["competition"]
        count += ranks[0] != ranks[1]
    return count / WORLDS


def main() -> None:
    """Print the board with the truth, the probabilities that one model beats another, and the rules side by side."""
    made = world(list(ABILITIES.values()), 0, list(ABILITIES))
    board = Leaderboard(["pass@1", "pass@4"], made.outcomes)
    print(board)
    for metric in board.metrics:
        true = zip(board.models, made.truth(metric), strict=True)
        print(f"\ntrue {metric}: " + ", ".join(f"{name} {value:.3f}" for name, value in true))

    print("\nP(row beats column) by pass@1")
    print(" " * 8 + "".join(f"{name:>8}" for name in board.models))
    for name, chances in zip(board.models, board["pass@1"].posterior.beats, strict=True):
        print(f"{name:<8}" + "".join(f"{chance:>8.3f}" for chance in chances))

    print(f"\nshare of {WORLDS} worlds in which two models have different ranks, by the gap between their abilities")
    print(f"{'tie':<29}" + "".join(f"{gap:>8}" for gap in GAPS))
    for rule in RULES:
        print(f"{rule:<29}" + "".join(f"{separated(rule, gap):>8.3f}" for gap in GAPS))


if __name__ == "__main__":
    main()
