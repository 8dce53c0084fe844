"""Show, check and record the answers of the public functions: the contract of ``tests/contract``.

python tools/contract.py check [FAMILY ..]                show how today's answers differ from the recorded ones
python tools/contract.py accept FAMILY .. --why "REASON"  record today's answers, and list what moved in moved.md
"""

import argparse
import sys
import time
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests"
sys.path.insert(0, str(TESTS))

from contract.answers import answers  # noqa: E402 - tests are no package that is installed
from contract.record import differences, largest, load, save  # noqa: E402
from contract.texts import FAMILIES, texts_of  # noqa: E402

MOVED = TESTS / "contract" / "moved.md"


def check(family: str, show: int) -> tuple[dict, str]:
    """Ask a family again; print what differs, and return the answers with a line that sums up what moved."""
    start, old = time.perf_counter(), load(family)
    new = answers(texts_of(family))
    moved = {text: list(differences(old[text], new[text])) for text in new if text in old}
    moved = {text: found for text, found in moved.items() if found}
    added, gone = len(new.keys() - old.keys()), len(old.keys() - new.keys())
    for text, found in list(moved.items())[:show]:
        print(text)
        for path, before, after in found[:5]:
            print(f"    {path}: {before!r} -> {after!r}")
    size = max((largest(old[text], new[text]) for text in moved), default=0.0)
    line = f"{len(moved)} of {len(new)} answers moved, by {size:.2g} at most; {added} calls added, {gone} gone"
    print(f"{family}: {line}; {time.perf_counter() - start:.1f} s", flush=True)
    return new, line if moved or added or gone else ""


def fails_anew(old: dict, new: dict, text: str) -> bool:
    """Whether a call that had an answer raises an error now."""
    return text in old and "error" in new[text] and "error" not in old[text]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("check", "accept"))
    parser.add_argument("families", nargs="*", metavar="FAMILY", help="by default all, for check")
    parser.add_argument("--why", default="", help="why the answers moved, in one sentence; needed by accept")
    parser.add_argument("--errors", action="store_true", help="accept that answers became errors")
    parser.add_argument("--show", type=int, default=20, help="show so many calls of a family (%(default)s)")
    given = parser.parse_args()
    if unknown := set(given.families) - set(FAMILIES):
        parser.error(f"no family is called {', '.join(sorted(unknown))}; there are {', '.join(FAMILIES)}")
    if given.what == "accept" and not (given.families and given.why):
        parser.error("accept needs the names of families and --why")
    lines = {}
    for family in given.families or FAMILIES:
        old = load(family)
        new, line = check(family, given.show)
        broken = [text for text in new if fails_anew(old, new, text)]
        if broken and given.what == "accept" and not given.errors:
            parser.error(f"answers of {family} became errors, such as {broken[0]}: mend them, or accept --errors")
        if line:
            lines[family] = line
        if given.what == "accept":
            save(family, new)
    if given.what == "accept" and lines:
        with MOVED.open("a", encoding="utf-8") as file:
            file.writelines(f"- {family}: {line}. {given.why}\n" for family, line in lines.items())
    return given.what == "check" and bool(lines)


if __name__ == "__main__":
    sys.exit(main())
