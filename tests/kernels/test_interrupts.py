"""Ctrl-C ends work that a kernel would do for minutes without the interpreter's lock."""

import os
import signal
import subprocess
import sys

import pytest

WORK = {
    "moments": "metric.moments(OutcomeMatrix.from_counts(np.arange(4 * 10**6) % 15, np.arange(4 * 10**6) + 5000))",
    "replicates": "analyze_convergence('avg', dict.fromkeys('ab', np.ones((200000, 400), np.int8)), n=400, "
    "replicates=9999)",
}
CODE = """
import signal
import numpy as np
from scorio import OutcomeMatrix
from scorio.metrics import AucAtK
from scorio.curves import analyze_convergence
metric = AucAtK(30000)
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a process in the background may have to ignore
print("started", flush=True)
try:
    {work}
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="sends a signal")
@pytest.mark.parametrize("work", WORK)
def test_a_signal_ends_long_work(work):
    code = CODE.format(work=WORK[work])
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "started\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=3.0)
        process.send_signal(signal.SIGINT)
        try:
            said, _ = process.communicate(timeout=60)  # without a look at signals, minutes
        finally:
            process.kill()
    assert said == "interrupted\n"
