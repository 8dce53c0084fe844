"""Typed kernels: plain loops over distinct states, called by the classes that validated their input."""

from importlib.util import find_spec

if find_spec(f"{__name__}.states") is None:
    raise ImportError(
        "the kernels of scorio are not built where it is imported from: leave the source tree if it is installed "
        "elsewhere, or build them there by: python setup.py build_ext --inplace. A package of other authors is "
        "imported as scorio too: docs/install.md says which one is installed"
    )
