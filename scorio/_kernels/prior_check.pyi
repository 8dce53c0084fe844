from numpy import float64
from numpy.typing import NDArray

from .states import Groups, States

def of_states(states: States) -> float: ...
def of_profiles(groups: Groups, profiles: NDArray[float64], rewards: NDArray[float64]) -> float: ...
