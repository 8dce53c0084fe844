"""Check the sdist and the wheel: each has what it must have, and nothing else.

    python -m build --outdir dist && python tools/dists.py dist

The sdist must have the files of the repository that it is made from, but for the settings of services; the wheel must
have the package with its stubs and data, a compiled module for every kernel, and the entry points of pyproject.toml.
"""

import configparser
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
LEFT_OUT = re.compile(r"\.(ci|github|gitignore|pre-commit-config\.yaml)(/|$)|Makefile$")  # of the sdist
DATA = re.compile(r"\.(py|pyi|pxd|typed|bib|css|js)$")  # of the package in the wheel


def tracked() -> set[str]:
    """The files of the repository."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(listed.stdout.splitlines())


def faults_of_sdist(path: Path) -> list[str]:
    """What the sdist lacks, and what it should not have."""
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in (each.name for each in archive if each.isfile())}
    made = {"PKG-INFO", "setup.cfg"}
    found = {name for name in names if not name.startswith("scorio.egg-info/")} - made
    expected = {name for name in tracked() if not LEFT_OUT.match(name)}
    return [*_differing("sdist", expected, found)]


def faults_of_wheel(path: Path) -> list[str]:
    """What the wheel lacks, and what it should not have."""
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        [points] = [name for name in names if name.endswith(".dist-info/entry_points.txt")]
        text = archive.read(points).decode()
    kernels = {"_shared"} | {Path(name).stem for name in tracked() if name.endswith(".pyx")}
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    expected = {name for name in tracked() if name.startswith("scorio/") and DATA.search(name)}
    expected |= {f"scorio/_kernels/{name}{suffix}" for name in kernels}
    faults = [*_differing("wheel", expected, {name for name in names if ".dist-info/" not in name})]
    if not any(name.endswith("licenses/LICENSE") for name in names):
        faults.append("wheel lacks the licence")
    given = configparser.ConfigParser()
    given.optionxform = str
    given.read_string(text)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {"console_scripts": project["scripts"], **project["entry-points"]}
    if {name: dict(given[name]) for name in given.sections()} != wanted:
        faults.append(f"wheel has other entry points: {text}")
    return faults


def _differing(kind: str, expected: set[str], found: set[str]) -> list[str]:
    lacking = [f"{kind} lacks {name}" for name in sorted(expected - found)]
    return lacking + [f"{kind} should not have {name}" for name in sorted(found - expected)]


def main() -> None:
    """Check the files of a folder."""
    folder = Path(sys.argv[1])
    [sdist], [wheel] = folder.glob("scorio-*.tar.gz"), folder.glob("scorio-*.whl")
    faults = [*faults_of_sdist(sdist), *faults_of_wheel(wheel)]
    print("\n".join(faults) or f"{sdist.name} and {wheel.name} have what they must have, and nothing else")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
