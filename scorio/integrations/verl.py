"""verl's validation metrics with intervals, and without its bootstrap.

``process_validation_metrics`` takes the place of verl's function of this name, before the trainer starts::

    import verl.trainer.ppo.ray_trainer as trainer
    from scorio.integrations.verl import process_validation_metrics

    trainer.process_validation_metrics = process_validation_metrics

The names are verl's: ``mean@8``, ``best@4/mean``, ``worst@4/mean`` and, where there are answers, ``maj@4/mean``. Beside
them stand ``/lo`` and ``/hi``, the bounds of a 95% interval. verl draws the n trials of ``best@n`` with replacement,
which is too low; here they are n different trials of the prompt, and the mean over all choices of them is exact.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import OutcomeError
from ..metrics import AvgMetric, MaxAtK, MinAtK, VoteAtK
from ..outcomes import OutcomeMatrix
from ._measure import with_ends

__all__ = ["process_validation_metrics"]

_PREDICTIONS = "pred"  # the name of the answers among verl's lists
_MOST_LEVELS = 20  # rewards with more values are continuous
_Trials = dict[str, list[Any]]  # one value per trial, by prompt


def process_validation_metrics(
    data_sources: Sequence[str],
    sample_uids: Sequence[str],
    infos_dict: Mapping[str, Sequence[Any]],
    seed: int = 42,  # noqa: ARG001 - of verl's bootstrap: here nothing is drawn
    expected_acc_counts: Mapping[tuple[str, str], int] | None = None,
) -> dict[str, dict[str, dict[str, float]]]:
    """Return the metrics by data source, variable and name; lists hold one value per sample.

    Values that are None or NaN are missing, and texts are no numbers. With ``expected_acc_counts``, samples that are
    missing from ``acc`` count as failures, and ``acc_success_only`` has the others.

    >>> found = process_validation_metrics(["math"] * 4, ["a", "a", "b", "b"], {"acc": [1, 0, 1, 1]})
    >>> {name: round(value, 3) for name, value in found["math"]["acc"].items() if name in ("mean@2", "best@2/mean")}
    {'mean@2': 0.75, 'best@2/mean': 1.0}
    """
    for name, values in {"sample_uids": sample_uids, **infos_dict}.items():
        if len(values) != len(data_sources):
            raise OutcomeError(f"{name!r} has {len(values)} values for {len(data_sources)} samples in data_sources")
    by_source: dict[str, dict[str, _Trials]] = {}
    for i, (source, prompt) in enumerate(zip(data_sources, sample_uids, strict=True)):
        variables = by_source.setdefault(source, {})
        for name, values in infos_dict.items():
            variables.setdefault(name, {}).setdefault(prompt, []).append(values[i])
    for source, variables in by_source.items():
        if "acc" in variables and _has_numbers(variables["acc"]) and expected_acc_counts:
            expected = {prompt: count for (of, prompt), count in expected_acc_counts.items() if of == source}
            variables["acc_success_only"] = {prompt: [*values] for prompt, values in variables["acc"].items()}
            variables["acc"] = {
                prompt: [*present, *[0.0] * (expected.get(prompt, 0) - len(present))]
                for prompt in {**variables["acc"], **expected}
                for present in [_present(variables["acc"].get(prompt, []))]
            }
    return {
        source: {
            name: _metrics(trials, variables.get(_PREDICTIONS))
            for name, trials in variables.items()
            if _has_numbers(trials)
        }
        for source, variables in by_source.items()
    }


def _present(values: Sequence[Any]) -> list[Any]:
    return [value for value in values if value is not None and value == value]  # noqa: PLR0124 - NaN differs from itself


def _has_numbers(trials: _Trials) -> bool:
    present = [value for values in trials.values() for value in _present(values)]
    return bool(present) and not any(isinstance(value, str) for value in present)


def _metrics(trials: _Trials, predictions: _Trials | None) -> dict[str, float]:
    """Return the metrics of one variable, for powers of two up to the fewest trials of a prompt, and that number."""
    rows = {prompt: list(map(float, present)) for prompt, values in trials.items() if (present := _present(values))}
    lengths = [*map(len, rows.values())]
    outcomes, fewest = OutcomeMatrix.from_rewards([*rows.values()], max_levels=_MOST_LEVELS), min(lengths)
    numbers = with_ends(AvgMetric(), outcomes, f"mean@{max(lengths)}")
    sizes = sorted({2**i for i in range(1, fewest.bit_length())} | {fewest}) if fewest > 1 else []
    answered = _answered(rows, predictions)
    for n in sizes:
        numbers |= with_ends(MaxAtK(n), outcomes, f"best@{n}", "/mean")
        numbers |= with_ends(MinAtK(n), outcomes, f"worst@{n}", "/mean")
        if answered is not None:
            numbers |= with_ends(VoteAtK(n), answered, f"maj@{n}", "/mean")
    return numbers


def _answered(rows: dict[str, list[float]], predictions: _Trials | None) -> OutcomeMatrix | None:
    """Return right and wrong trials with their answers, if every trial has one."""
    if predictions is None or not {value for row in rows.values() for value in row} <= {0.0, 1.0}:
        return None
    answers = [predictions[prompt] for prompt in rows]
    if any(len(row) != len(given) or None in given for row, given in zip(rows.values(), answers, strict=True)):
        return None
    return OutcomeMatrix([list(map(int, row)) for row in rows.values()], answers=answers)
