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
# Checks of the stack and of copies of memory; on Linux, addresses that are read-only, and no names of functions.
LINKING = ["-Wl,-z,relro,-z,now", "-Wl,-s"] if sys.platform == "linux" else []
HARDENING = [] if DEBUG else ["-fstack-protector-strong", "-D_FORTIFY_SOURCE=2", *LINKING]
# Without copies of functions and loops for special values, this kernel compiles in half the time, and is as fast.
COPIES = ("ipa-cp-clone", "peel-loops", "split-loops", "unswitch-loops")
FEWER_COPIES = {"scorio._kernels.shared_prior": [f"-fno-{name}" for name in COPIES]}
SHARED = "scorio._kernels._shared"
SETTINGS = repr((Cython.__version__, DIRECTIVES, FLAGS, HARDENING, FEWER_COPIES, os.environ.get("CFLAGS")))
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
        found = cythonize(
            self.extensions,
            compiler_directives=DIRECTIVES,
            force=self.force,
            nthreads=os.cpu_count() or 1,
            shared_utility_qualified_name=SHARED,
        )
        sources = {extension.name: extension.sources for extension in found}
        for extension in self.extensions:
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
        hardening = HARDENING if self.accepts(HARDENING) else [flag for flag in HARDENING if self.accepts([flag])]
        for extension in self.extensions:
            extension.extra_compile_args = FLAGS + [flag for flag in hardening if not flag.startswith("-Wl,")]
            if self.accepts(fewer := FEWER_COPIES.get(extension.name, [])):
                extension.extra_compile_args += fewer
            extension.extra_link_args = hardening
        super().build_extensions()

    def accepts(self, flags: list[str]) -> bool:
        """Whether the compiler and its linker have these flags, and no setting of their own that says otherwise."""
        if sys.platform == "win32" or not flags:
            return False
        with tempfile.TemporaryDirectory() as folder:
            source, module = Path(folder, "empty.c"), Path(folder, "empty.so")
            source.write_text("int empty;\n")
            command = [*self.compiler.compiler_so, *FLAGS, "-shared", "-Werror", *flags, source, "-o", module]
            return subprocess.run(command, capture_output=True, check=False).returncode == 0


extensions = [Extension(SHARED, [])] + [
    Extension(f"scorio._kernels.{source.stem}", [source.as_posix()])
    for source in sorted(Path("scorio/_kernels").glob("*.pyx"))
]

if __name__ == "__main__":  # Cython's worker processes may import this file
    setup(cmdclass={"build_ext": Build}, ext_modules=extensions)
