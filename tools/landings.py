"""What the checks know of earlier landings: ``python tools/landings.py WORD``.

``.ci/landings.txt`` has a line for every change of the main branch: its number, the date, the commit that the branch
stood at before, the parts of the checks that took their turn, and a few words. ``.ci/known-faults.txt`` has a line for
every failure of such a part that no change since then has caused: the number of the landing that met it, the date, the
test (or the name of the part, where a part failed before its tests), and what is known of it.

    add WORDS      write the line of the landing that is being prepared
    base           print the commit that the last line starts from: what has changed since then is being checked
    parts          print the parts whose turn it is
    check          refuse a file that is out of order, and faults that are known for more than five landings
    known PART LOG exit 0 if every failure that pytest reports in this log is a known fault
"""

import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
LANDINGS, FAULTS = ROOT / ".ci/landings.txt", ROOT / ".ci/known-faults.txt"
# The parts take turns in this order; those of one line share a landing, and take about ten minutes of one core.
TURNS = (
    ("pages", "newest"),
    ("simulations",),
    ("tools",),
    ("lowest",),
    ("sanitizers",),
    ("python", "leaks"),
    ("slow",),
    ("sanitizers-upper",),
)
MOST_LANDINGS = 5


def lines(path):
    """The lines of a file that are neither empty nor remarks."""
    return [line for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]


def git(*arguments):
    """What a command of git prints, or nothing where it fails."""
    run = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return run.stdout.strip() if run.returncode == 0 else ""


def number():
    """The number of the last landing."""
    return int(lines(LANDINGS)[-1].split()[0])


def parts():
    """The parts whose turn it is."""
    return TURNS[number() % len(TURNS)]


def add(words):
    """Write the line of the landing that is being prepared."""
    base = git("merge-base", "origin/main", "HEAD") or git("rev-parse", "HEAD")
    following = number() + 1
    turn = "+".join(TURNS[following % len(TURNS)])
    with LANDINGS.open("a") as file:
        file.write(f"{following}  {datetime.now(UTC):%Y-%m-%d}  {base[:12]}  {turn}  {words}\n")


def check():
    """Print what is out of order in the two files."""
    problems, last = [], 0
    for line in lines(LANDINGS):
        fields = line.split(maxsplit=4)
        if len(fields) < 5 or not fields[0].isdigit() or int(fields[0]) <= last:
            problems.append(f".ci/landings.txt: {line!r}: a line is NUMBER DATE COMMIT PARTS WORDS, and numbers rise")
        else:
            last = int(fields[0])
    for line in lines(FAULTS):
        fields = line.split(maxsplit=3)
        if len(fields) < 4 or not fields[0].isdigit():
            problems.append(f".ci/known-faults.txt: {line!r}: a line is NUMBER DATE TEST WORDS")
        elif last - int(fields[0]) > MOST_LANDINGS:
            problems.append(f".ci/known-faults.txt: {fields[2]} is known since landing {fields[0]}: repair it now")
    print(*problems, sep="\n", end="\n" if problems else "")
    return bool(problems)


def known(part, log):
    """Whether every failure in a log is a known fault; those that are not are printed."""
    text = Path(log).read_text(errors="replace")
    failed = set(re.findall(r"^(?:FAILED|ERROR) (\S+)", text, re.MULTILINE)) or {part}
    listed = {line.split()[2] for line in lines(FAULTS)}
    for test in sorted(failed & listed):
        print(f"known fault: {test}")
    for test in sorted(failed - listed):
        print(f"new fault: {test}: if this change has not caused it, add it to .ci/known-faults.txt")
    return bool(failed - listed)


def main():
    """Do what the first argument says."""
    word, *rest = sys.argv[1:] or ["help"]
    if word == "add":
        add(" ".join(rest))
    elif word == "base":
        print(lines(LANDINGS)[-1].split()[2])
    elif word == "parts":
        print(*parts())
    elif word == "check":
        sys.exit(check())
    elif word == "known":
        sys.exit(known(*rest))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
