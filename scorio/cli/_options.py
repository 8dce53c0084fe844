"""The one table of options: every option of every command, once.

A row is ``KEY | NAMES FORM | KIND | DEFAULT`` and the help below it, under the heading that help pages have. The key is
the name of the parameter; ``top`` and ``top.all`` are both ``--top``, of different commands, and the second has the
help of the first. FORM is what help shows for the value, and KIND is below the
table. DEFAULT begins with ``=`` if it is the value, else it says in words what holds without the option, and ``-``
shows nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import click

from .._base import choices
from ._context import Option, set_debug
from ._metric import MetricChoice, function_of
from ._values import (
    MaxDrop,
    budgets_of,
    costs_of,
    dates_of,
    each_as,
    known_ending,
    names_of_metrics,
    number_or_percent,
    prior_of,
    task_weights_of,
)
from ._writing import Writable

_TABLE = """\
# Options of reading logs, the same in every command
model | --model [NAME=]MODEL | texts | as in the logs
    Name of the only model, or a new NAME for a MODEL or a path pattern; repeatable.
only | --only PATTERN | texts | all
    Model to keep, by its name or a pattern such as 'gpt*'; repeatable.
task | --task PATTERN | text | all
    Pattern of the tasks to read.
score | --score NAME | text | the only one
    Stored score or column to read, where the logs have several.
filter | --filter NAME | text | the only one
    Filter to read, where the logs have several (lm-eval).
fields | --field ROLE=COLUMN | texts | known names
    Column or field for a role: question, outcome, model, task, trial, run, cluster, trials or successes, as in
    question=item_id; trial= for none; cost=usd for what trials cost; answer=pred for votes; models='*' for one column
    per model; repeatable.
levels | --level WORD=REWARD | texts | known words
    Reward for a word, as in P=0.5; none if missing; repeatable.
factors | --factor COLUMN | texts | none
    Column of a table, such as prompt or judge, or condition of logs, whose levels are kept apart as rows; repeatable.
pool | --pool CONDITION | texts | none
    Condition in which runs may differ and still add up, such as temperature; all for every one; repeatable.
table | --table NAME | text | the only one
    Table of SQLite files, or sheet of a workbook.
missing | --missing | choice | =omit
    Planned trials without an outcome are left out (omit), are failures (fail), or are an error (raise).
skip_bad | --skip-bad | flag | -
    Skip files and tasks that cannot be read, with a note on stderr.
quiet | -q --quiet | flag | -
    Do not report the detected formats on stderr.
# Options of reading logs that only convert has, whose file every command reads
format | --log-format NAME | text | detected from the content
    Format of the logs.
keep | --keep NAME | texts | none
    What else to read of each trial: answers, or a score by its name in the logs; repeatable.
query | --query SQL | text | the whole table
    Query on SQLite files.
grade | --grade MODULE:FUNCTION | grade | the stored scores
    Function that grades each stored response (lm-eval).
# Options
metrics | -m --metric METRIC | metrics | pass@1, or avg for rewards
    Metric, such as pass@8, gpass@8:tau=.5 or package.module:Class(k=8); scorio score --list names all. Repeatable where
    a command takes several.
metrics.one | -m --metric METRIC | metrics.one | pass@1, or avg for rewards
metrics.by_task | -m --metric [TASK=]METRIC | metrics.by_task | pass@1, or avg for rewards
metrics.family | -m --metric METRIC | metrics.family | pass, or max for rewards
budgets | -k K,K,.. | budgets | powers of two up to the fewest trials of a question, and that number
    Numbers of trials k, for metrics whose k is left out, as in pass, passhat or gpass:tau=.5; repeatable.
task_weights | --task-weight TASK=NUMBER | task_weights | equal
    Weight of a task in the overall score, repeatable; or questions, for weights proportional to the number of
    questions.
between | --between MODEL MODEL | between | none
    Names of the two models to compare, the new one before its baseline.
baseline | --baseline LOGS | logs | none
    Logs or saved counts of the baseline, the model or run to compare with. Repeatable.
max_drop | --max-drop NUMBER|PERCENT|TASK=NUMBER | max_drop | 0.02
    Largest drop of the score that a gate accepts, or with a percentage such as 5%, largest share of the baseline's
    score; repeatable for tasks with a limit of their own.
