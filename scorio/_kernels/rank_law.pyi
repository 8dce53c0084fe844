from scorio._arrays import Counts, Vector

def leave_one_out(
    above: Vector, below: Vector, mass: Vector, rows: Counts, higher: int, scratch: Vector, pmf: Vector
) -> None: ...
