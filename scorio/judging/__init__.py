"""Imperfect judges: scores that people's labels correct, samples to label, and the agreement of judges with people."""

from ._agreement import Agreement as Agreement, measure_agreement
from ._corrected import RectifiedInterval as RectifiedInterval, estimate_with_judge
from ._labels import read_labels, sample_to_label
from ._question_sample import QuestionSample, choose_questions, read_question_sample
from ._scores import CorrectedScores as CorrectedScores, estimate_models, judge_models

__all__ = [
    "QuestionSample",
    "choose_questions",
    "estimate_models",
    "estimate_with_judge",
    "judge_models",
    "measure_agreement",
    "read_labels",
    "read_question_sample",
    "sample_to_label",
]
