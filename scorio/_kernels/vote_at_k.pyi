from scorio._arrays import Indices, Vector

def votes(
    count: Indices,
    worth: Vector,
    first: Indices,
    trials: Indices,
    k: int,
    shared: bool,
    leave_out: bool,
    value: Vector,
    rest: Vector,
    own: Vector,
    abstained: Vector,
) -> None: ...
