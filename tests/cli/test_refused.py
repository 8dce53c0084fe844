"""What commands refuse, and what they say instead: one line with the option, the value, and what to do."""

import itertools
import re
import shlex

import pytest

from helpers.command import LOGS, ROOT, run

DATA = ROOT / "examples" / "data"
PROMPTS, SEEN, DATES, TASKS = (DATA / name for name in ("prompts.csv", "seen.csv", "seen-dates.csv", "horizons.jsonl"))
DRIZZLE, AURORA = f"{LOGS}/drizzle-1b.json", f"{LOGS}/aurora-70b.json"
GAP = f"gap {SEEN}"
DATED = f"{GAP} --sets {DATES}"
DESIGN = "plan --questions 100 --trials 4"
EVERY = " ".join(f"--others={name}" for name in ("amber", "birch", "cedar", "dogwood"))
BORN = "--date amber=2025-01-01 --date oak=2024-01-01 --date birch=2023-01-01"
GATE = "gate tasks.csv --between new old"
TOLD = "gate tasks.csv --task law --file"
CLAIM = '[[claim]]\nbest = "new"\n'

FILES = {
    "tasks.csv": "task,model,question,trial,correct\n"
    + "".join(
        f"{task},{model},q{q},{n},{(q + n) % 2}\n"
        for task, model, q, n in itertools.product(("algebra", "chess", "law"), ("new", "old"), range(5), range(2))
    ),
    "one.csv": "question,trial,correct\nq1,0,1\nq1,1,0\nq2,0,1\nq2,1,1\n",
    "others.csv": "question,set\nx1,a\nx2,b\n",
    "twice.csv": "question,set\nq01,a\nq01,b\n",
    "list.toml": "best = 'a'",
    "torn.toml": "claims = ",
    "other.toml": f"{CLAIM}[other]\n",
    "newer.toml": f"version = 2\n{CLAIM}",
    "nobody.toml": '[[claim]]\nbest = "nobody"\n',
    "claims.toml": CLAIM,
}
REFUSED = [
    ("score", "Missing argument 'LOGS...'"),
    ("score nowhere.json", "nowhere.json: no such file or directory"),
    (f"score {LOGS} --prior strange", "unknown prior 'strange'. Choose from: learned, uniform"),
    (f"score {LOGS} --confidence 2", "--confidence must be a number strictly between 0 and 1; got 2.0"),
    (f"score {LOGS} -m pass", "pass needs k, as in 'pass@8'"),
    (f"score {LOGS} -m nix:Foo(k=8)", "no module named 'nix'"),
    (f"score {LOGS} -m json:dumps", "'json:dumps' is not a metric class"),
    (f"score {LOGS} -m scorio:Nothing(k=8)", "module 'scorio' has no 'Nothing'"),
    (f"score {LOGS} -m scorio:PassAtK(j=8)", "unexpected keyword argument 'j'"),
    (f"score {LOGS} -m scorio:Metric()", "abstract class Metric"),
    (f"gate {LOGS} --between cirrus-7b cirrus-7b", "--between names 'cirrus-7b' twice: name two models, or"),
    (f"plan {LOGS} --between cirrus-7b cirrus-7b", "--between names 'cirrus-7b' twice: name two models"),
    (f"score {LOGS} --level C", "--level must be of the form NAME=VALUE; got 'C'"),
    (f"score {LOGS} --level C=x", "--level C must be a number, or none; got 'x'"),
    (f"score {LOGS} --field question", "--field must be of the form NAME=VALUE"),
    (f"score {LOGS} --field foo=bar", "--field has an unknown role 'foo'"),
    (f"score {LOGS} --task other", "unknown task 'other'. Choose from: puzzles"),
    (f"score {LOGS} -o out.cvs", "'out.cvs' does not end with .txt, .json"),
    (f"score {LOGS} --model mine=typo", "'typo' is neither a model nor a path; the models are 'aurora-70b'"),
    (f"score {LOGS} --model mine", "--model is a name for one model"),
    (f"score {LOGS} --log-format csv", "No such option '--log-format': scorio convert has it"),
    (f"score {LOGS} --only auroro-70b", "--only has an unknown model 'auroro-70b'. Did you mean 'aurora-70b'?"),
    (f"score {LOGS} --only aurora* --only dizzle*", "--only dizzle* matches no model"),
    ("score one.csv -m chess=pass@2", "leave out the name of the task"),
    ("score tasks.csv --task-weight go=1", "unknown task 'go'"),
    (f"rank {LOGS} --picture out.csv", "'out.csv' does not end with .svg, .pdf, .png"),
    (f"rank {LOGS} --model aurora* --model b*", "--only aurora* chooses models"),
    (f"rank {LOGS} --model aurora", "--only ... chooses some"),
    (f"rank {PROMPTS}", "--factor prompt"),
    ("rank tasks.csv --task-weight algebra", "'algebra' is neither 'questions' nor of the form TASK=NUMBER"),
    ("rank tasks.csv --task-weight algebra=1", "--task-weight lacks the tasks 'chess', 'law'"),
    ("rank tasks.csv -m cards=pass@2", "cards"),
    ("rank tasks.csv -m chess=pas@2", "Did you mean 'pass@2'"),
    ("rank tasks.csv -m chess=pass@2 -m chess=avg", "task 'chess' has two metrics"),
    ("rank tasks.csv -m chess=avg -m avg -m pass@2", "several metrics for the other tasks: avg, pass@2"),
    (f"curve {LOGS} -m bayes", "bayes takes no k"),
    (f"curve {LOGS} -k 1,x", "'1,x' is not a list of whole numbers such as 1,2,4"),
    (f"convert {LOGS} -o outcomes.xlsx", "the ending must be .csv or .npz"),
    ("convert tasks.csv --format npz", "not text: write them to a file"),
    (f"compare {AURORA}", "a comparison needs two models; the logs hold only 'aurora-70b'"),
    (f"compare {LOGS}", "with --between out of"),
    (
        f"compare {LOGS} --picture out.svg -m pass@1 -m pass@2 --between aurora-70b drizzle-1b",
        "--picture shows one metric",
    ),
    (f"compare {LOGS} --margin 0.1", "name the arm without"),
    (f"compare {LOGS} --margin 0.1 --paired", "--paired"),
    (f"compare {AURORA} {DRIZZLE} --model first=typo", "'typo' is neither a model nor a path"),
    (f"plan {LOGS} --unit questions", "needs a half_width"),
    (f"plan {LOGS} --between aurora-70b x", "unknown model 'x'"),
    (f"plan {AURORA}", "one model"),
    ("plan", "plan needs logs of results so far, or before any trial --questions N"),
    (f"{DESIGN} --unit trials", "--questions cannot be combined with --unit"),
    (f"plan {LOGS} --trials 4", "--trials is for plans before any trial"),
    (f"plan {LOGS} --difference 0.02 --half-width 0.1", "that of two models"),
    (f"costs {LOGS} --cost aurora-70b=0.07", "--cost names no cost per trial of model 'borealis-70b'"),
    (f"costs {LOGS} --cost aurora-70b=0.07 --cost dear", "'dear' is neither one NAME nor of the form MODEL=NUMBER"),
    (f"factors {PROMPTS}", "--factor prompt keeps their levels apart"),
    (f"factors {PROMPTS} --factor promp", "Did you mean 'prompt'"),
    (f"factors {PROMPTS} --factor prompt --random judge", "--random has an unknown factor 'judge'"),
    (f"questions {DRIZZLE} --baseline {AURORA} --sort mean", "--baseline cannot be combined with --sort"),
    (f"questions {LOGS} --runs random", "--runs is for questions that changed"),
    (f"gate {LOGS}", "name the baseline's logs with --baseline"),
    (f"{GATE} --max-drop chess=0.1 --max-drop go=0.1", "--max-drop has an unknown task 'go'"),
    (f"{GATE} --max-drop 0.1 --max-drop 0.2", "several numbers for all tasks: 0.1, 0.2"),
    (f"{GATE} --max-drop x", "'x' is neither a number, a percentage nor of the form TASK=NUMBER"),
    (f"{GATE} --max-drop chess=-1", "the limit of 'chess' must be a number, at least 0"),
    *((f"{GATE} {name} nan", name) for name in ("--max-drop", "--confidence", "--per-question", "--max-cost-rise")),
    (f"{TOLD} list.toml", "has no list of claims"),
    (f"{TOLD} torn.toml", "cannot be read"),
    (f"{TOLD} other.toml", "unknown entries other"),
    (f"{TOLD} newer.toml", "reads version 1"),
    (f"{TOLD} nobody.toml", "claim 1"),
    (f"{TOLD} claims.toml --max-drop 0.1 --between a b", "--file cannot be combined with --between, --max-drop"),
    (f"{TOLD} claims.toml -m pass@1 -m pass@2", "--file takes one --metric, that of claims that name none"),
    (f"horizon {TASKS} --over minutes", "minutes"),
    (f"horizon {TASKS} --date amber", "is not MODEL=DATE"),
    (f"horizon {TASKS} --at 1.5", "between 0 and 1"),
    (f"horizon {TASKS} {BORN}", "unknown model 'oak'"),
    ("horizon one.csv", "--over names an unknown column 'human_minutes'. Choose from: question, trial, correct"),
    (GAP, "the logs hold 1 task"),
    (f"{GAP} --cut 3", "--cut divides"),
    (DATED, "needs the columns question and set; got 'question', 'date': dates and values"),
    (f"{DATED} --cut 7", "--cut is 7.0, and the questions have"),
    (f"{DATED} --cut 2030-01-01", "values go from 2024-01-01 to 2024-12-22: some must be below it, and some not"),
    (f"{DATED} --cut 2024-06-01 --suspect oak", "unknown model 'oak'"),
    (f"{DATED} --over age --cut 2024-06-01", "give one of them"),
    (f"{DATED} --cut 2024-06-01 {EVERY}", "names every model"),
    (f"{GAP} --sets others.csv", "names no question of the logs"),
    (f"{GAP} --sets twice.csv", "names a question twice: 'q01'"),
    (f"judge {LOGS} --sample 20 --seed -1", "-1 is not in the range"),
    (f"judge {LOGS}", "either --sample N"),
    *(
        (f"watch one.csv {budget} {option}={value}", option)
        for option, budget in (("--half-width", "--trials 64"), ("--around", ""))
        for value in ("nan", "inf", "-1")
    ),
    ("watch one.csv", "--trials is needed, the largest number"),
    (f"report {LOGS} -o out.pdf", "'out.pdf' does not end with .html, .htm"),
    (f"report {LOGS} -o r.html --max-drop 0.1", "with --baseline"),
    (f"report {LOGS} -o r.html --baseline {LOGS} --too-few omit --for nist-800-3", "be combined with --for, --too-few"),
    ("report tasks.csv -o r.html --for nist-800-3", "--for nist-800-3 needs logs of one task"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("refused")
    for name, text in FILES.items():
        (made / name).write_text(text)
    return made


@pytest.mark.parametrize(("command", "message"), REFUSED)
def test_what_is_refused_is_said_in_one_line(folder, command, message, monkeypatch):
    monkeypatch.chdir(folder)
    done = run(*shlex.split(command), "-q", code=2)
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("scorio: ")
    assert message in line
    assert {path.name for path in folder.iterdir()} == {*FILES}
    if command.endswith(" nan") or "=nan" in command:
        assert {*re.findall(r"--[a-z-]+", line)} == {message}  # by the name that it was given
