"""Interrupt readers, and kill writers, many times, and count what they do.

python tools/interrupt.py readers --moments 10
python tools/interrupt.py writers --kills 500

``readers``: ``scorio gate`` reads a folder with a source of every kind, with and without ``--skip-bad``, and is
interrupted at moments all over the reading. It must end within two seconds with the exit code 130, and write nothing
to stdout; a signal after the whole answer is counted apart.

``writers``: two processes write the same files of saved counts, of an accumulator's state and of a CSV table again and
again, and are killed. No file may be broken or hold parts of two versions.
"""

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from helpers import interruptions
from scorio import read
from scorio.outcomes import SavedCounts

WRITER = """
import sys
from scorio import Accumulator, OutcomeSet
from scorio.outcomes import SavedCounts
from scorio.outcomes._saved_layout import whole_file
folder, number = sys.argv[1], 0
while True:
    number += 1
    version = number % 7
    models = OutcomeSet({"a": [[version] * 50] * 20, "b": [[version] * 50] * 20})
    SavedCounts(models, metadata={"a": {"conditions": {"version": version}}}, part="p").save(f"{folder}/counts.npz")
    log = Accumulator(name="log", model=f"version {number % 5}")
    log.add(["q"], [[number % 5] * 100])
    log.save(f"{folder}/state.npz")
    from pathlib import Path
    with whole_file(Path(folder, "table.csv")) as unfinished:
        rows = "".join(f"version {number % 2},q,{i},{number % 2}\\n" for i in range(2000))
        unfinished.write_text("model,question,trial,correct\\n" + rows)
    if number == 1:
        print("started", flush=True)
"""
LATEST = 2.0  # seconds after a signal


def readers(options):
    """Interrupt every reader, and return the faults."""
    faults, sent, late, latest = [], 0, 0, 0.0
    for kind in interruptions.KINDS if options.kind is None else [options.kind]:
        with tempfile.TemporaryDirectory() as folder:
            slow = interruptions.written(folder, kind, options.size)
            for skip_bad in (False, True):
                call = interruptions.gate(folder, slow, skip_bad=skip_bad)
                whole = interruptions.run(*call) if slow.ends else None
                seconds = whole.seconds if whole else 4.0
                lags = []
                for moment in interruptions.moments(0.9 * seconds, options.moments):
                    run = interruptions.interrupted(call, moment)
                    lags.append(run.seconds)
                    if whole and run.code == -signal.SIGINT and run.stdout == whole.stdout:
                        late += 1  # the verdict was out, and the interpreter was about to end
                    elif run.code != 130 or run.stdout or run.seconds > LATEST:
                        faults.append((kind, skip_bad, round(moment, 2), run))
                sent, latest = sent + len(lags), max([latest, *lags])
                told = "without end" if whole is None else f"{seconds:.1f} s, exit code {whole.code}"
                print(f"{kind}, skip bad {skip_bad}: {told}; {len(lags)} signals, latest {max(lags):.2f} s", flush=True)
    print(f"{sent} interruptions, latest served after {latest:.2f} s, {late} after the end, {len(faults)} faults")
    return faults


def writers(options):
    """Kill writers, check every file after each kill, and return the faults."""
    chance, faults, kills = random.Random(0), [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        while kills < options.kills:
            call = [sys.executable, "-c", WRITER, name]
            running = [subprocess.Popen(call, stdout=subprocess.PIPE, text=True) for _ in range(2)]
            try:
                for process in running:
                    process.stdout.readline()
                time.sleep(chance.random() * 0.1)
            finally:
                for process in running:
                    process.send_signal(signal.SIGKILL)
                    process.communicate()
                    kills += 1
            try:
                check_files(folder)
            except (AssertionError, ValueError, OSError) as fault:
                faults.append((kills, repr(fault)))
    print(f"{kills} kills, {len(faults)} broken or mixed files")
    return faults


def check_files(folder):
    """Check that each file is one version."""
    saved = SavedCounts.load(folder / "counts.npz")
    version = saved.metadata["a"]["conditions"]["version"]
    assert all(matrix.question_rewards()[1].tolist() == [version] * 20 for matrix in saved.outcomes.values())
    [(model, matrix)] = SavedCounts.load(folder / "state.npz").outcomes.items()
    assert model == f"version {matrix.question_rewards()[1][0]:g}"
    [(model, matrix)] = read(folder / "table.csv").items()
    assert matrix.counts.sum() == 2000, matrix
    assert model == f"version {matrix.question_rewards()[1][0]:g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["readers", "writers"])
    parser.add_argument("--moments", type=int, default=10)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--kind", choices=interruptions.KINDS)
    options = parser.parse_args()
    faults = readers(options) if options.what == "readers" else writers(options)
    for fault in faults:
        print(*fault)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
