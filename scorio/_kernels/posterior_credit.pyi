from scorio._base.arrays import Vector
from scorio._kernels.states import States

def moments(
    states: States, k: int, x: Vector, a0: float, b0: float, mean: Vector, sd: Vector, steps: Vector | None = None
) -> None: ...
def covariance(
    states: States,
    k: int,
    x: Vector,
    y: Vector,
    a0: float,
    b0: float,
    out: Vector,
    x_steps: Vector | None = None,
    y_steps: Vector | None = None,
) -> None: ...
