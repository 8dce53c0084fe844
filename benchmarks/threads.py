"""Compare two threads on two matrices with one thread on one matrix: 1.0 is perfect, 2.0 is no gain."""

from concurrent.futures import ThreadPoolExecutor

from cases import outcomes
from timing import interleaved

from scorio import AucAtK, OutcomeMatrix


def main():
    first, second = outcomes(1000, 10_000, seed=1), outcomes(1000, 10_000, seed=2)
    metric = AucAtK(1000)
    with ThreadPoolExecutor(2) as pool:
        for words, job in (
            ("counting", lambda R: OutcomeMatrix(R)._states),
            ("an AUC interval", metric.interval),
        ):
            times = interleaved(
                {"one": lambda job=job: job(first), "two": lambda job=job: both(pool, job, first, second)}
            )
            print(f"{words}: two matrices in two threads take {times['two'] / times['one']:.2f} of the time of one")


def both(pool, job, first, second):
    waiting = pool.submit(job, second)
    job(first)
    waiting.result()


if __name__ == "__main__":
    main()
