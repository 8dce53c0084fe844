from .._arrays import Vector

def fit(
    likelihood: Vector,
    questions: Vector,
    values: Vector,
    share: Vector,
    penalty: float,
    end: float,
    everywhere: bool = ...,
) -> float: ...
