from scorio._base.arrays import Indices, Vector

def best(
    scores: Vector, outcomes: Vector, first: Indices, k: int, leave_out: bool, value: Vector, without: Vector
) -> None: ...