mode | --mode | choice | =worse
    A gate is failed if the new model is shown to be worse and drops above --max-drop are not excluded (worse); it is
    passed only if they are excluded (noninferior), or only if the scores are shown to differ by less in either
    direction (equivalent).
decided_by | --decided-by | choice | =all
    Checks that decide where there are several tasks: all, those of the tasks, or the overall one.
shared_only | --shared-only | flag | -
    Leave out the questions that only some of the models have trials of.
allow_missing | --allow-missing | flag | -
    Let a gate pass although a run seems to have ended early: it has less than 90% of the planned trials, or less than a
    quarter of the baseline's trials per question.
per_question | --per-question NUMBER | number | no verdict about single questions
    Probability with which every question is to be solved. It needs no baseline.
no_new_failures | --no-new-failures | flag | -
    Fail if any question got worse since the baseline; see --allow.
allow | --allow N|QUESTION | texts | 0
    Number of questions that may get worse with --no-new-failures; or a question that may, repeatable.
max_cost_rise | --max-cost-rise NUMBER|PERCENT | max_cost_rise | none
    Largest rise of the cost per success that a gate accepts: an amount, or a share of the baseline's cost.
cost | --cost NAME|MODEL=NUMBER | cost | the only one, or dollars
    Name of the cost in the logs, such as dollars, seconds or output_tokens; or the cost of a trial by model,
    repeatable.
file | --file FILE | source | none
    File of claims, TOML or JSON by its ending. Say which of them the logs support, contradict or leave open, at one
    error rate over all.
limit | --limit COST | number | the cost of k trials of the costliest model
    Cost that a model may spend on a question, for the values at equal cost.
per | --per | choice | =trial
    What the cost is of: a trial, or a success, for which that of failures counts as well.
is_list | --list | flag | -
    List the metrics to choose from, with their formulas.
random | --random FACTOR | texts | all with 3 levels or more
    Factor whose levels are a random sample of levels like these; repeatable.
over | --over NAME | text | none
    Number of each question in the logs, or column of tables, such as human_minutes.
standard | --for | choice | none
    Standard whose statements the page makes: nist-800-3, with the accuracy on these questions beside that on questions
    like these, and what each source of uncertainty adds.
over.minutes | --over NAME | minutes | human_minutes
rates | --at NUMBER | rates | 0.5 and 0.8
    Rate of success that is crossed; repeatable.
fit | --fit | choice | =logistic
    Fit of the curve; metr has the weights and the ridge of METR's time horizons.
dates | --date MODEL=DATE | dates | no trend
    Date of a model, for the trend of horizons and its doubling time; repeatable.
sets_file | --sets FILE | source | the two tasks of the logs
    CSV file with columns question and set, and for rewritten questions pair, which an original and its rewriting share.
    An empty set leaves a question out. With --cut, a column date or value stands for set.
cut | --cut VALUE | text | none
    Cut-off: questions whose date or number is below it are before, the others after. For --sets or --over.
models | --suspect MODEL | texts | every model in turn
    Model whose gap is asked for. Repeatable.
others | --others MODEL | texts | all others
    Model of the control, which has not seen the questions. Repeatable.
sort | --sort | choice | =difficulty
    Column to sort by, with the largest values first.
ascending | --ascending | flag | -
    Sort with the smallest values first.
top | --top N | count 1 | all, or 20 flaky ones
    Number of questions to show; with a baseline, of flaky ones.
power | --power NUMBER | number | =0.8
    Power to plan for: the probability that the difference of two models is then significant.
half_width | --half-width NUMBER | number | none
    Half-width at which the interval of every model is narrow enough.
unit | --unit | choice | =trials
    Plan for more trials of each question, or for more questions, which needs --half-width.
n_questions | --questions N | count 2 | none
    Number of questions, without logs.
n_trials | --trials N | count 1 | none
    Number of trials per question: of each model in a plan without logs (1 unless given), or the
    largest that watch will see.
trials | --trials N | count 1 | none
    Number of trials per question: of each model in a plan without logs (1 unless given), or the
    largest that watch will see.
difference | --difference NUMBER | number | none
    True difference of two models to plan for; with logs, by default what is observed.
