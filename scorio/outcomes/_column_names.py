"""The usual names of columns in a table, and the names of rows that are one model under different conditions."""

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache

from ._outcome_values import is_number

_KNOWN = {
    "question": (
        "question_id problem_id item_id instance_id prompt_id sample_id example_id doc_id task_id qid q",
        "question problem item",
        "id",
        "input inputs prompt request user_input",
        "sample",
    ),
    "model": ("model model_name model_id system", "llm llm_name model_name_or_path", "arm"),
    "task": ("task task_name benchmark dataset",),
    "trial": (
        "trial trial_id epoch attempt repeat rollout draw sample_index sample_idx completion_id",
        "run run_id",
        "seed",
        "job job_id",
        "sample",
    ),
    "cluster": ("cluster cluster_id",),
    "run": (),  # a column of runs is named by the user only, and so is one that says which trials failed to run
    "failed": (),
    "outcome": (
        "outcome correct is_correct passed pass success solved resolved accuracy acc grade score reward result",
    ),
    "answer": (
        (
            "extracted_answer answer_extracted response_extracted extracted_prediction extracted_response parsed_answer"
            " answer_parsed parsed_prediction model_answer predicted_answer answer_pred final_answer"
        ),
        "prediction predicted pred",
        "answer",
    ),
    "trials": (
        "n trials n_trials num_trials total_trials n_samples num_samples n_total num_total n_attempts num_attempts",
    ),
    "successes": ("c correct successes n_correct num_correct n_passed num_passed passed",),
}  # per role the usual names; names of an earlier text have precedence
_RANKED = {role: [frozenset(text.split()) for text in texts] for role, texts in _KNOWN.items()}
_USUAL = {role: frozenset().union(*ranks) for role, ranks in _RANKED.items()}
_LONGEST_NAME = 20  # characters of a usual name, with those between its words
KEYS = ("question", "model", "task", "cluster")
ROLES = tuple(_KNOWN)
SEVERAL = ("models", "cost")  # roles that several columns may have
_SERIES = frozenset(
    " ".join([*_KNOWN["trial"], *_KNOWN["outcome"], "rep replicate sample generation try"]).split()
)  # followed by a number: columns with one trial each
_FACTORS = (
    "prompt prompt_id prompt_name prompt_template template template_id variant paraphrase judge judge_model grader "
    "rater annotator temperature system_prompt language lang locale persona shots n_shots num_shots num_fewshot "
    "few_shot scaffold condition config strategy metric metric_name score_name turn turn_id turn_index "
    "subject subtask subset category topic domain split"
)  # of columns that tell conditions apart
_RUNS = {"run", "run_id", "seed", "job", "job_id"}  # of columns of runs: trials that share conditions
TRACES = {"trace_name", "trace_id", "trace"}  # of columns that say what a row's score is about, if "id" is the row's
ROW_NUMBERS = {"index", "idx", "row", "row_id", "row_number", "level_0"}  # of columns that number rows, or items
_NO_TRIALS = {"turn", "turn_id", "turn_index", "metric", "metric_name", "score_name"}
_COSTS = {
    "dollars": "dollars usd cost_usd usd_cost cost_in_usd cost_dollars dollar_cost",
    "cost": "cost total_cost price",
    "tokens": "tokens n_tokens num_tokens total_tokens",
    "input_tokens": "input_tokens prompt_tokens",
    "output_tokens": "output_tokens completion_tokens",
    "seconds": "seconds secs latency_s latency_seconds latency_sec duration_s duration_seconds time_s elapsed_s",
    "latency": "latency",
    "duration": "duration",
}  # per cost the usual names of its column
_TRIALS_OF_ROWS = (
    "n times count counts trials n_trials num_trials total_trials n_samples num_samples samples total n_total "
    "num_total attempts n_attempts num_attempts runs n_runs num_runs repeats repetitions frequency"
)  # of columns that count the trials that a row stands for
_FAILURES_OF_ROWS = (
    "failed failures fail fails incorrect wrong n_failed num_failed n_failures n_incorrect "
    "num_incorrect n_wrong num_wrong"
)  # of columns that count those that failed
NO_COUNTS = (
    "pass numbers of successes and of trials to OutcomeMatrix.from_counts, or as columns c and n to read; if each row "
    "is one trial, leave out the column"
)
_BLANK = " \t\r\n\ufeff"
_FEW_NAMES = 2  # in a row that may hold names of columns by chance
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")  # between the words of isCorrect
_PUNCTUATION = re.compile(r"^\W+|\W+$")  # around a name
_NUMBERED = re.compile(r"(?P<stem>.*?)[ _\-.#]*(?P<number>\d+)")


