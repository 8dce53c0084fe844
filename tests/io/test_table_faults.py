"""Tables that are refused: each fault is named in one line, with the file, the line and what to do."""

import sqlite3
from contextlib import closing

import pytest

from helpers.written import LONG, counts, refused, table, write_json, write_lines
from scorio import OutcomeError, OutcomeMatrix, OutcomeSet, ParameterError, read

FORM_TWICE = "line 3: question 'q1' is there twice, in a table with one row per question"
TRIAL_TWICE = "line 3: trial '1' of question 'q1' is there twice"
WHOLE = "a whole number from 0 to 2..53 was expected"
NO_OUTCOMES = "no column of outcomes was found"
SCALE = "which is not from 0 to 1"
JSON = '{"question": "q1", "correct": 1}\n'
MEANS = "is no question: it holds the means or sums"
SHEET = "model,question,run_1,run_2\na,q1,1,0\na,q2,0,0\na,q3,1,1\n"
REWARDS = "question,reward\nq1,1\nq2,0\nq3,1\nq4,1\nq5,0\nq6,1\nq7,0\nq8,1\n"  # of which 0.625, 5 or 62.5 says the mean
MODELS = {"fields": {"models": "*"}}
HEADER = "repeats the header: several tables follow one another"


def joined(header):
    """A table below another one, of whose columns these are the names."""
    mark = next(mark for mark in ",\t;" if mark in header)
    return f"question,passed\nq1,true\nq2,false\n{header}q1,true\nq2,true\n".replace(",", mark)


