"""Builds the kernels: one extension for every ``.pyx`` in ``scorio/_kernels``.

``SCORIO_DEBUG=1`` turns on bounds checks in every kernel.
"""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

DEBUG = os.environ.get("SCORIO_DEBUG", "0") not in ("", "0")
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": DEBUG,
    "initializedcheck": DEBUG,
    "wraparound": False,
    "cdivision": True,
    "freethreading_compatible": True,
}
# No -ffast-math: sums keep their order. No contraction: the same bits on machines with and without FMA.
FLAGS = ["/O2", "/fp:precise"] if sys.platform == "win32" else ["-O3", "-ffp-contract=off", "-g" if DEBUG else "-g0"]

extensions = [
    Extension(
        f"scorio._kernels.{source.stem}",
        [source.as_posix()],
        extra_compile_args=FLAGS,
    )
    for source in sorted(Path("scorio/_kernels").glob("*.pyx"))
]

setup(
    ext_modules=cythonize(extensions, compiler_directives=DIRECTIVES, force=DEBUG),
    options={"build_ext": {"parallel": os.cpu_count()}},
)