@lru_cache(1 << 10)
def plain(name: str) -> str:
    """Return a name in lower case, with underscores between its words, without punctuation around them.

    >>> plain("isCorrect"), plain(" Problem-ID"), plain("Correct?")
    ('is_correct', 'problem_id', 'correct')
    """
    return re.sub(r"\W+", "_", _CAMEL.sub("_", _PUNCTUATION.sub("", name)).lower())


def candidates(role: str, columns: Iterable[str]) -> list[str]:
    """Return the columns that have the most specific of the usual names of a role.

    >>> candidates("question", ["id", "question", "correct"])
    ['question']
    """
    by_name = {column: plain(column) for column in columns}
    matches = ([column for column, name in by_name.items() if name in names] for names in _RANKED[role])
    return next(filter(None, matches), [])


def likely_outcomes(columns: Iterable[str]) -> list[str]:
    """Return the columns with one of the usual names of outcomes as the last of its words."""
    counts = _USUAL["successes"] - _USUAL["outcome"]
    return [
        name for name in columns if plain(name).rpartition("_")[2] in _USUAL["outcome"] and plain(name) not in counts
    ]


def misspelt(role: str, columns: Iterable[str]) -> list[str]:
    """Return the columns whose names are nearly a usual name of a role, and no usual name of any.

    >>> misspelt("model", ["modell", "Model-Nmae", "model", "mood", "attempt"])
    ['modell', 'Model-Nmae']
    """
    usual = set().union(*_USUAL.values(), _FACTORS.split())
    unknown = [column for column in columns if plain(column) not in usual]
    return [column for column in unknown if get_close_matches(plain(column), _USUAL[role], 1, 0.8)]


def is_header(values: Sequence[object], columns: Mapping[str, str]) -> bool:
    """Return whether a row holds names of columns: those of ``columns``, by role, or other usual names of these roles.

    A row of other usual names needs three of them, or one that is the column's own: a question may be called "id".

    >>> columns = {"question": "question", "outcome": "passed"}
    >>> [is_header(row, columns) for row in (["Question ", "passed"], ["question", "correct"], ["id", "passed"])]
    [True, True, False]
    """
    names = [name.strip(_BLANK).casefold() for name in columns.values()]
    cells: list[str] = []
    usual = True
    for role, value in zip(columns, values, strict=True):
        cells.append(value.strip(_BLANK).casefold() if isinstance(value, str) else "")
        usual = usual and (cells[-1] == names[len(cells) - 1] or _is_usual(role, cells[-1]))
        if not usual and cells[-1] not in names:
            return False
    same = [cell == name for role, cell, name in zip(columns, cells, names, strict=True) if role != "outcome"]
    return sorted(cells) == sorted(names) or (usual and (any(same) or len(cells) > _FEW_NAMES))


def _is_usual(role: str, text: str) -> bool:
    names = _USUAL.get(role, ())
    return text in names or (not text[-1:].isdigit() and len(text) <= _LONGEST_NAME and plain(text) in names)


def usual_factors(columns: Iterable[str]) -> list[str]:
    """Return the columns that have one of the usual names of factors."""
    return [column for column in columns if plain(column) in _FACTORS.split()]


def names_runs(column: str | None) -> bool:
    """Return whether the labels in this column of a table are those of runs: trials that share conditions."""
    return plain(column or "") in _RUNS


def in_frames(role: str, column: str) -> str:
    """Return the call that reads a data frame with a column of a role."""
    return f"{'Suite' if role == 'task' else 'OutcomeSet'}.from_frame(frame, {role}={column!r}, ..)"


def counted_by(column: str) -> str | None:
    """Return what a column with this name usually counts in a table with one row per question; None if nothing.

    >>> counted_by("total"), counted_by("nFailed"), counted_by("score")
    ('trials', 'failures', None)
    """
    name = plain(column)
    return "trials" if name in _TRIALS_OF_ROWS.split() else "failures" if name in _FAILURES_OF_ROWS.split() else None


def columns_apart(columns: Iterable[str]) -> list[str]:
    """Return the columns that number the turns of a conversation, or name metrics, which are no repeated trials."""
    return [column for column in columns if plain(column) in _NO_TRIALS]


def usual_costs(columns: Iterable[str]) -> dict[str, str]:
    """Return the columns that have a usual name of a cost, by the name of the cost; of several, the first.

    >>> usual_costs(["id", "correct", "Cost (USD)", "latency_s"])
    {'dollars': 'Cost (USD)', 'seconds': 'latency_s'}
    """
    costs: dict[str, str] = {}
    for column in columns:
        name = cost_name(column)
        if name is not None:
            costs.setdefault(name, column)
    return costs


