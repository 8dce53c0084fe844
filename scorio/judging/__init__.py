"""Imperfect judges: scores that people's labels correct, samples to label, and the agreement of judges with people."""

from ._agreement import Agreement, judge_agreement, judge_bias, krippendorff_alpha
from ._interval import RectifiedInterval, SampledInterval
from ._label_sample import LabelSample, label_sample
from ._leaderboard import RectifiedLeaderboard, RectifiedPair, rectified_leaderboard
from ._read_labels import Labels, read_labels
from ._rectified import assisted, rectified

__all__ = [
    "Agreement",
    "LabelSample",
    "Labels",
    "RectifiedInterval",
    "RectifiedLeaderboard",
    "RectifiedPair",
    "SampledInterval",
    "assisted",
    "judge_agreement",
    "judge_bias",
    "krippendorff_alpha",
    "label_sample",
    "read_labels",
    "rectified",
    "rectified_leaderboard",
]
