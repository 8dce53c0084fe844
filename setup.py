"""Builds the kernels: one extension for every ``.pyx`` in ``scorio/_kernels``.

``SCORIO_DEBUG=1`` turns on bounds checks in every kernel.
"""

import os
import shutil
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

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


class Build(build_ext):
    """Compile the kernels; without a compiler, say what to do."""

    def build_extensions(self) -> None:
        """Check that the compiler is there before any kernel is compiled."""
        command = getattr(self.compiler, "compiler_so", None)
        if command and shutil.which(command[0]) is None:
            sys.exit(
                f"scorio: building from source needs a C compiler, and {command[0]!r} is not installed. Install one "
                "(Debian and Ubuntu: apt-get install gcc python3-dev; Fedora: dnf install gcc python3-devel; macOS: "
                "xcode-select --install), or install a wheel: pip install --only-binary scorio scorio"
            )
        super().build_extensions()


extensions = [
    Extension(
        f"scorio._kernels.{source.stem}",
        [source.as_posix()],
        extra_compile_args=FLAGS,
    )
    for source in sorted(Path("scorio/_kernels").glob("*.pyx"))
]

if __name__ == "__main__":  # Cython's worker processes may import this file
    setup(
        cmdclass={"build_ext": Build},
        ext_modules=cythonize(extensions, compiler_directives=DIRECTIVES, force=DEBUG, nthreads=os.cpu_count() or 1),
        options={"build_ext": {"parallel": os.cpu_count()}},
    )