REFUSED = [  # a table, what is said of it, and arguments of read
    ("", "the file is empty"),
    ("  \n\n", "the file is empty"),
    ("question,correct\n", "the table has no rows"),
    ("question,correct\nq1,1\nq2\n", "line 3 has 1 fields where the header has 2"),
    ("question,correct\nq1,1\nq2,1,1\n", "line 3 has 3 fields where the header has 2"),
    ('question,correct\nq1,"1\n', "line 2 is not valid CSV"),
    ("just words\n", "it is of no known format"),
    ("# my results, 2026\nmodel,question,correct\na,q1,1\n", "if the first line is a title, remove it"),
    # outcomes
    ("question,correct\nq1,C\nq2,0.5\n", "line 3: outcomes are words and numbers at once, 'C' and '0.5'"),
    ("question,correct\nq1,1\nq2,maybe\n", "line 3: 'maybe' is not an outcome"),
    ("question,correct\nq1,1\nq2,inf\n", "line 3: an outcome is infinite"),
    ("question,correct\nq1,\n", "m.csv: no trial of 'm' has an outcome"),
    ("question,correct\nq1,3\n", f"line 2: 'correct' is 3, {SCALE}: score="),
    ("question,accuracy\nq1,-1\n", f"line 2: 'accuracy' is -1, {SCALE}"),
    ("model,question,accuracy\na,q1,50\na,q2,100\n", f"'accuracy' is 50, {SCALE}"),
    ("question,passed_1,passed_2\nq1,1,2\n", f"line 2: 'passed_1' is 2, {SCALE}"),
    ("model,question,prediction,correct\na,q1,A,A\na,q2,B,A\n", "line 2: 'A' is not an outcome"),
    ("question,try1,try2\nq1,C,E\nq2,C,C\n", "line 2: 'E' is not an outcome"),
    ('question,score\nq1,"0,5"\n', "line 2: '0,5' is not an outcome: it has a comma: write decimals with a point"),
    ("question,score\nq1,25%\nq2,0.5\n", "line 3: outcomes are percentages and others at once, '25%' and '0.5'"),
    ("question,score\nq1,25%\nq2,pass\n", "line 3: outcomes are percentages and others at once"),
    ("question,score\nq1,25%%\nq2,1\n", "line 2: '25%%' is not an outcome"),
    ("question,score\nq1,good\n", r"line 2: 'good' is not an outcome: levels=\{.good.: .\.\.\..\} gives .*, and None"),
    # questions, trials, clusters and models
    ("question,correct\nq1,1\n,1\n", "line 3: the question is empty"),
    ("question,trial,correct\nq1,1,1\nq1,1,0\n", TRIAL_TWICE),
    ("question,trial,correct\nq1,1,1\nq1,1,1\n", TRIAL_TWICE),
    ("question,trial,correct\nq1,1,1\nq1,,0\n", "line 3: the trial is empty"),
    ("run_id,question,correct\nx,q1,1\nx,q1,0\n", r"fields=\{\"trial\": None\} if 'run_id' does not number the trials"),
    ("question,t1,t2\nq1,1,1\nq1,0,0\n", FORM_TWICE),
    ("question,cluster,correct\nq1,x,1\nq1,y,1\n", "question 'q1' is in two clusters, 'x' and 'y'"),
    ("model,question,correct\na,q1,1\nb,q2,1\n", "m.csv: 'b' has no question in common with 'a'; it has 'q2'"),
    ("model,question,correct\na,q1,1\na,q2,0\n,TOTAL,1\n", "line 4: the model is empty"),
    (LONG, "task='x' cannot be chosen: the logs do not name their tasks", {"task": "x"}),
    ("0,1,1\n1,1,0\n", "two columns are called '1': there seems to be no line with the names"),
    ("q0,1\nq1,0\n", "there seems to be no line with the names of the columns"),
    ("question,a,b\nq0,1,0\n", "unknown column 'c'. Choose from: a, b", {"fields": {"models": ["a,c"]}}),
    # counts
    ("question,n,c\nq1,5,2\nq1,5,2\n", FORM_TWICE.replace("3", "2")),
    ("question,n,c\nq1,5,6\n", "line 2: there are 6 successes of 5 trials"),
    ("question,n,c\nq1,5,2.5\n", f"line 2: {WHOLE}; got '2.5'"),
    ("question,n,c\nq1,5,-1\n", f"line 2: {WHOLE}; got '-1'"),
    ("question,n,c\nq1,5,\n", f"line 2: {WHOLE}; got ''"),
    ("question,n,c\nq1,9007199254740993,1\n", f"{WHOLE}; got '9007199254740993'"),
    ("question,n,c\nq1,9007199254740991.5,1\n", f"{WHOLE}; got '9007199254740991.5'"),
    ("question,n,c\nq1,1e99999999999999999999,1\n", WHOLE),
    ("question,n,c\nq1,inf,1\n", f"{WHOLE}; got 'inf'"),
    ("question,n,c\nq1,nan,1\n", f"line 2: {WHOLE}; got 'nan'"),
    ("question,n,c\nq1,0,0\n", "m.csv: no trial of 'm' has an outcome"),
    ("question,passed,failed\nq1,1,4\nq2,0,5\n", "but column 'failed' counts failures"),
    ("question,correct,incorrect\nq1,1,4\nq2,0,5\n", "but column 'incorrect' counts failures"),
    ("question,acc,n_wrong\nq1,1,4\nq2,0,5\n", "but column 'n_wrong' counts failures"),
    ("question,score,n\nq1,.6,5\nq2,.2,5\n", "column 'n' counts trials: .*pass numbers of successes"),
    # columns that are not found, or found twice
    ("question,correct,correct\nq1,1,1\n", "two columns are called 'correct'"),
    ("question,passed,correct\nq1,1,1\n", "several columns may be the outcome, 'passed'"),
    ("answer,correct\nq1,1\n", r"no column of questions was found; .*: fields=\{\"question\": \"...\"\} names it"),
    ("question,trial,note1,note2\nq1,1,x,y\n", NO_OUTCOMES),
    ("question,a1,b1\nq1,1,0\n", r"are 'a1', 'b1': score=\"...\" names it, .*; fields=\{\"models\": \[\"...\"\]\}"),
    ("question,gpt4,gpt5\nq1,1,0\n", NO_OUTCOMES),
    ("question,pass@1,pass@5\nq1,1,1\n", NO_OUTCOMES),
    ("question,n,note\nq1,5,x\n", NO_OUTCOMES),
    ("model,question,run,,\n,,1,2,3\na,q1,1,0,1\n", NO_OUTCOMES),
    ("question,trial_1,trial_2,correct\nq1,1,0,1\n", "'correct' may be the outcome, or 'trial_1', 'trial_2' may be"),
    ("question,op_name,output.scores.match.correct,latency\nq1,a,1,0.5\n", 'score="output.scores.match.correct"'),
    ("question,Name,exact_match_score,started\nq1,a,1,0.5\n", 'score="exact_match_score" names it'),
    ("question,Name,exact_match_score,judge_score\nq1,a,1,0.5\n", "perhaps 'exact_match_score', 'judge_score'"),
    ("question,gen 1,gen 2\nq1,1,0\n", r'{"trial": "gen\*"} reads one column per trial; .*models'),
    ("question,correct,gpt4 a,gpt4 b\nq1,1,1,0\n", r"unknown column 'claude\*'", {"fields": {"trial": "claude*"}}),
    ("question,gpt,claude\nq1,1,0\n", r"unknown column 'llama\*'", {"fields": {"models": "llama*"}}),
    ("question,gpt,claude,topic\nq1,1,0,x\n", "line 2, column 'topic'", MODELS),
    ("question,model,gpt,claude\nq1,m,1,0\n", "'model' is a column of models already", MODELS),
    ("question,trial,gpt,claude\nq1,1,1,0\nq1,1,1,1\n", "has trial '1' of one run twice", MODELS),
    ("model,question,turn,score\na,q1,1,1\na,q1,2,0\n", "condition 'turns'. Did you mean 'turn'", {"pool": "turns"}),
    # questions as columns, and rows of means or sums
    ("run,q1,q2,q3\na,1,1,1\nb,0,0,0\n", "no column of questions .* if the questions are the columns, transpose"),
    ("model,q1,q2,q3\na,1,1,1\nb,0,0,0\n", "no column of questions .* if the questions are the columns, transpose"),
    ("model,epoch,Item 1,Item 2\na,1,1,1\nb,0,0,0\n", "no column of questions .* if the questions are the columns"),
    (SHEET + "a,Average,0.67,0.33\n", f"the row 'Average' {MEANS}"),
    (SHEET + "a, mean,0.6667,0.3333\n", f"the row 'mean' {MEANS}"),
    (SHEET + "a,TOTAL,2,1\n", f"the row 'TOTAL' {MEANS}"),
    ("model,question,correct\na,q1,1\na,q2,0\na,q3,1\na,Overall,0.667\n", f"the row 'Overall' {MEANS}"),
    ("model,question,correct\na,q1,1\na,q2,0\na,Durchschnitt,0.5\n", f"the row 'Durchschnitt' {MEANS}"),
    ("model,question,n,c\na,q1,4,3\na,q2,4,1\na,total,8,4\n", f"the row 'total' {MEANS}"),
    (REWARDS + "Accuracy,62.5\n", f"the row 'Accuracy' {MEANS}"),
    (REWARDS + "TOTAL:,5\n", f"the row 'TOTAL:' {MEANS}"),
    (REWARDS + "macro avg,0.625\n", f"the row 'macro avg' {MEANS}"),
    (REWARDS + "Grand Total,5\n", f"the row 'Grand Total' {MEANS}"),
    (REWARDS + "Average score,0.625\n", f"the row 'Average score' {MEANS}"),
    # several tables in one file
    (joined("question,passed\n"), f"line 4 {HEADER}"),
    (joined('"question","passed"\n'), f"line 4 {HEADER}"),
    (joined(" Question , PASSED \n"), f"line 4 {HEADER}"),
    (joined("\ufeffquestion,passed\r\n"), f"line 4 {HEADER}"),
    (joined("question,correct\n"), f"line 4 {HEADER}"),
    (joined("passed,question\n"), f"line 4 {HEADER}"),
    (joined("question\tpassed\n"), f"line 4 {HEADER}"),
    (joined("question;passed\n"), f"line 4 {HEADER}"),
    ("model,question,trial,success\na,q1,1,pass\nmodel,question,trial,success\nb,q1,1,pass\n", f"line 3 {HEADER}"),
    ("system,item,attempt,solved\na,q1,1,yes\nmodel,question,trial,success\nb,q1,1,pass\n", f"line 3 {HEADER}"),
    ("task,question,cluster,correct\nt,q1,c,1\ntask,question,cluster,correct\nt,q2,c,1\n", f"line 3 {HEADER}"),
    ("question,t1,t2\nq1,1,0\nquestion,t1,t2\nq2,0,1\n", f"line 3 {HEADER}"),
    ("question,n,c\nq1,5,3\nquestion,n,c\nq2,5,1\n", f"line 3 {HEADER}"),
    ("question,outcome\nq1,5\nquestion,outcome\nq2,1\n", f"line 3 {HEADER}"),
    ("question,passed,note\nq1,true,x\nquestion,passed,note\n", f"line 3 {HEADER}"),
    # JSON lines
    (JSON + '{"question": "q2", "corr', "line 2: the JSON ends in the middle"),
    (JSON + '{"question": "q2"}\n', "line 2: the row has no 'correct'"),
    (JSON + "[1, 2]\n", "line 2: an object was expected"),
    (JSON + "q2\n", "line 2: not JSON at line 1, column 1"),
    (JSON + '{"question": "q2", "correct": [1, 0]}\n', "line 2: 'correct' must be a plain"),
    (JSON.replace("1}", "true}") + '{"question": "q2", "correct": 0.5}\n', "words and numbers at once"),
    (JSON.replace("1}", "[1]}") + '{"question": "q2", "correct": ":"}\n', "must be a list, as in other rows; got ':'"),
    (JSON.replace("}", ', "cluster": 1}') + JSON.replace("}", ', "cluster": null}'), "the cluster is empty"),
]


