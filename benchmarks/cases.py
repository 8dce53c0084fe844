"""The metrics, by the name of their function, and the outcome matrices that benchmarks use."""

import numpy as np

import scorio

SHAPES = {
    "30x80,k=20": (30, 80, 20),
    "500x64,k=16": (500, 64, 16),
    "10000x256,k=64": (10000, 256, 64),
    "1000x2000,k=500": (1000, 2000, 500),
}

SMALL = "30x80,k=20"
# small calls: the function of scorio.eval, its arguments, the categories that occur, and the least ratio of the peer's
# time to ours
CALLS = {
    "pass_at_k": ("pass_at_k", [20], 2, 14),
    "g_pass_at_k_tau": ("g_pass_at_k_tau", [20, 0.5], 2, 11),
    "geom_at_k": ("geom_at_k", [20], 2, 11),
    "max_at_k with weights": ("max_at_k", [20, [0.0, 0.5, 1.0]], 3, 7),
    "bayes with weights": ("bayes", [[0.0, 0.5, 1.0]], 3, 3),
    "avg with weights": ("avg", [[0.0, 0.5, 1.0]], 3, 3),
    "pass_at_k_ci": ("pass_at_k_ci", [20], 2, 42),
    "auc_at_k_ci": ("auc_at_k_ci", [20], 2, 265),
}


def outcomes(questions, trials, dtype="int64", seed=0):
    """Binary outcomes of questions of every difficulty."""
    rng = np.random.default_rng(seed)
    return (rng.random((questions, trials)) < rng.random((questions, 1))).astype(dtype)


def metrics(k):
    """Each metric with the name and the arguments of its function in ``scorio.eval``."""
    spectrum = tuple(np.full(k, 1.0 / k))
    return {
        "bayes": (scorio.BayesMetric(), ()),
        "avg": (scorio.AvgMetric(), ()),
        "pass_at_k": (scorio.PassAtK(k), (k,)),
        "pass_hat_k": (scorio.PassHatK(k), (k,)),
        "g_pass_at_k_tau": (scorio.GPassTau(k, 0.5), (k, 0.5)),
        "maj_at_k": (scorio.MajAtK(k), (k,)),
        "mg_pass_at_k": (scorio.MGPass(k), (k,)),
        "auc_at_k": (scorio.metrics.AucAtK(k), (k,)),
        "threshold_spectrum_at_k": (scorio.metrics.ThresholdSpectrum(k, spectrum), (k, spectrum)),
        "max_at_k": (scorio.MaxAtK(k), (k,)),
        "geom_at_k": (scorio.metrics.GeomAtK(k), (k,)),
        "geom_ds_at_k": (scorio.metrics.GeomDsAtK(k), (k,)),
        "geo_spectrum_at_k": (scorio.GeoSpectrum(k), (k,)),
    }
