"""METR's p50 and p80 of a file of runs beside a fit by scikit-learn: ``python benchmarks/metr.py runs.jsonl``."""

import json
import math
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from scorio import horizon, read


def main(path):
    found = horizon("pass@1", read(path, keep="human_minutes"), "human_minutes", fit="metr")
    runs = defaultdict(list)
    for row in map(json.loads, Path(path).read_text(encoding="utf-8").splitlines()):
        runs[row["alias"]].append(row)
    print("| model | p50 | scikit-learn | p80 | scikit-learn |\n| --- | ---: | ---: | ---: | ---: |")
    for model, rows in runs.items():
        x, y = np.log2([[row["human_minutes"]] for row in rows]), [row["score_binarized"] for row in rows]
        if len(set(y)) < 2:
            continue
        weights = [row["invsqrt_task_weight"] for row in rows]
        fit = LogisticRegression(C=10.0, tol=1e-12, max_iter=10_000).fit(x, y, sample_weight=weights)
        other = [2.0 ** ((math.log(rate / (1 - rate)) - fit.intercept_[0]) / fit.coef_[0, 0]) for rate in (0.5, 0.8)]
        ours = [found.of(model, rate).extrapolated for rate in (0.5, 0.8)]
        print(f"| {model} | {ours[0]:.4f} | {other[0]:.4f} | {ours[1]:.4f} | {other[1]:.4f} |")


if __name__ == "__main__":
    main(sys.argv[1])