around | --around N | number | none
    Instead of --trials, if you set no largest number: about how many trials per question you expect to need. Intervals
    are narrowest there, and hold at every look.
choose | --choose N | count 2 | none, with --estimate
    Draw N questions to ask a new model, from the outcomes of the models of the logs, and write them to --write-sample.
write_sample | --write-sample | file .csv | =sample.csv
    New file that --choose writes: the questions of the benchmark, which of them to ask, and how they were drawn. CSV or
    JSON.
estimate | --estimate FILE | source | none, with --choose
    Estimate the scores on all questions of models that were asked the questions of this file, which --choose wrote.
sample | --sample N | count 2 | none, with --labels
    Draw N questions for people to label, and write them to --write.
write | --write | file | =labels.csv
    File that --sample writes for people to label: CSV, or JSON lines (.jsonl). It must not hold labels yet.
labels | --labels FILE | labels | none, with --sample
    File with the labels of people, in the form that --sample writes; --field label=COLUMN names another column than
    label.
rank | --rank | flag | -
    Rank the labelled models by their corrected scores, with ties and differences.
# Statistics
confidence | --confidence NUMBER | number | =0.95
    Confidence level: one minus the error rate of the intervals and verdicts.
target | --target | choice | =questions
    Subject of the answer: these questions, or the population that they are a sample of.
prior | --prior PRIOR | prior | learned, but uniform for the metric bayes
    Prior of the questions' success rates: learned from all questions, uniform, jeffreys, or pseudo-counts such as 1,1.
shape | --shape | choice | quantile for a learned prior, else normal
    Shape of intervals: quantiles of the posterior, its mean and standard deviation (normal), for pass@1 and avg, ends
    that hold whatever the difficulties are (binomial), or for metrics of a number of successes, every value that fits
    the outcomes (profile).
runs | --runs | choice | =auto
    How trials of one run are taken: as independent (independent), as sharing a server, a day or a seed, so that the
    answer is about runs like these (random), or as independent with a warning where runs differ (auto).
paired | --paired/--unpaired | either | paired if the questions are the same
    Compare the models question by question, or only their scores; for --target population.
family | --family | choice | no second table
    Add a table of all differences. The error rate is that of each alone (each), of all together, by Holm's method
    (holm) or by their joint distribution (simultaneous), or the false-discovery rate (fdr).
too_few | --too-few | choice | =raise
    Treatment of questions with too few trials for the score. They are an error (raise), are omitted (omit) or make it a
    forecast, an interval without a score (nan).
rng | --seed N | count 0 | =0
    Seed of the random numbers.
fdr | --fdr NUMBER | number | 0.05, or 0.1 with a baseline
    Expected share of false findings among the questions that are flagged or said to have changed.
margin | --margin NUMBER | number | 0.05 for logs of runs with and without a skill
    Largest difference that does not matter: say of each arm whether it helps, hurts or is practically equal.
# Answer
picture | --picture | file .svg .pdf .png | none
    File for a picture: .svg, .pdf or .png.
junit | --junit | file | none
    File for the result as JUnit XML, which CI systems show.
annotations | --annotations | file | none
    File for the parts that failed or are undecided as annotations of GitHub Actions: print it in a step of a job.
title | --title TEXT | text | Leaderboard, or Comparison
    Heading of the page.
form | --format | choice eager | by the ending of --output, else table
    Format of what is written; methods is a paragraph for a paper about the answer of score, rank or compare.
output | -o --output | output | stdout
    File to write. Its ending chooses the format.
form.table | --format --to | choice | by the ending of --output, else csv
output.table | -o --output | file | stdout
output.page | -o --output | file .html .htm | =report.html
# Help
debug | --debug | debug | -
    Show the traceback of an error.
