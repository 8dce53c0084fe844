"""The rows of a leaderboard with the mean costs per trial of their models."""

from typing import Any

from ._leaderboard import Leaderboard


def cost_records(board: Leaderboard) -> list[dict[str, Any]]:
    """Return the records of a leaderboard with the costs of their models, which are those of all tasks."""
    fields: dict[str, dict[str, dict[str, Any]]] = {
        model: {name: each._asdict() for name, each in own.items()} for model, own in board.costs.items()
    }
    names = dict.fromkeys(name for own in fields.values() for name in own)
    none: dict[str, Any] = dict.fromkeys(("mean", "sigma", "lo", "hi"))
    return [
        record
        | {
            f"{name}{end}": fields[record["model"]].get(name, none)[part]
            for name in names
            for part, end in (("mean", "_per_trial"), ("lo", "_per_trial_lo"), ("hi", "_per_trial_hi"))
        }
        for record in board._records()
    ]
