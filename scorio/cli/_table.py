"""The one table of commands: what each says, which options it has, and where its function is.

A row names options by their keys in the table of options; after a colon it says in words what holds without one here.
"""

from typing import NamedTuple

_INTERVAL = ("confidence", "target", "prior", "shape")


class Command(NamedTuple):
    """A row: the module of the function, its summary and text of help, an example, and the keys of its options."""

    module: str
    summary: str
    example: str
    options: tuple[str, ...]
    about: str = ""
    needs_logs: bool = True
    writes_tables: bool = True  # to --output in a --format; else it writes a file of its own kind


COMMON: dict[str, Command] = {
    "score": Command(
        "models",
        "Score models by one or more metrics, with intervals.",
        "logs/ -m pass@1 -m pass@4 --confidence 0.9",
        ("metrics.by_task", "task_weights", *_INTERVAL, "runs", "too_few", "is_list"),
        "With -m TASK=METRIC, a task has a metric of its own. --list needs no logs; plug-ins add metrics with the "
        "entry point scorio.metrics.",
        needs_logs=False,
    ),
    "rank": Command(
        "models",
        "Rank models, with intervals, ties and the probability of being the best.",
        "logs/ -m pass@1 --target population --format md",
        ("metrics.by_task", "task_weights", "shared_only", *_INTERVAL, "runs", "family", "too_few", "picture"),
    ),
    "compare": Command(
        "pairs",
        "Compare two models: the difference, its interval, and the probability that one is better.",
        "old.json new.json -m pass@1 -m pass@4",
        (
            *("between: the only two", "metrics.by_task", "task_weights", "shared_only", *_INTERVAL, "runs", "paired"),
            *("cost: no table of costs per success", "margin", "picture"),
        ),
        "--cost adds what a success costs with each of them: all that was spent, failures included, over the "
        "successes.\n\nThe logs hold two models, or --between names two of them. Two logs of the same model are named "
        "by their paths.\n\nRuns with and without a skill (--margin, or logs of a tool that makes such runs) have a "
        "verdict for each arm: it helps, it hurts, both are practically equal, or how many more runs would tell.",
    ),
    "gate": Command(
        "pairs",
        "Say whether a new model may replace a baseline: per task and overall.",
        "new.json --baseline old.json --max-drop 0.1 --junit gate.xml",
        (
            *("baseline: among the logs", "between: the only two", "max_drop", "mode", "metrics.by_task", "decided_by"),
            *("task_weights", "shared_only", "allow_missing", "confidence", "target", "runs", "prior", "per_question"),
            *("no_new_failures", "allow", "max_cost_rise", "cost", "file", "junit", "annotations"),
        ),
        "Exit codes: 0 if the gate is passed, 1 if it is failed, 3 if it cannot be told yet, as in --mode noninferior, "
        "and where questions are missing or a run ended early. With --file, the same of its "
        "claims. Where GITHUB_STEP_SUMMARY is set, a summary is appended to that file.",
    ),
    "doctor": Command(
        "files",
        "Say what the logs hold, what is suspicious, which statements they support, and what to run next.",
        "logs/",
        (),
    ),
    "plan": Command(
        "plans",
        "Plan how many more trials or questions are needed, from results so far or before any trial.",
        "logs/ -m pass@1 --half-width 0.02",
        (
            *("metrics", "between: the two best", "power", "half_width: a plan to separate two models", "unit"),
            *("task_weights", "confidence", "runs", "n_questions", "n_trials", "difference", "picture"),
        ),
        "With logs, the goal is a significant difference between two models, or with --half-width a narrow interval "
        "for every model. With logs of several tasks, plans are for overall scores.\n\nWithout logs, "
        "--questions and --trials say what will be run: the answer is the difference between two models that is "
        "detected, and for a --difference the power and the questions that are needed.",
        needs_logs=False,
    ),
    "judge": Command(
        "plans",
        "Correct the scores of an imperfect judge by labels of people.",
        "logs/ --sample 20 --write labels.csv",
        ("sample", "write", "labels", "metrics", "rank", "confidence", "target", "rng"),
        "The intervals hold however good or bad the judge is. First draw questions with --sample N and let people fill "
        "the column label; then pass the file as --labels.",
    ),
    "report": Command(
        "files",
        "Write a report: one HTML file that needs no network.",
        "logs/ -m pass@1 -m pass@4 -o report.html",
        (
            *("metrics.by_task", "task_weights", "shared_only", "standard", "baseline", "between: a leaderboard"),
            *("max_drop: no gate", "mode", "confidence", "target", "prior", "runs", "too_few", "title", "output.page"),
        ),
        "With --baseline or --between it is about what changed: differences per task and overall, and the questions.",
        writes_tables=False,
    ),
    "convert": Command(
        "files",
        "Write the outcomes of any logs as one plain table.",
        "logs/ -o outcomes.csv",
        ("format", "keep", "query", "grade", "form.table", "output.table"),
        "The table has one row per planned trial; the outcome of a missing trial is empty. The order and the names of "
        "trials are not kept: the column draw numbers them. Saved counts (.npz) lose nothing: rewards, prior outcomes, "
        "conditions and costs are kept, and later runs read them instead of the logs.",
        writes_tables=False,
    ),
}
OTHERS: dict[str, Command] = {
    "questions": Command(
        "pairs",
        "List the questions and what is odd about them, or those that changed since a baseline.",
        "logs/ --sort discrimination --ascending --top 10",
        ("sort", "ascending", "top", "confidence", "fdr", "baseline", "between", "runs"),
        "The table has the rates, the difficulty, the discrimination and the flags of each question. With --baseline "
        "or --between, it has the questions that improved or got worse, and JSON and CSV have every question.",
    ),
    "curve": Command(
        "models",
        "Score models for every number of trials k, as in Pass@k, and forecast those for more trials than there are.",
        "logs/ -m pass -k 1,2,4,100,1000",
        ("metrics.family", "budgets", *_INTERVAL, "picture"),
        "Most of a forecast of pass or passhat may come from questions that were never solved: below the table are the "
        "values if none or all of these can be solved. Two models are compared at every k. Beyond the trials, other "
        "metrics have the interval that scorio score --too-few nan has.",
    ),
    "costs": Command(
        "models",
        "Set scores beside costs: for the same money, and which models are worth their price.",
        "logs/ -m pass@1 --cost seconds",
        ("metrics", "cost", "limit", "per", "task_weights", "confidence", "target", "runs", "picture"),
        "The logs tell what their runs used: tokens, seconds or dollars. In tables with one row per trial, columns "
        "such as cost, usd, tokens or seconds are found by their names; --field cost=COLUMN names others.",
    ),
    "history": Command(
        "models",
        "Show scores of finished runs over dates, and what changed; for a run that still grows, use watch.",
        "logs/ -m pass@1 --picture history.svg",
        ("metrics.one", "confidence", "target", "runs", "picture"),
        "Runs are dated by their logs. Tables, such as saved counts, are dated by their names, as in "
        "counts-2026-01-31.csv. Settings that differ from the run before are listed as drift, except those named with "
        "--pool. With --runs random, the runs of one day are one date.",
    ),
    "watch": Command(
        "plans",
        "Look at the results of a run that still grows, and say when to stop; for finished runs, use history.",
        "logs/ -m pass@4 --trials 64 --half-width 0.25",
        (*("metrics", "trials", "around", "half_width", "confidence", "target", "runs"),),
        "Every call is a look, at all logs as they are now. The leaderboard that is printed stays valid however many "
        "looks there are, if all of them have the same options and models. A metric is settled if one of several "
        "models is best, or if all intervals are as narrow as --half-width says.\n\nExit codes: 0 settled, 1 go on, 2 "
        "the call or the data is wrong, 3 the trials are used up and nothing is settled.",
    ),
    "factors": Command(
        "models",
        "Analyse models under crossed prompts, judges or other factors.",
        "runs.csv --factor prompt",
        ("metrics", "random", "confidence", "target"),
        "The tables are margins, differences of models, tests, cells with interactions, and variance components. "
        "Factors are columns of tables, and conditions of logs; without --factor, all conditions in which runs of one "
        "model differ. With logs of several tasks, name one with --task.",
    ),
    "horizon": Command(
        "models",
        "Find the values, such as minutes of human work, at which success crosses 50% and 80%.",
        "runs.jsonl --over human_minutes --target population",
        ("metrics.one", "over.minutes", "rates", "fit", "dates", "confidence", "target", "picture"),
        "Nothing is said beyond the values of the questions. With several models there is a table of ratios, paired by "
        "question, and with --date a trend. Clusters of questions, such as families of tasks, count with --target "
        "population.",
    ),
    "gap": Command(
        "models",
        "Say whether a model does better on questions that it may have seen, beyond what other models do.",
        "logs/ --sets sets.csv",
        ("metrics.one", "sets_file", "cut", "over", "models", "others", "confidence", "target"),
        "The two sets of questions are those of --sets, those before and after a cut-off, or the two tasks of the "
        "logs. A gap is a model's difference between the sets, less the mean difference of the other models.",
    ),
    "subset": Command(
        "plans",
        "Choose which questions of a benchmark to ask, or estimate scores on all from them.",
        "logs/ --choose 20 --write-sample sample.csv",
        ("choose", "write_sample", "estimate", "metrics", "rank", "confidence", "target", "rng"),
        "First draw questions from logs of other models with --choose N, and ask a new model these questions. Then "
        "pass its logs with --estimate FILE.",
    ),
}
GROUPS = {"Common commands": COMMON, "Other commands": OTHERS}
COMMANDS: dict[str, Command] = COMMON | OTHERS
