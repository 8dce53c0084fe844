"""What commands refuse, and what they say instead: the option, the value, and what to do."""

import shlex

import pytest

from helpers.command import LOGS, ROOT, run

DATA = ROOT / "examples" / "data"
PROMPTS, SEEN, DATES, TASKS = (DATA / name for name in ("prompts.csv", "seen.csv", "seen-dates.csv", "horizons.jsonl"))
DRIZZLE, AURORA = f"{LOGS}/drizzle-1b.json", f"{LOGS}/aurora-70b.json"
GAP = f"gap -q {SEEN}"
DATED = f"{GAP} --sets {DATES}"
DESIGN = "plan --questions 100 --trials 4"
EVERY = " ".join(f"--others={name}" for name in ("amber", "birch", "cedar", "dogwood"))
BORN = "--date amber=2025-01-01 --date oak=2024-01-01 --date birch=2023-01-01"

REFUSED = [
    (f"plan {LOGS} --unit questions", "needs a half_width"),
    (f"plan {LOGS} --between aurora-70b x", "unknown model 'x'"),
    (f"plan {AURORA}", "one model"),
    ("plan", "plan needs logs of results so far; before any trial, --questions N"),
    (f"{DESIGN} --unit trials", "--questions cannot be combined with --unit"),
    (f"plan {LOGS} --trials 4", "--trials is for plans before any trial"),
    (f"plan {LOGS} --difference 0.02 --half-width 0.1", "that of two models"),
    (f"costs {LOGS} --cost aurora-70b=0.07", "--cost names no cost per trial of model 'borealis-70b'"),
    (f"costs {LOGS} --cost aurora-70b=0.07 --cost dear", "'dear' is neither one NAME nor of the form MODEL=NUMBER"),
    (f"factors {PROMPTS}", "--factor prompt keeps their levels apart"),
    (f"factors {PROMPTS} --factor promp", "Did you mean 'prompt'"),
    (f"factors {PROMPTS} --factor prompt --random judge", "--random has an unknown factor 'judge'"),
    (f"rank {PROMPTS}", "--factor prompt"),
    (f"curve {LOGS} -k 1,8 --prior jeffreys", "N is 6; pass@8 has an interval but no score: --too-few nan"),
    (f"curve {LOGS} -k 1,8 -m gpass:tau=.5", "gpass@8:tau=0.5 has an interval but no score: --too-few nan"),
    (f"questions {DRIZZLE} --baseline {AURORA} --sort mean", "--baseline cannot be combined with --sort"),
    (f"questions {LOGS} --runs random", "--runs is for questions that changed"),
    (f"compare {LOGS} --margin 0.1", "name the arm without"),
    (f"compare {LOGS} --margin 0.1 --paired", "--paired"),
    (f"gate {LOGS}", "name the baseline's logs with --baseline"),
    (f"horizon {TASKS} --over minutes", "minutes"),
    (f"horizon {TASKS} --date amber", "is not MODEL=DATE"),
    (f"horizon {TASKS} --at 1.5", "between 0 and 1"),
    (f"horizon {TASKS} {BORN}", "unknown model 'oak'"),
    (GAP, "the logs hold 1 task"),
    (f"{GAP} --cut 3", "--cut divides"),
    (f"{GAP} --over age", "--cut divides"),
    (DATED, "needs the columns question and set; got 'question', 'date': dates and values"),
    (f"{DATED} --cut 7", "--cut is 7.0, and the questions have"),
    (f"{DATED} --cut 2030-01-01", "values go from 2024-01-01 to 2024-12-22: some must be below it, and some not"),
    (f"{DATED} --cut 2024-06-01 --suspect oak", "unknown model 'oak'"),
    (f"{DATED} --over age --cut 2024-06-01", "give one of them"),
    (f"{DATED} --cut 2024-06-01 {EVERY}", "names every model"),
]


@pytest.mark.parametrize(("command", "message"), REFUSED, ids=[command.split()[0] for command, _ in REFUSED])
def test_what_is_refused_is_said(command, message):
    assert message in " ".join(run(*shlex.split(command), "-q", code=2).stderr.split())
