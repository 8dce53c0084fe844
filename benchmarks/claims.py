"""How often a file of claims is wrong: 20 claims of which 10 are true and 10 are false, at the margin.

    python benchmarks/claims.py --worlds 400 [--write]   # --write: also into docs/gates.md

Eleven models on the same questions. Ten claims say that one of ten is better than the eleventh, whose true score is
exactly the same, by 0 (false: it is not better); ten claims say that it is not worse by more than .1 (true).
"""

from __future__ import annotations

import argparse

import numpy as np
from gates import shifted, with_error
from marked import fill

from scorio import OutcomeMatrix
from scorio.comparison import check_claims

SIZES = ((20, 8), (100, 1), (100, 4), (500, 3), (40, 64))
CLAIMS = [
    claim for i in range(10) for claim in ({"better": [f"m{i}", "rival"]}, {"no_worse": [f"m{i}", "rival"], "by": 0.1})
]


def lines(worlds: int, seed: int) -> list[str]:
    """The table in Markdown."""
    heads = "any false supported | any true contradicted | true ones supported"
    rows = [f"| questions | trials | {heads} |", "|---|---|---|---|---|"]
    for count, trials in SIZES:
        rng = np.random.default_rng([seed, count, trials])
        found = []
        for _ in range(worlds):
            base = rng.beta(1.0, 0.8, count)
            rates = {"rival": base} | {f"m{i}": shifted(base, 0.0, rng) for i in range(10)}
            outcomes = {
                name: OutcomeMatrix.from_counts(rng.binomial(trials, each), trials) for name, each in rates.items()
            }
            verdicts = [row.verdict for row in check_claims(CLAIMS, outcomes).rows]
            false, true = verdicts[::2], verdicts[1::2]
            found.append(
                ("supported" in false, "contradicted" in true, np.mean([each == "supported" for each in true]))
            )
        share = np.mean(found, axis=0)
        cells = [with_error(float(share[0]), worlds), with_error(float(share[1]), worlds), f"{share[2]:.2f}"]
        rows.append(f"| {count} | {trials} | {' | '.join(cells)} |")
        print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Print the table, and write it into the page if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write the table into docs/gates.md")
    arguments = parser.parse_args()
    rows = lines(arguments.worlds, arguments.seed)
    if arguments.write:
        note = f"{arguments.worlds} worlds per row; ± is one standard error."
        fill("gates.md", "claim errors", "\n".join([*rows, "", note]))


if __name__ == "__main__":
    main()