def cost_name(column: str) -> str | None:
    """Return the name of the cost that a column with this name holds; None if it is no usual one."""
    name = plain(column).strip("_")
    return next((cost for cost, names in _COSTS.items() if name in names.split()), None)


def numbered(columns: Sequence[str]) -> dict[str, list[str]]:
    """Return the numbered columns that are named as trials or outcomes are, by the text before the number.

    >>> list(numbered(["trial 1", "trial 2", "x1", "pass@1", "pass@5", "note_1"]))  # pass@5 is a metric
    ['trial', 'x']
    """
    return {stem: names for stem, names in stems(columns).items() if len(stem) <= 1 or is_series(stem)}


def counts_up(names: Sequence[str]) -> bool:
    """Return whether several names are one text with the numbers from 0 or 1 on.

    >>> counts_up(["a1", "a2"]), counts_up(["o1", "o3"]), counts_up(["a", "b"])
    (True, False, False)
    """
    matches = [_NUMBERED.fullmatch(name) for name in names]
    numbers = sorted(int(match["number"]) for match in matches if match)
    is_one = len({match["stem"] for match in matches if match}) == 1 and len(numbers) == len(names) > 1
    return is_one and numbers[0] < 2 and numbers == [*range(numbers[0], numbers[0] + len(names))]


def is_series(stem: str) -> bool:
    """Return whether numbered columns with this text before the number are named as trials or outcomes are."""
    return plain(stem) in _SERIES and not stem.endswith(("@", "^"))


def stems(columns: Sequence[str]) -> dict[str, list[str]]:
    """Return the numbered columns by the text before the number."""
    series: dict[str, list[str]] = {}
    for column in columns:
        if match := _NUMBERED.fullmatch(column):
            series.setdefault(match["stem"], []).append(column)
    return series


_NO_FAILURE = ("", "none", "null", "nan", "false", "0", "0.0", "no", "n/a", "-", "[]", "{}", "ok", "success")
_OF_TOOLS = re.compile(
    r"^(error(ed)?|api.*|exception)$|time[sd]?.?out|rate.?limit|overload|unavailable|connect|network|server|quota|cancel"
    r"|abort|crash|killed|memory|\boom\b|sandbox|docker|container|infra|internal|\b(429|5\d\d)\b"
)
_OF_ANSWERS = re.compile(
    r"assert|wrong|incorrect|mismatch|expected|syntax|compil|pars|(name|type|value|key|index)error"
)
_ERRORS = {"error", "errors", "exception", "error_message", "error_msg"}  # columns of texts, and not of kinds of errors


def says_failure(column: str, value: object) -> bool:
    """Return whether a value of a column of errors, or of a status, says that a trial failed to run.

    >>> [says_failure("error", value) for value in ("timeout", "None", None)], says_failure("status", "completed")
    ([True, False, False], False)
    """
    text = "" if value is None else str(value).strip().casefold()
    if plain(column).rpartition("_")[2] in ("status", "state"):
        return bool(_OF_TOOLS.search(text))
    return text not in _NO_FAILURE


def may_tell_failures(column: str) -> bool:
    """Return whether a column may say, by its name, which trials failed to run."""
    return not {"error", "errors", "exception", "status", "state"}.isdisjoint(plain(column).split("_"))


def kinds_of_failures(column: str, texts: Iterable[object], *, are_all: bool) -> tuple[bool, bool]:
    """Return whether texts of a column are of failures to run, and whether some are of wrong answers.

    Texts that only some wrong answers have (not ``are_all``) tell a failure also where they do not name its cause.
    Where all have a text, one that names no failure of a tool is taken for a wrong answer.
    """
    names = [str(text).strip().casefold() for text in texts]
    of_answers = [name for name in names if _OF_ANSWERS.search(name)]
    rest = [name for name in names if name not in of_answers and (name in ("1", "1.0") or not is_number(name))]
    of_tools = [name for name in rest if _OF_TOOLS.search(name)]
    is_open = not are_all and (plain(column) in _ERRORS or plain(column).rpartition("_")[2] in ("status", "state"))
    return bool(rest if is_open else of_tools), bool(of_answers) or (are_all and of_tools != rest)


MODEL = "model"  # the condition that holds the model's own name


def row_name(model: str, settings: Mapping[str, object]) -> str:
    """Return the name of a model under settings."""
    return f"{model} [{', '.join(f'{name}={value}' for name, value in settings.items())}]"
