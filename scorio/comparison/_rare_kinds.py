"""What a gate about the population cannot know: a kind of question that is too rare to be among those it has seen."""

from .._display.numbers import number
from .._display.words import pluralize, warn
from ..errors import QuestionsWarning
from ..metrics import Metric, cluster_count, shifts
from ..outcomes import OutcomeMatrix
from ._two_models import shared_questions

_FEW = 3.0  # equal effects that the variance of a difference must rest on to be known


def warn_of_rare_kinds(metric: Metric, pair: tuple[OutcomeMatrix, OutcomeMatrix], drop: float, error: float) -> None:
    """Issue a QuestionsWarning where a passed gate rests on too few questions that tell the models apart.

    A kind of question with the share ``s`` is missing from ``C`` questions (or clusters) with the probability
    ``(1 - s)^C``, so shares up to ``1 - error^(1/C)`` may be (for an error of .05, about ``3/C``). The variance of the
    difference allows for kinds that were not seen if it comes from several questions, and not if it comes from one or
    two. How many equal effects it comes from is ``(sum d^2)^2 / sum d^4`` of the effects ``d``.
    """
    new, old = shared_questions(*pair)
    if cluster_count(new) < 2 or min(new.min_trials, old.min_trials) < metric.required_trials:
        return
    effects = shifts(metric, new) - shifts(metric, old)
    total = float(effects @ effects)
    behind = total**2 / float((effects**4).sum()) if total > 0.0 else 0.0
    count = cluster_count(new)
    share = 1.0 - error ** (1.0 / count)
    low, high = metric.support(new)
    if behind >= _FEW or not share * (high - low) > drop:
        return
    telling = f"about {behind:.1f}" if behind else "none"
    units = pluralize(count, "question" if new.clusters is None else "cluster")
    warn(
        f"the gate passes for questions like these, but on {metric} only {telling} of {units} tell the models"
        f" apart: a kind of question that makes up as much as {share:.0%} may not be among them, and the new"
        f" model may lose more there than the accepted {number(drop)}. Run more questions, or ask about these questions"
        ' (target="questions")',
        QuestionsWarning,
    )
