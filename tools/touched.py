"""Which tests a change touches: ``python tools/touched.py [BASE]`` prints folders and files of tests.

They are those of the packages whose files differ from BASE (by default the commit that this branch left the main branch
at; what is not committed counts too), those whose own files differ, and the contract. ``--slow`` leaves the contract
out: it is for choosing slow tests, of which the contract has none.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = {"_kernels": "kernels", "_base": "base"}  # of tests, where it is not named like the package
OF_THE_ROOT = "package"
OTHERS = {
    **dict.fromkeys(("docs", "examples", "README.md", "CONTRIBUTING.md", "SKILL.md", "llms.txt"), "docs"),
    **dict.fromkeys(("action.yml", "setup.py", "pyproject.toml", "tools"), "package"),
}


def git(*arguments):
    """The lines that a command of git prints; none where it fails."""
    run = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return run.stdout.split() if run.returncode == 0 else []


def changed(base):
    """The files that differ from a commit, and new ones."""
    return [*git("diff", "--name-only", base), *git("ls-files", "--others", "--exclude-standard")]


def tests_of(path):
    """The tests of a file of the repository, or None."""
    first, *rest = path.split("/")
    if first == "tests":
        return path if rest[-1].startswith("test_") else None
    if first != "scorio":
        folder = OTHERS.get(first)
    elif len(rest) == 1:
        folder = OF_THE_ROOT if rest[0] != "eval.py" else "metrics"
    else:
        folder = FOLDER.get(rest[0], rest[0])
    return f"tests/{folder}" if folder else None


def main():
    """Print the folders and files, without files of folders that are printed."""
    arguments = [each for each in sys.argv[1:] if not each.startswith("--")]
    base = arguments[0] if arguments else next(iter(git("merge-base", "origin/main", "HEAD") or ["HEAD"]))
    found = {tests_of(path) for path in changed(base)} - {None}
    if "--slow" not in sys.argv:
        found.add("tests/contract")
    folders = {each for each in found if (ROOT / each).is_dir()}
    files = {each for each in found - folders if (ROOT / each).is_file() and str(Path(each).parent) not in folders}
    print(*sorted(folders | files))


if __name__ == "__main__":
    main()
