"""What may be meant otherwise than it is read: one id with two texts, scores on two scales, codes of errors.

Two sides of a comparison that were read apart are held to what one reading is: the same questions, scored alike.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, permutations
from pathlib import Path

import numpy as np

from .._base.arrays import TIE, Vector
from .._base.words import shorten, warn
from ..errors import FilesWarning, OutcomeError, PoolingWarning, QuestionsWarning
from ..outcomes import OutcomeMatrix, OutcomeSet, RewardMatrix, Suite
from ..outcomes._column_names import plain
from ..outcomes._model_rows import warn_of_codes
from ..outcomes._trial_order import log_orders
from ._assemble import check_one_measure, check_same_questions
from ._files import LogFile
from ._records import TASK, Source
from ._tabular import is_table, table_of
from ._walk import grouped

_TEXTS = (
    "question question_text problem problem_text problem_statement input inputs prompt instruction query "
    "target gold expected expected_answer reference reference_answer ground_truth answer_key correct_answer"
)  # usual names of columns that have one value per question
_ANSWERS = "pred prediction predicted answer response output model_answer completion guess"  # of models
_MOST_BYTES = 1 << 23  # of all tables whose texts are compared
_MOST_FILES, _MOST_IN_ALL = 50, 1 << 25  # of all tables whose rows are compared
_MOST_OTHER = 0.5  # of the questions that two tables share; where more differ, the prompts are written in another way
_LEAST_PERCENT, _MOST_PERCENT = 10.0, 100.0  # the best score of a model whose scores are percentages
_TABLES = ("table", "database", "excel")  # formats
_VERSIONS = ("task_version", "dataset")  # conditions that say which questions were asked
_CHANCE = 0.001  # of equal outcomes, for a copy
Outcomes = OutcomeMatrix | Suite  # of one model


def warn_of_doubts(sources: Sequence[Source]) -> None:
    """Warn of what is read as it is written, and may be meant otherwise."""
    _warn_of_repeated_rows(sources)
    _warn_of_equal_runs(sources)
    _warn_of_texts(sources)
    by_task: dict[str | None, dict[str, Counter[float]]] = defaultdict(lambda: defaultdict(Counter))
    for source in sources:
        if source.run.counted is None:
            trials = source.run.columns
            values = by_task[source.run.task][source.run.model]
            for outcome, times in Counter(zip(trials.outcomes, trials.times, strict=True)).items():
                if outcome[0] is not None:
                    values[outcome[0]] += outcome[1] * times
    for models in by_task.values():
        _warn_of_scales(models)
        warn_of_codes(sum(models.values(), Counter()))


def _warn_of_scales(models: dict[str, Counter[float]]) -> None:
    """Warn if the scores of some models are from 0 to 1, and those of others look like percentages."""
    best = {name: max(values) for name, values in models.items() if values and min(values) >= 0.0}
    shares = [name for name, value in best.items() if 0.0 < value <= 1.0]
    percents = [name for name, value in best.items() if _LEAST_PERCENT < value <= _MOST_PERCENT]
    if shares and percents:
        both = f"the scores of {shorten(shares)} are at most 1, and those of {shorten(percents)} reach"
        warn(f"{both} {best[percents[0]]:g}: if these are percentages, write them as 50% or 0.5", FilesWarning)


def _warn_of_texts(sources: Sequence[Source]) -> None:
    """Warn if a question has one text in one table, or for one model, and another text elsewhere."""
    tables = {source.path: source.run.notes for source in sources if source.format == "table" and source.path.is_file()}
    files = {path: LogFile(path) for path in tables}
    if sum(file.size for file in files.values()) > _MOST_BYTES:
        return
    first: dict[str, dict[str, tuple[str, Path]]] = defaultdict(dict)
    for path, notes in tables.items():
        for column, by_question in _texts_of(files[path], notes):
            of_column = first[column]
            shared = [name for name in by_question if name in of_column]
            other = [name for name in shared if of_column[name][0] != by_question[name]]
            if other and len(other) <= _MOST_OTHER * len(shared):
                first_path = of_column[other[0]][1]
                where = str(path) if path == first_path else f"{first_path} and {path}"
                many = f"question {other[0]!r} has" if len(other) == 1 else f"questions {shorten(other)} have"
                advice = f"if the ids mean different questions, fields={{'question': {column!r}}} tells them apart"
                problem = f"{where}: {many} different values of {column!r} and count as the same"
                warn(f"{problem}; {advice} by {column!r}", FilesWarning)
                return
            first[column] = {name: (text, path) for name, text in by_question.items()} | of_column


def _texts_of(file: LogFile, notes: Mapping[str, str]) -> Iterable[tuple[str, dict[str, str]]]:
    """Yield the columns of texts of each model, and the text of each question, where a question has one."""
    roles = [notes[role][1:-1] for role in ("question", "model") if role in notes]
    used = {value[1:-1] for value in notes.values()}
    table = table_of(file)
    for column in table.columns:
        if column in used or plain(column) not in _TEXTS.split():
            continue
        texts: dict[tuple[str | None, ...], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        try:
            for question, *model, text in zip(*table.distinct([*roles, column]).columns, strict=True):
                texts[tuple(model)][question or ""].add(text or "")
        except OutcomeError:  # its values are lists or objects
            continue
        for of_model in texts.values():
            yield column, {name: next(iter(several)) for name, several in of_model.items() if len(several) == 1}


def columns_of_keys(models: OutcomeSet, sources: Iterable[Source]) -> list[tuple[str, str]]:
    """Return columns of outcomes in which no model and no trial has another value, each with the column of answers."""
    several = len(models) > 1 or models.first.max_trials > 1
    means, squares = np.array([matrix.question_rewards()[1:] for matrix in models.values()]).swapaxes(0, 1)
    is_shared = (means == means[0]).all() and np.ptp(means[0]) > 0.0
    if not (several and is_shared and (squares < TIE).all()):
        return []
    return list(dict.fromkeys(columns for columns in map(_outcome_and_answers, sources) if columns))


def _outcome_and_answers(source: Source) -> tuple[str, str] | None:
    """Return the column of outcomes of a table, and that of the models' answers, if it has one."""
    outcome = source.run.notes.get("outcome")
    if source.format != "table" or outcome is None:
        return None
    columns = table_of(LogFile(source.path)).columns
    answer = next((name for name in columns if plain(name) in _ANSWERS.split() and repr(name) != outcome), None)
    return None if answer is None else (outcome[1:-1], answer)


