"""A rubric of one's own: right answers count, and long ones count less."""

import numpy as np

from scorio import BayesMetric, MaxAtK, Rubric


class Efficient(Rubric):
    """Correctness, and whether the answer took more tokens than the reference did."""

    levels = {"wrong, long": 0.0, "wrong": 0.2, "correct, long": 0.75, "correct": 1.0}

    def classify(self, correct: bool, token_ratio: float) -> str:
        """The level of one answer."""
        return ("correct" if correct else "wrong") + (", long" if token_ratio > 1 else "")


def main() -> None:
    """Two questions, four trials each."""
    correct = np.array([[1, 1, 0, 1], [0, 0, 1, 0]])
    token_ratio = np.array([[0.8, 1.3, 0.9, 0.7], [1.8, 0.6, 0.9, 2.0]])
    rubric = Efficient()
    outcomes = rubric.outcomes(correct=correct, token_ratio=token_ratio)
    print(outcomes)
    for metric in (BayesMetric(rubric), MaxAtK(2, rubric)):
        interval = metric.interval(outcomes, prior="learned")
        print(f"{type(metric).__name__:<12} score {metric.score(outcomes):.4f}   {interval}")


if __name__ == "__main__":
    main()
