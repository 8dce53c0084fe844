from typing_extensions import disjoint_base

from scorio._base.arrays import Counts, Vector

@disjoint_base
class Groups:
    n_questions: int
    min_trials: int
    max_trials: int
    @property
    def multiplicity(self) -> Counts: ...
    def mean(self, values: Vector) -> float: ...
    def norm(self, values: Vector) -> float: ...

@disjoint_base
class States(Groups):
    n_states: int
    def __init__(self, successes: Counts, trials: Counts, multiplicity: Counts) -> None: ...
    @property
    def successes(self) -> Counts: ...
    @property
    def trials(self) -> Counts: ...
    @property
    def most(self) -> tuple[int, int]: ...