def warn_of_keys(outcomes: OutcomeSet | Suite, sources: Sequence[Source]) -> None:
    """Warn of a column that must hold the right answers: answers of a question have its values, and differ."""
    for models in outcomes.by_task.values():
        for outcome, answers in columns_of_keys(models, sources):
            tables = {source.path: source for source in sources if _outcome_and_answers(source) == (outcome, answers)}
            if any(_holds_the_key(source, outcome, answers) for source in tables.values()):
                what = f"the column {outcome!r} has one value per question, and the answers in {answers!r} differ"
                advice = f"write a column that says whether {answers!r} is right, and read that"
                warn(f"{what}: {outcome!r} seems to hold the right answers; {advice}", FilesWarning)


def _holds_the_key(source: Source, outcome: str, answers: str) -> bool:
    """Return whether answers of a question differ, and are values of the outcome: then one of them is not right."""
    table, question = table_of(LogFile(source.path)), source.run.notes.get("question", "")[1:-1]
    if question not in table.columns:
        return False
    names, given = table.distinct([question, answers]).columns
    return {*given} <= {*table.distinct([outcome]).columns[0]} and len(given) > len({*names})


def _warn_of_repeated_rows(sources: Iterable[Source]) -> None:
    """Warn of tables without numbered trials all of whose rows are rows of another file, in the same order."""
    of: dict[tuple[str, str | None], dict[Path, None]] = defaultdict(dict)
    for source in sources:
        if source.format == "table" and "trial" not in source.run.notes:
            of[source.run.model, source.run.task] |= dict.fromkeys(source.paths)
    pairs = {pair for paths in of.values() if 1 < len(paths) <= _MOST_FILES for pair in _repeated(list(paths))}
    for path, other in sorted(pairs):
        message = f"all rows of {path} are rows of {other}, in the same order, and count twice: read one of them"
        warn(f"{message}, or number the trials", PoolingWarning)


