"""A metric in three lines, held to the contract that every metric keeps."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorio import CountMetric
from scorio.params import param, positive
from scorio.testing import check_metric


@dataclass(frozen=True)
class AtLeast(CountMetric):
    """At least ``hits`` of ``k`` trials succeed."""

    hits: int = param(positive, default=2)

    def credit(self) -> NDArray[np.bool_]:
        """One for ``hits`` successes or more."""
        return np.arange(self.k + 1) >= self.hits


def main() -> None:
    """Score, interval and the contract suite."""
    metric = AtLeast(k=4, hits=3)
    outcomes = [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]
    check_metric(metric)
    print(f"{metric!r} scores {metric.score(outcomes):.4f}, posterior {metric.interval(outcomes)}")


if __name__ == "__main__":
    main()
