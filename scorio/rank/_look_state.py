"""The file of looks at growing results: what was declared before the first look, and the trials of the last one."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import OutcomeError, ParameterError
from ..outcomes import whole_file

VERSION = 2
_WHY = {
    "trials": "the promise of every look so far assumed the declared number of trials",
    "around": "the boundary was chosen before the first look",
    "confidence": "earlier looks used the confidence that was declared",
    "metrics": "the declared metrics share the probability of an error",
    "runs": "earlier looks took the trials of one run in another way",
}


@dataclass
class LookState:
    """What the file holds: the ``settings`` as declared, the trials of each model at the last look, who got them."""

    settings: dict[str, Any]
    trials: dict[str, int] = field(default_factory=dict)
    adaptive: bool = False

    def check_growth(self, trials: Mapping[str, int], path: Path) -> None:
        """Check that no model has fewer trials than at the last look, and that no model is new."""
        for name, count in self.trials.items():
            if trials.get(name, 0) < count:
                raise OutcomeError(
                    f"model {name!r} has {trials.get(name, 0)} trials, but had {count} at the last look: the logs of "
                    f"these looks must stay where they are. If this is another run, name another file as the state, "
                    f"or delete {path}"
                )
        new = [name for name in trials if self.trials and name not in self.trials]
        if new:
            raise OutcomeError(
                f"these models had no results at the first look, whose {len(self.trials)} share the error: "
                f"{', '.join(new)}. Begin a new run of looks at new trials of all models with another file of looks"
            )

    def save(self, path: Path) -> None:
        """Write the file as a whole, so that a crash leaves the old one or the new one."""
        content = {"scorio_looks": VERSION, **vars(self)}
        with whole_file(path) as unfinished:
            text = json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False)
            unfinished.write_text(text + "\n", encoding="utf-8")


def opened(path: Path, settings: dict[str, Any]) -> LookState:
    """The state in the file, if it was declared with the same settings; a new one where there is no file."""
    if not path.exists():
        return LookState(settings)
    state = _loaded(path)
    for name in sorted(settings.keys() | state.settings.keys()):
        declared, now = state.settings.get(name), settings.get(name)
        if declared != now:
            raise ParameterError(
                f"was {_shown(declared)} at the first look and is {_shown(now)} now: "
                f"{_WHY.get(name, 'settings are declared before the first look')}. Use the declared setting, or begin "
                f"a new run of looks at new trials with another file of looks. The looks so far are in {path}",
                argument=name,
            )
    return state


def _loaded(path: Path) -> LookState:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise OutcomeError(f"{path} is not readable as a file of looks: {error}") from None
    if not isinstance(content, dict) or "scorio_looks" not in content:
        raise OutcomeError(f"{path} is not a file of looks: it was not written by scorio watch. Name another file")
    if content.pop("scorio_looks") != VERSION:
        raise OutcomeError(f"{path} was written by another version of scorio watch")
    try:
        return LookState(**content)
    except TypeError:
        raise OutcomeError(f"{path} is not a complete file of looks") from None


def _shown(value: Any) -> str:
    if value is None:
        return "not given"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
