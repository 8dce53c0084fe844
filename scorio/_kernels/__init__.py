"""Typed kernels: plain loops over distinct states, called by the classes that validated their input."""

try:
    from . import states as states
except ImportError as error:
    raise ImportError(
        "the kernels of scorio are not built where it is imported from: leave the source tree if it is installed "
        "elsewhere, or build them there by: python setup.py build_ext --inplace"
    ) from error