"""
READING, CONVERTING, OPTIONS, STATISTICS, ANSWER, HELP = re.findall(r"^# (.+)$", _TABLE, flags=re.MULTILINE)
FORMS = ("table", "json", "csv", "md", "latex", "html", "methods")
_CHOICES: dict[str, tuple[str, ...]] = {  # of the options of the kind ``choice``
    "missing": ("omit", "fail", "raise"),
    "mode": choices.GATE_MODES,
    "decided_by": choices.DECIDED_BY,
    "standard": choices.STANDARDS,
    "per": choices.PER,
    "fit": ("logistic", "metr"),
    "sort": choices.SORT_KEYS,
    "unit": ("trials", "questions"),
    "target": choices.TARGETS,
    "shape": choices.SHAPES,
    "runs": choices.RUNS,
    "family": choices.FAMILIES,
    "too_few": ("raise", "omit", "nan"),
    "form": FORMS,
    "form.table": ("csv", "npz"),
}


def _together(convert: Callable[[Any], Any]) -> dict[str, Any]:
    return {"multiple": True, "callback": each_as(convert, together=True)}


_KINDS: dict[str, dict[str, Any]] = {  # what click.Option is told of each kind
    "text": {},
    "texts": {"multiple": True},
    "flag": {"is_flag": True},
    "number": {"type": float},
    "logs": {"multiple": True, "type": click.Path()},
    "source": {"type": click.Path(exists=True, dir_okay=False, path_type=Path)},
    "metrics": _together(MetricChoice.several) | {"shell_complete": names_of_metrics},
    "metrics.one": _together(MetricChoice.one) | {"multiple": False, "shell_complete": names_of_metrics},
    "metrics.by_task": _together(MetricChoice.by_tasks) | {"shell_complete": names_of_metrics},
    "metrics.family": _together(MetricChoice.families) | {"shell_complete": names_of_metrics},
    "budgets": _together(budgets_of),
    "task_weights": _together(task_weights_of),
    "either": {"default": None},
    "between": {"nargs": 2},
    "minutes": {"default": "human_minutes"},  # in METR's runs
    "max_drop": _together(MaxDrop.parsed),
    "max_cost_rise": {"callback": each_as(number_or_percent)},
    "cost": _together(costs_of),
    "rates": {"multiple": True, "type": float, "default": (0.5, 0.8)},
    "dates": _together(dates_of),
    "labels": {"type": click.Path(dir_okay=False, path_type=Path)},
    "prior": {"callback": each_as(prior_of)},
    "grade": {"callback": each_as(function_of)},
    "output": {"type": Writable(), "callback": known_ending},
    "debug": {"is_flag": True, "expose_value": False, "callback": set_debug},
}


@cache
def _rows() -> dict[str, dict[str, Any]]:
    """Return what click is told of each option, by its key, and the section of the help page that it is in."""
    rows: dict[str, dict[str, Any]] = {}
    key = section = ""
    for line in _TABLE.splitlines():
        if line.startswith("# "):
            section = line.removeprefix("# ")
            continue
        if line.startswith(" "):
            rows[key]["help"] = f"{rows[key].get('help', '')} {line.strip()}".strip()
            continue
        key, typed, what, default = line.split(" | ")
        names = [word for word in typed.split() if word.startswith("-")]
        form = " ".join(word for word in typed.split() if not word.startswith("-")) or None
        base = key.partition(".")[0]
        row = {"section": section, "param_decls": [*names, base], "metavar": form, **_of_kind(key, what)}
        row |= {"help": rows[base]["help"]} if base in rows else {}
        row["show_default"] = default[:1] == "=" or (default != "-" and default)
        rows[key] = row | ({"default": default[1:]} if default[:1] == "=" else {})
    return rows


def _of_kind(key: str, kind: str) -> dict[str, Any]:
    name, *details = kind.split()
    if name == "count":
        return {"type": click.IntRange(min=int(details[0]))}
    if name == "file":
        return {"type": Writable(details)}
    if name == "choice":
        return {"type": click.Choice(_CHOICES[key])} | {"is_eager": "eager" in details}
    return _KINDS[name]


READING_KEYS = tuple(key for key, row in _rows().items() if row["section"] == READING)
CONVERTING_KEYS = tuple(key for key, row in _rows().items() if row["section"] == CONVERTING)


def option(use: str) -> Option:
    """Return the option of a key, or of ``KEY: what holds without it in this command``."""
    key, _, shown = use.partition(": ")
    row: dict[str, Any] = {**_rows()[key], **({"show_default": shown} if shown else {})}
    section = row.pop("section")
    made = Option(**row)
    made.section, made.is_of_reading = section, section in (READING, CONVERTING)
    return made
