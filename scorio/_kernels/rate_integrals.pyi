from scorio._base.arrays import Vector

from .states import States

def values(credit: Vector, p: Vector, q: Vector, out: Vector) -> None: ...
def moments(
    states: States,
    alpha: Vector,
    beta: Vector,
    points: Vector,
    rule: Vector,
    log_panels: int,
    x: Vector,
    y: Vector,
    widest: float,
    mean: Vector,
    covariance: Vector,
) -> None: ...