@pytest.mark.parametrize("case", REFUSED)
def test_faults_are_named(case, tmp_path):
    text, message, *options = case
    path = table(tmp_path, text, "m.jsonl" if text.startswith("{") else "m.csv")
    error = refused(path, message, by=(OutcomeError, ParameterError), **dict(*options))
    assert options or str(path) in str(error)


@pytest.mark.parametrize("column", ["total", "attempts", "samples", "num_samples", "runs", "Count"])
def test_a_column_that_counts_trials_is_refused_with_two_remedies(tmp_path, column):
    path = table(tmp_path, f"question,correct,{column}\nq1,1,5\nq2,0,4\n")
    problem = f"'correct' is read as the outcome of one trial, but column '{column}' counts trials"
    first, second = refused(path, problem).remedies
    assert counts(read(path, fields=first.value)) == {"m": {"q1": [4, 1], "q2": [4, 0]}}
    assert counts(read(path, **{second.argument: second.value})) == {"m": {"q1": [0, 1], "q2": [1, 0]}}


@pytest.mark.parametrize("column", ["total", "failed"])
def test_records_and_frames_with_a_column_that_counts_say_the_same(column):
    records = [{"question": "q1", "correct": 1, column: 5}, {"question": "q2", "correct": 0, column: 4}]
    frame = pytest.importorskip("pandas").DataFrame(records)
    names = {"question": "question", "outcome": "correct", "model": "model"}
    for call in (
        lambda: OutcomeMatrix(records),
        lambda: OutcomeMatrix(frame),
        lambda: OutcomeSet.from_frame(frame.assign(model="m"), **names),
    ):
        with pytest.raises(OutcomeError, match=f"'correct' is read as the outcome of one trial, but column '{column}'"):
            call()


