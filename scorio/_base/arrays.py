"""Array types, each defined once, read-only arrays, and properties that are computed once."""

import functools
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Counts = NDArray[np.int64]
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]
Codes = NDArray[np.int32]
TIE = 1e-12  # scores within this tie
LARGEST_REWARD = 1e100  # a double holds its square, and that of its inverse
P = ParamSpec("P")
T = TypeVar("T")
A = TypeVar("A", bound=NDArray[Any])

if TYPE_CHECKING:
    from functools import cached_property as cached_property  # noqa: PLC0414 - for other modules
else:

    class cached_property:  # noqa: N801 - it takes the place of the one of functools
        """Compute a property when it is first read, and keep it in the ``__dict__`` of the object.

        ``functools.cached_property`` of Python 3.11 holds a lock of the whole class while it computes: threads wait for
        one another, and a process that is forked in the meantime inherits the lock and waits for ever. Here there is no
        lock. Threads that read the property at the same time may compute it more than once, and all of them get the
        value that was kept first, so the value must depend on nothing but the object.
        """

        def __init__(self, function: Callable[[Any], Any]) -> None:
            self.function = function
            self.__doc__ = function.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            return self if instance is None else instance.__dict__.setdefault(self.name, self.function(instance))


def stored(path: str, about: str) -> Any:
    """Return a property that reads what an object keeps under this name, without a call of Python.

    >>> class Pair:
    ...     __slots__ = ("_first",)
    ...     first: int = stored("_first", "The first number.")
    >>> pair = Pair()
    >>> pair._first = 3
    >>> pair.first
    3
    """
    return property(attrgetter(path), doc=about)


def read_only(array: A) -> A:
    """Return the array, made read-only."""
    array.setflags(write=False)
    return array


def underflow_is_zero(function: Callable[P, T]) -> Callable[P, T]:
    """Return the function with underflow ignored, whatever the user's ``np.seterr`` says.

    Tails of distributions underflow by intention; overflow, division by zero and invalid values do not occur.
    """

    @functools.wraps(function)
    def calculated(*args: P.args, **options: P.kwargs) -> T:
        with np.errstate(under="ignore"):
            return function(*args, **options)

    return calculated


def finite_list(values: Any) -> Vector | None:
    """Return a non-empty list of finite numbers as an array; None for anything else."""
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    return numbers if numbers.ndim == 1 and numbers.size and np.isfinite(numbers).all() else None
