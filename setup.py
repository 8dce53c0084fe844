"""Builds the kernels: one extension for every ``.pyx`` in ``scorio/_kernels``, and one with what all of them use.

Cython's code for views of memory is compiled once, in the module ``scorio._kernels._shared``, from which the kernels
import it; by default it would be a part of each of them. A kernel is compiled if its ``.pyx``, or a ``.pxd`` that it
uses, is newer than the compiled module. All are compiled if the version of Cython or a setting in this file differs
from the last build. ``SCORIO_DEBUG=1`` turns on bounds checks in every kernel.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import Cython
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError, LinkError

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
GCC = ["-O1", "-g"] if DEBUG else ["-O3", "-g0"]
FLAGS = ["/O2", "/fp:precise"] if sys.platform == "win32" else [*GCC, "-ffp-contract=off"]
# Compilers and linkers that have them check the stack and copies of memory, and make tables of addresses read-only.
HARDENING = [] if DEBUG else ["-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"]
LINKING = ["-Wl,-z,relro,-z,now", "-Wl,-s"]
SHARED = "scorio._kernels._shared"
SHARED_C = Path("scorio/_kernels/_shared.c")
SETTINGS = repr((Cython.__version__, DIRECTIVES, FLAGS, HARDENING, LINKING, os.environ.get("CFLAGS")))
LAST_SETTINGS = Path("build/settings-of-kernels.txt")


class Build(build_ext):
    """Compile the kernels that changed; without a compiler, say what to do."""

    def finalize_options(self) -> None:
        """Compile as many kernels at a time as there are cores: pip forgets options for editable installations."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def run(self) -> None:
        """Translate the kernels that changed to C, and compile them."""
        if not LAST_SETTINGS.exists() or LAST_SETTINGS.read_text() != SETTINGS:
            self.force = True
        self.translate()
        if self.inplace:
            # The method of setuptools would build elsewhere and copy. For an editable installation, pip makes it build
            # in a temporary directory, so that the next build would find nothing there and compile everything. The
            # method of its base class compares the sources with the modules in place.
            super(build_ext, self).run()
        else:
            super().run()
        LAST_SETTINGS.parent.mkdir(exist_ok=True)
        LAST_SETTINGS.write_text(SETTINGS)

    def translate(self) -> None:
        """Make the C files of the kernels that changed, and that of the module that they share."""
        if self.force or not SHARED_C.exists():
            command = [sys.executable, "-m", "cython", "-3", "--generate-shared", str(SHARED_C)]
            directives = (f"{name}={value}" for name, value in DIRECTIVES.items() if name != "language_level")
            subprocess.run([*command, *(word for each in directives for word in ("-X", each))], check=True)
        kernels = [extension for extension in self.extensions if extension.name != SHARED]
        found = cythonize(
            kernels,
            compiler_directives=DIRECTIVES,
            force=self.force,
            nthreads=os.cpu_count() or 1,
            shared_utility_qualified_name=SHARED,
        )
        sources = {extension.name: extension.sources for extension in found}
        for extension in kernels:
            extension.sources = sources[extension.name]

    def build_extensions(self) -> None:
        """Check that the compiler is there before any kernel is compiled."""
        command = getattr(self.compiler, "compiler_so", None)
        if command and shutil.which(command[0]) is None:
            sys.exit(
                f"scorio: building from source needs a C compiler, and {command[0]!r} is not installed. Install one "
                "(Debian and Ubuntu: apt-get install gcc python3-dev; Fedora: dnf install gcc python3-devel; macOS: "
                "xcode-select --install)"
            )
        if sys.platform != "win32":
            hardening, linking = self.accepted(HARDENING, []), self.accepted([], LINKING)
            for extension in self.extensions:
                extension.extra_compile_args = [*FLAGS, *hardening]
                extension.extra_link_args = [] if DEBUG else linking
        super().build_extensions()

    def accepted(self, flags: list[str], linking: list[str]) -> list[str]:
        """Return the flags if the compiler and the linker have them, else none."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "nothing.c")
            source.write_text("int nothing(void) { return 0; }\n")
            try:
                objects = self.compiler.compile([str(source)], folder, extra_postargs=["-O1", "-Werror", *flags])
                self.compiler.link_shared_object(objects, str(Path(folder, "nothing.so")), extra_postargs=linking)
            except (CompileError, LinkError):
                return []
        return [*flags, *linking]


extensions = [
    Extension(f"scorio._kernels.{name}", [f"scorio/_kernels/{file}"], extra_compile_args=FLAGS)
    for name, file in [("_shared", SHARED_C.name)]
    + [(source.stem, source.name) for source in sorted(Path("scorio/_kernels").glob("*.pyx"))]
]

if __name__ == "__main__":  # Cython's worker processes may import this file
    setup(cmdclass={"build_ext": Build}, ext_modules=extensions)