def _warn_of_equal_runs(sources: Sequence[Source]) -> None:
    """Warn if two tables have the same outcomes of a model on every question, which are added up."""
    tables = [source for source in sources if source.format in _TABLES]
    of_model = grouped(tables, lambda source: (source.run.model, source.run.task)).values() if len(tables) > 1 else ()
    for one, other in (pair for runs in of_model for pair in combinations(runs[:_MOST_FILES], 2)):
        counts = _counts_of(one)
        if one.path != other.path and counts == _counts_of(other):
            table = [np.array([*of_question.values()], np.float64) for of_question in counts.values()]
            if _chance_of_equal(table) <= _CHANCE:
                message = f"{one.path} and {other.path} have the same outcomes of {one.run.model!r} on every question"
                warn(f"{message}, and both count: read one of them, if it is one run", PoolingWarning)


def _counts_of(source: Source) -> dict[str, Counter[float | None]]:
    """Return how often each outcome of each question is there."""
    counts, trials = defaultdict[str, Counter[float | None]](Counter), source.run.columns
    for question, outcome, times in zip(trials.questions, trials.outcomes, trials.times, strict=True):
        counts[question][outcome] += times
    return counts


def _repeated(paths: Sequence[Path]) -> Iterator[tuple[Path, Path]]:
    texts = [LogFile(path) for path in paths if path.is_file()]
    if sum(file.size for file in texts) > _MOST_IN_ALL:
        return
    lines = {file.path: _lines(file) for file in texts if not file.head.startswith((b"PAR1", b"PK"))}
    for (path, part), (other, whole) in permutations(lines.items(), 2):
        if part[0] == whole[0] and 1 < len(part) < len(whole) and _is_part(part[1:], whole[1:]):
            yield path, other


def _lines(file: LogFile) -> list[bytes]:
    """Return the header, which is empty for JSON lines, and the lines of a table."""
    lines = [line.rstrip(b"\r") for line in file.content().split(b"\n") if line.strip()]
    return [b"", *lines] if file.is_json or not is_table(file) else lines


def _is_part(part: Sequence[bytes], whole: Sequence[bytes]) -> bool:
    """Return whether lines stand in others as one block, or in order if no two of the others are equal."""
    if len(set(whole)) == len(whole):
        rest = iter(whole)
        return all(line in rest for line in part)
    return b"\n" + b"\n".join(part) + b"\n" in b"\n" + b"\n".join(whole) + b"\n"


def check_together(new: Sequence[Source], old: Sequence[Source]) -> None:
    """Check that two sides have the same questions and score under one name; warn where it cannot be told."""
    tasks = [{_task(source) for source in side} for side in (new, old)]
    names = {_task(source) for source in (*new, *old) if "task" not in source.run.notes} - {None}  # not by a folder
    if len(tasks[0]) == len(tasks[1]) == 1:
        if len(names) > 1:
            problem = f"the tasks differ: {new[0].path} holds {_task(new[0])!r}, {old[0].path} {_task(old[0])!r}"
            raise OutcomeError(problem, hint="tables without a column of tasks can be compared (scorio convert)")
        new, old = ([source.changed(task=None) for source in side] for side in (new, old))
    sources = [*new, *old]
    check_one_measure(sources)
    check_same_questions(sources)
    if any(source.run.fingerprints for source in sources):
        silent = next((source for source in sources if source.run.counted and not source.run.fingerprints), None)
        if silent is not None:
            problem = f"{silent.path} holds counts that do not tell the inputs of their questions"
            warn(f"{problem}: whether these are those of the other side cannot be told", QuestionsWarning)