@pytest.mark.parametrize(
    ("head", "advice"),
    [
        ("question,answer,gpt-4o,claude-3", r": score=.*; fields=\{\"models\": \[\"...\"\]\} names"),
        ("question,gpt,claude", r": score=.*; fields=\{\"models\": \[\"...\"\]\} names the columns"),
        ("question,gpt_run1,gpt_run2,claude_run1,claude_run2", ""),  # neither runs nor models alone are columns
        ("model,question,trial,status", ""),
    ],
)
def test_no_advice_takes_keys_or_trials_for_models(head, advice, tmp_path):
    rows = ["x" + ",1" * head.count(","), "y" + ",0" * head.count(",")]
    error = refused(table(tmp_path, "\n".join([head, *rows])), f"{NO_OUTCOMES}.*{advice}")
    assert ("models" in str(error)) == bool(advice)
    assert not advice or ("trial=" not in str(error) and '"trial"' not in str(error))


def test_a_question_without_a_cluster_in_another_file(tmp_path):
    one = table(tmp_path, "question,cluster,correct\nq1,x,1\n", "1.csv")
    without = table(tmp_path, "question,correct\nq2,1\n", "2.csv")
    refused([one, without], "2.csv: question 'q2' is in no cluster, others are", model="m")


def test_a_store_of_mlflow_names_its_query(tmp_path):
    with closing(sqlite3.connect(tmp_path / "mlflow.db")) as store:
        for name in ("runs", "trace_info", "assessments"):
            store.execute(f"CREATE TABLE {name} (id)")
    refused(tmp_path / "mlflow.db", "it is a store of mlflow, for which the page on readers has a query")


def test_objects_of_lists_and_of_records_say_what_to_do(tmp_path):
    nested = {"a": {"q1": [1, 0], "q2": [1, 1]}, "b": {"q1": [0, 0], "q2": [1, 0]}}
    message = "but an object of lists: .*pass what json.load returns to OutcomeSet"
    refused(write_json(tmp_path / "m.json", nested), message)
    assert counts(OutcomeSet(nested))["a"] == {"q1": [1, 1], "q2": [0, 2]}
    records = write_json(tmp_path / "r.json", {"model": "a", "results": [{"question": "q1", "correct": True}]})
    refused(records, "but an object with records in 'results': write that list to a file")
    means = write_json(tmp_path / "n.json", [{"question_id": 1, "graded_list": [True, False], "pass@1": 0.5}] * 2)
    refused(means, "record 0: 'pass@1' is a mean over trials, .* in 'graded_list'", score="pass@1", format="table")


def test_models_inside_objects_are_not_pooled(tmp_path):
    rows = [
        {"op": "predict", "inputs": {"model": model, "example": {"id": f"q{i}"}}, "output": {"correct": i > 0}}
        for model in ("m1", "m2")
        for i in range(3)
    ]
    path = write_lines(tmp_path / "calls.jsonl", rows)
    message = "column 'inputs.model' may name models, which would be pooled"
    [remedy] = refused(path, message, score="output.correct").remedies
    assert read(path, score="output.correct", fields=remedy.value).models == ("m1", "m2")
