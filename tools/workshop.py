"""Copies of the sources and fresh virtual environments for the tools, so that the checkout does not change."""

import os
import shutil
import subprocess
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]


def checkout(folder):
    """A copy of the sources as they are now, of what git knows or would add."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def environment(folder, *requirements, base=None, **variables):
    """The Python of a new virtual environment that holds the requirements; ``variables`` are set while they install."""
    if base is None:
        venv.create(folder, with_pip=True)
    else:
        subprocess.run([base, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements]
    subprocess.run(install, check=True, env=os.environ | variables)
    return python
