"""Time jobs in turns and keep each job's minimum, because other work on the machine can only add time."""

import time


def seconds(job, least=2e-3):
    """The time of one call, from as many as fill ``least`` seconds."""
    calls = 1
    while True:
        start = time.perf_counter()
        for _ in range(calls):
            job()
        spent = time.perf_counter() - start
        if spent >= least:
            return spent / calls
        calls *= max(2, int(least / max(spent, 1e-9)) + 1) if spent < least / 2 else 2


def interleaved(jobs, rounds=7, least=2e-3):
    """The least seconds of each job by name."""
    turns = [{name: seconds(job, least) for name, job in jobs.items()} for _ in range(rounds)]
    return {name: min(turn[name] for turn in turns) for name in jobs}
