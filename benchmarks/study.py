"""Studies in worlds with known truth: ``python benchmarks/study.py`` lists them, and ``study.py NAME ..`` runs some.

Every row draws its worlds from generators that depend on the seed, the study and the row alone. ``--save FILE`` keeps
each row as it is done, and a run that was broken off goes on from there. A new study is a function in ``studies/``.
"""

import argparse
import importlib
import os
from pathlib import Path

from runner import STUDIES, fill, made, results, said, shown, summary, table, write_csv


def load():
    """Register all studies."""
    for path in sorted(Path(__file__).parent.joinpath("studies").glob("*.py")):
        importlib.import_module(f"studies.{path.stem}")


def report(name, options):
    """Run a study, print its rows as they are done, and then its tables; write what was asked for."""
    study, every = STUDIES[name], []
    rows = study.rows() if callable(study.rows) else study.rows
    rows = [row for row in rows if all(text in said(list(row.values())) for text in options.only)]
    worlds = options.worlds or study.worlds
    for found in results(name, rows, worlds, options.seed, options.jobs, options.save):
        every.append(found)
        cells = (f"{column} {shown(found, column)}" for column in found.mean)
        print(f"{', '.join(map(said, found.row.values()))}: {'; '.join(cells)}", flush=True)
    if not every:
        print(f"{name}: no row")
        return
    text = "\n\n".join(summary(every, by) for by in study.by) or table(every)
    note = f"{worlds} worlds per row; ± is one standard error ({made()})."
    print(f"\n{text}\n\n{note}")
    if options.csv:
        write_csv(options.csv, every)
    if options.page:
        fill(study.page, study.mark, f"{text}\n\n{note}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="studies (default: list them)")
    parser.add_argument("--worlds", type=int, help="worlds of each row")
    parser.add_argument("--only", action="append", default=[], help="rows with this text in their parameters")
    parser.add_argument("--data", type=Path, help="folder of real banks: .npz files with correct and trials, or R")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--save", type=Path, help="file of rows that are done, read and added to")
    parser.add_argument("--csv", type=Path, help="file for the means of all rows")
    parser.add_argument("--page", action="store_true", help="write the table into RESULTS.md, or its page of docs/")
    options = parser.parse_args()
    if options.data:
        os.environ["BANKS"] = str(options.data)
    load()
    for name in options.names or STUDIES:
        if options.names:
            report(name, options)
        else:
            print(f"{name:22}{(STUDIES[name].run.__doc__ or '').splitlines()[0]}")


if __name__ == "__main__":
    main()