def warn_of_doubtful_sides(
    new: Sequence[Source], old: Sequence[Source], one: Outcomes, other: Outcomes, *, are_apart: bool
) -> None:
    """Warn if two sides are of other versions of a task, or one run.

    They are one run if they have the same outcomes on every question, or are equal files that were read apart.
    """
    _warn_of_versions(new, old)
    is_same = _same_outcomes(one, other)
    if is_same or (are_apart and _same_files(new, old)):
        what = "both have the same outcomes on every question" if is_same else "the files are equal"
        paths = f"{new[0].path} and {old[0].path}"
        warn(f"a run is compared with itself or with a copy: {paths}, {what}", QuestionsWarning)


def _warn_of_versions(new: Sequence[Source], old: Sequence[Source]) -> None:
    """Warn if two sides say that other versions of a task, or other data sets, were run.

    Logs that tell other settings, but not this one, were run without it.
    """
    for name in _VERSIONS:
        for task in {_task(source) for source in new} & {_task(source) for source in old}:
            sides = [[source for source in side if _task(source) == task] for side in (new, old)]
            are_alike = len({source.format for side in sides for source in side}) == 1
            paths = [
                {source.run.conditions.get(name): source.path for source in side if are_alike or source.run.conditions}
                for side in sides
            ]
            if all(paths) and paths[0].keys() != paths[1].keys():
                told = [", ".join(f"{value or 'none'} in {path}" for value, path in side.items()) for side in paths]
                advice = "a difference may be one between the questions or their scoring"
                warn(f"{name} differs: {told[0]}, and {told[1]}: {advice}", QuestionsWarning)


def _same_files(new: Sequence[Source], old: Sequence[Source]) -> bool:
    """Return whether the files of two readings are equal, where these are of one model or name none."""
    names = {source.run.model for side in (new, old) for source in side if source.run.model_from != "file name"}
    sides = [{path for source in side for path in source.paths} for side in (new, old)]
    if len(names) > 1 or not all(path.is_file() for side in sides for path in side):
        return False
    one, other = (Counter(LogFile(path).digest for path in side) for side in sides)
    return one == other


def _same_outcomes(one: Outcomes, other: Outcomes) -> bool:
    """Return whether two runs have the same outcomes on every question, which sound runs have rarely: p < .001."""
    rows = _rows(one)
    return rows == _rows(other) and _chance_of_equal([np.array(row) for row in rows.values()]) <= _CHANCE


def _chance_of_equal(counts: Iterable[Vector]) -> float:
    """Return the probability that two runs have these counts of outcomes of each question, if one has them.

    Of equal success rates, the split of all successes of a question among its trials in both runs is by chance.
    """
    return math.exp(sum(2.0 * log_orders(row) - log_orders(2.0 * row) for row in counts))


def _rows(outcomes: Outcomes, task: str = "") -> dict[tuple[str, str], tuple[float, ...]]:
    """Return the counts of each question, or the number and the mean of its rewards, by task and name."""
    if isinstance(outcomes, Suite):
        parts = [_rows(outcome[model], name) for name, outcome in outcomes.items() for model in outcome]
        return {key: row for part in parts for key, row in part.items()}
    is_of_rewards = isinstance(outcomes, RewardMatrix)
    values = np.column_stack([outcomes.trials, outcomes.means]) if is_of_rewards else outcomes.counts
    labels = outcomes.questions or range(outcomes.n_questions)
    return {(task, str(label)): tuple(row) for label, row in zip(labels, values.tolist(), strict=True)}


def _task(source: Source) -> str | None:
    return source.run.task or source.run.origin.get(TASK)
