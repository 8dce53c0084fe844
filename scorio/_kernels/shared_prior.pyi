from numpy import float64
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from .states import States

@disjoint_base
class SharedPrior:
    states: States
    trusted: bool
    size: int
    grid_weight: float
    @property
    def alpha(self) -> NDArray[float64]: ...
    @property
    def beta(self) -> NDArray[float64]: ...
    @property
    def weight(self) -> NDArray[float64]: ...
    @property
    def point_mass_weight(self) -> float: ...
    @property
    def has_grid(self) -> bool: ...
    @property
    def grid_roughness(self) -> int: ...
    @property
    def grid_density(self) -> tuple[NDArray[float64], NDArray[float64]] | None: ...
    def point_masses(self, node: int) -> tuple[NDArray[float64], NDArray[float64], NDArray[float64]] | None: ...

def learn(
    states: States, discount: float = 1.0, point_masses: bool = True, grid: bool = True, fine: bool = False
) -> SharedPrior: ...
