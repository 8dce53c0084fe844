"""Instructions of chosen calls, by the library they were executed in, counted by valgrind's callgrind.

In a process under ``COMMAND``, ``count`` switches counting on around one call and has the counts written with its name;
``by_library`` reads them. Valgrind simulates the processor: counts repeat, whatever else the machine does.
"""

import ctypes
import gc
import re
import subprocess
import sysconfig
import tempfile
from collections import Counter
from pathlib import Path

COMPILER = (sysconfig.get_config_var("CC") or "cc").split()[0]
COMMAND = ("valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no", "--compress-strings=no")
SOURCE = """
#include <valgrind/callgrind.h>
void start(void) { CALLGRIND_START_INSTRUMENTATION; CALLGRIND_ZERO_STATS; }
void stop(const char *name) { CALLGRIND_STOP_INSTRUMENTATION; CALLGRIND_DUMP_STATS_AT(name); }
"""


def library(source):
    """The functions of this C source."""
    with tempfile.TemporaryDirectory() as folder:
        code, built = Path(folder, "code.c"), Path(folder, "code.so")
        code.write_text(source)
        subprocess.run([COMPILER, "-O3", "-shared", "-fPIC", "-o", built, code], check=True)
        return ctypes.CDLL(str(built))


def count(jobs, warm_up=1):
    """Make each call some times to warm up and once counted."""
    switch = library(SOURCE)
    gc.disable()
    for name, job in jobs.items():
        for _ in range(warm_up):
            job()
        switch.start()
        job()
        switch.stop(name.encode())


def by_library(folder):
    """The instructions of each counted call: its name -> the file name of a library -> how many."""
    found = {}
    for file in Path(folder).glob("callgrind.out.*"):
        text = file.read_text()
        name = re.search(r"^desc: Trigger: Client Request: (.+)$", text, flags=re.MULTILINE)
        if name:
            found[name[1]] = _own(text)
    return found


def _own(text):
    """Instructions by library: each function's own, not those of what it calls."""
    total, here, of_call = Counter(), None, False
    for line in text.splitlines():
        if line.startswith("ob="):
            here = Path(line[3:]).name
        elif line.startswith("calls="):
            of_call = True
        elif re.match(r"[0-9+*-]", line):
            total[here] += 0 if of_call else int(line.split()[1])
            of_call = False
    return total
