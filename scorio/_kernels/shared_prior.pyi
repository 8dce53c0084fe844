from typing_extensions import disjoint_base

from scorio._base.arrays import Vector

from .states import States

@disjoint_base
class SharedPrior:
    states: States
    trusted: bool
    size: int
    grid_weight: float
    @property
    def alpha(self) -> Vector: ...
    @property
    def beta(self) -> Vector: ...
    @property
    def weight(self) -> Vector: ...
    @property
    def point_mass_weight(self) -> float: ...
    @property
    def has_grid(self) -> bool: ...
    @property
    def grid_roughness(self) -> int: ...
    @property
    def grid_density(self) -> tuple[Vector, Vector] | None: ...
    def point_masses(self, node: int) -> tuple[Vector, Vector, Vector] | None: ...

def learn(
    states: States, discount: float = 1.0, point_masses: bool = True, grid: bool = True, fine: bool = False
) -> SharedPrior: ...
