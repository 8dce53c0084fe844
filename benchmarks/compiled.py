"""Compile a few lines of C and call them with ctypes."""

import ctypes
import subprocess
import sysconfig
import tempfile
from pathlib import Path

COMPILER = (sysconfig.get_config_var("CC") or "cc").split()[0]


def library(source):
    """The functions of this C source."""
    with tempfile.TemporaryDirectory() as folder:
        code, built = Path(folder, "code.c"), Path(folder, "code.so")
        code.write_text(source)
        subprocess.run([COMPILER, "-O3", "-shared", "-fPIC", "-o", built, code], check=True)
        return ctypes.CDLL(str(built))
