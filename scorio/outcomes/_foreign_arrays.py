"""Arrays of other libraries as numpy arrays: PyTorch, JAX, CuPy, Arrow, and all that speak DLPack."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OutcomeError

_NARROW = ("bfloat16", "float8")
_USER_DEFINED = 2  # ``isbuiltin`` of types that numpy does not know, such as bfloat16; a float holds each number
_ARROW = ("__arrow_c_array__", "__arrow_c_stream__")
_PROTOCOLS = ("detach", "__cuda_array_interface__", "__dlpack__", *_ARROW)


@lru_cache
def is_number_type(dtype: np.dtype[Any]) -> bool:
    """Return whether numpy itself knows these numbers."""
    return dtype.kind in "biuf" and dtype.isbuiltin != _USER_DEFINED


def as_numpy(values: Any) -> NDArray[Any]:
    """Return ``np.asarray(values)``, also of what numpy refuses.

    Arrays on another device are copied, gradients are left out, and bfloat16 and float8 become float32. Lists may hold
    such arrays. Rows of different lengths are a ValueError, as they are for numpy.
    """
    try:
        array = np.asarray(_on_host(values))
    except (TypeError, RuntimeError):  # a list holds arrays that numpy cannot read
        if not isinstance(values, (list, tuple)):
            raise
        array = np.asarray(_each_on_host(values))
    if (
        array.dtype.kind == "O"
        and isinstance(values, (list, tuple))
        and any(_is_foreign(type(entry)) for entry in values)
    ):
        array = np.asarray(_each_on_host(values))
    return array.astype(np.float32) if array.dtype.isbuiltin == _USER_DEFINED else array


def _each_on_host(values: Any) -> Any:
    is_list = isinstance(values, (list, tuple))
    return [_each_on_host(value) for value in values] if is_list else np.asarray(_on_host(values))


def _is_foreign(kind: type) -> bool:
    return not issubclass(kind, (np.ndarray, np.generic, Mapping)) and any(hasattr(kind, name) for name in _PROTOCOLS)


def _on_host(values: Any) -> Any:
    """Return an array of another library in a form that ``np.asarray`` reads; anything else as it is."""
    kind = type(values)
    if not _is_foreign(kind):
        return values
    try:
        return _copied(values)
    except (TypeError, BufferError, RuntimeError, ImportError) as error:
        hint = "convert it with numpy first"
        raise OutcomeError(f"a {kind.__name__} cannot be copied to a numpy array: {error}", hint=hint) from None


def _copied(values: Any) -> Any:
    if hasattr(values, "detach"):  # PyTorch
        tensor = values.detach().cpu()
        return tensor.float() if any(name in str(tensor.dtype) for name in _NARROW) else tensor
    if hasattr(values, "__cuda_array_interface__"):  # CuPy; Numba
        return values.get() if hasattr(values, "get") else values.copy_to_host()
    if hasattr(values, "__array__"):
        return values
    if hasattr(values, "__dlpack__"):
        try:
            return np.from_dlpack(values)
        except (BufferError, RuntimeError):  # it is on another device
            return np.from_dlpack(values, device="cpu", copy=True)
    from importlib import import_module

    arrow = import_module("pyarrow")
    return (arrow.array if hasattr(values, _ARROW[0]) else arrow.chunked_array)(values)
