import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

@disjoint_base
class Groups:
    n_questions: int
    min_trials: int
    max_trials: int
    @property
    def multiplicity(self) -> NDArray[np.int64]: ...
    def mean(self, values: NDArray[np.float64]) -> float: ...
    def norm(self, values: NDArray[np.float64]) -> float: ...

@disjoint_base
class States(Groups):
    n_states: int
    def __init__(
        self, successes: NDArray[np.int64], trials: NDArray[np.int64], multiplicity: NDArray[np.int64]
    ) -> None: ...
    @property
    def successes(self) -> NDArray[np.int64]: ...
    @property
    def trials(self) -> NDArray[np.int64]: ...
