"""What goes wrong on the command line: exit codes that scripts can act on, and one line that says why."""

import pytest
from click.testing import CliRunner

import scorio
from helpers.command import LOGS, rows, run
from scorio.cli._program import program


@pytest.mark.parametrize("command", ["score", "report", "convert"])
def test_an_output_that_cannot_be_is_refused_before_the_work(command, tmp_path):
    line = run(command, "nowhere.csv", "-o", tmp_path / "none" / "out.html", code=2).stderr
    assert f"there is no directory '{tmp_path / 'none'}'" in line
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["task=x.csv", "model=mine.csv", "fields={}.csv"])
def test_messages_keep_the_names_of_real_files(name, tmp_path):
    (tmp_path / name).write_text("question,correct\na,maybe\na,1\n")
    assert f"scorio: {tmp_path / name}: " in run("score", tmp_path / name, code=2).stderr


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (PermissionError(13, "Permission denied", "runs.csv"), "runs.csv: Permission denied"),
        (KeyError("lost"), "KeyError: 'lost' (--debug shows the traceback)"),
    ],
)
def test_errors_of_others_are_one_line_too(monkeypatch, error, line):
    def fail(*args, **options):
        raise error

    monkeypatch.setattr("scorio.io.recognise", fail)
    assert run("score", LOGS, code=2).stderr == f"scorio: {line}\n"


def test_names_of_two_logs_that_are_compared():
    one, other = (f"{LOGS}/{name}-70b.json" for name in ("aurora", "borealis"))
    named = ["--model", "first=aurora-70b", "--model", "second=*borealis*"]
    assert "first against second on 40 questions, 6 trials each\n" in run("compare", one, other, "-q", *named).stdout


def test_answers_go_to_endings_that_are_known_or_where_the_format_is_given(tmp_path):
    for name in ("out", "out.txt"):
        run("score", LOGS, "-q", "-o", tmp_path / name)
        assert (tmp_path / name).read_text().startswith("aurora-70b scores highest")
    run("score", LOGS, "-q", "-o", tmp_path / "out.dat", "--format", "csv")
    assert (tmp_path / "out.dat").read_text().startswith("model,metric")


def test_debug_shows_where_an_error_came_from():
    done = CliRunner().invoke(program, ["score", "nowhere.json", "--debug"])
    assert isinstance(done.exception, scorio.OutcomeError)
    assert isinstance(CliRunner().invoke(program, ["--debug", "score", "nowhere.json"]).exception, scorio.OutcomeError)


def test_reading_options_mend_a_table(tmp_path):
    table = tmp_path / "runs.csv"
    table.write_text("thing,correct\na,1\n")
    assert "--field question=..." in run("score", table, code=2).stderr
    table.write_text("question,task,correct\na,t,1\na,u,1\n")
    assert "--task" in run("factors", table, code=2).stderr
    table.write_text("item,correct\na,great\na,poor\n")
    assert "great" in run("score", table, code=2).stderr
    options = ["--level", "great=1", "--level", "poor=0", "--model", "mine", "--field", "question=item"]
    (row,) = rows("score", table, *options)
    assert (row["model"], row["score"]) == ("mine", 0.5)


def test_a_role_without_a_column(tmp_path):
    table = tmp_path / "runs.csv"
    table.write_text("question,run,correct\na,x,1\na,x,0\n")
    assert "--field trial= " in run("score", table, code=2).stderr
    (row,) = rows("score", table, "--field", "trial=")
    assert row["score"] == 0.5


SHAPES = {
    "one trial": ["a,q,1,1"],
    "two models of one trial": ["a,q,1,0", "b,q,1,0"],
    "ragged": ["a,q1,1,1", "a,q1,2,0", "a,q2,1,1", "b,q1,1,0", "b,q2,1,1", "b,q2,2,1"],
    "all succeed": [f"{m},q{i},{t},1" for m in "ab" for i in range(5) for t in range(4)],
    "all fail": [f"{m},q{i},{t},0" for m in "ab" for i in range(5) for t in range(4)],
    "a question without a trial": [
        f"{m},q{i},{t},{'1' if i else ''}" for m in "ab" for i in range(3) for t in range(2)
    ],
    "rewards": [
        f"{m},q{i},{t},{(-1, 0, 0.5, 2.25)[(i * t + len(m)) % 4]}" for m in "abc" for i in range(5) for t in range(4)
    ],
    "forty models": [
        f"{'name-' * 9}{m},q{i},{t},{(m + i * t) % 2}" for m in range(40) for i in range(3) for t in range(2)
    ],
    "no row": [],
}


COMMANDS = [
    "score",
    "score --target population",
    "score -m geomds@2 --too-few nan",
    "rank --target population",
    "rank -m pass@2 --too-few omit",
    "compare",
    "compare --unpaired",
    "curve",
    "plan",
    "plan --half-width 0.1",
    "plan --half-width 0.1 --unit questions",
    "convert",
    "report -o {out}",
]


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_every_command_on_every_shape_answers_or_says_why_not(shape, tmp_path):
    table = tmp_path / "runs.csv"
    table.write_text("model,question,trial,correct\n" + "".join(f"{line}\n" for line in SHAPES[shape]))
    for text in COMMANDS:
        name, *options = text.format(out=tmp_path / "out.html").split()
        done = run(name, table, "-q", *options, code=None)
        assert done.exit_code in (0, 2), text
        assert "nan" not in done.stdout.split(), text
        if done.exit_code:
            (line,) = done.stderr.splitlines()
            assert line.startswith("scorio: "), text
            assert "--debug" not in line, text


def test_one_bad_file_of_several_names_the_option_that_skips_it(tmp_path):
    (tmp_path / "good.csv").write_text("model,question,correct\na,q1,1\na,q2,0\n")
    (tmp_path / "bad.json").touch()
    assert "the file is empty: --skip-bad leaves out files" in run("score", tmp_path, code=2).stderr
    assert "a " in run("score", tmp_path, "--skip-bad").stdout
    assert "--skip-bad" not in run("score", tmp_path / "bad.json", code=2).stderr
