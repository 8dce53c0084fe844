"""A column of runs that the user names is one for all commands: history, doctor, diff, report, convert and score."""

import numpy as np
import pytest

from helpers.command import rows, run
from scorio import OutcomeMatrix, PassAtK, diagnose, read

SEEDS = ["s0", "s0", "s1", "s1", "s2", "s2", "s3", "s3"]
BY_RUN = np.array([-0.2, -0.2, 0.2, 0.2, 0.0, 0.0, -0.1, -0.1])  # what the run of a trial adds to its chance
NAMED = ["--field", "run=seed"]
pytestmark = [
    pytest.mark.filterwarnings("ignore::scorio.errors.RunsWarning"),
    pytest.mark.filterwarnings("ignore:column .seed. may name runs"),
]


def outcomes(seed):
    return np.random.default_rng(seed).binomial(1, np.clip(np.linspace(0.0, 1.0, 40)[:, None] + BY_RUN, 0.0, 1.0))


def matrix(seed):
    return OutcomeMatrix(outcomes(seed), questions=[f"q{i}" for i in range(40)], runs=SEEDS)


def table(path, seed):
    lines = [
        f"m,q{i},{SEEDS[j]},{j},{value}" for i, row in enumerate(outcomes(seed)) for j, value in enumerate(row.tolist())
    ]
    path.write_text("\n".join(["model,question,seed,trial,correct", *lines]))
    return path


def test_the_runs_of_a_file_are_one_date(tmp_path):
    for date, seed in (("2026-01-31", 1), ("2026-02-28", 2)):
        table(tmp_path / f"counts-{date}.csv", seed)
    for mode in ("independent", "random"):
        found = rows("history", tmp_path, *NAMED, "-q", "-m", "pass@1", "--runs", mode)
        assert len(found) == 2
        for row, seed in zip(found, (1, 2), strict=True):
            own = PassAtK(1).interval(matrix(seed), runs=mode)
            assert row["score"] == pytest.approx(outcomes(seed).mean())
            assert row["hi"] - row["lo"] >= 0.99 * (own.hi - own.lo)


@pytest.mark.parametrize("named", [True, False], ids=["of a column", "of files"])
def test_files_of_one_day_are_the_runs_of_a_date_about_runs_like_these(named, tmp_path):
    """Otherwise each is a date of its own, so that luck within a day would be called a change."""
    for date, seed in (("2026-01-31", 1), ("2026-02-28", 2)):
        for j, column in enumerate(outcomes(seed).T.tolist()):
            lines = [f"m,q{i},{SEEDS[j]},{j},{value}" for i, value in enumerate(column)]
            (tmp_path / f"r{j}-{date}.csv").write_text("\n".join(["model,question,seed,trial,correct", *lines]))
    options = NAMED if named else ["--field", "trial="]
    found = rows("history", tmp_path, *options, "-q", "-m", "pass@1", "--runs", "random")
    assert [row["run"] for row in found] == ["2026-01-31", "2026-02-28"]
    assert [row["score"] for row in found] == pytest.approx([outcomes(1).mean(), outcomes(2).mean()])
    assert named or len(rows("history", tmp_path, *options, "-q", "-m", "pass@1")) == 16


def test_doctor_speaks_of_the_runs(tmp_path):
    path = table(tmp_path / "m.csv", 1)
    found = run("doctor", path, *NAMED, "-q").stdout
    assert "in run s3 to" in found
    assert "in run s1." in found
    [by_file] = [each for each in diagnose(read(path, fields={"run": "seed"})).findings if each.kind == "trials differ"]
    for known in (matrix(1), {"m": matrix(1)}):
        [finding] = [each for each in diagnose(known).findings if each.kind == "trials differ"]
        assert finding.chance == pytest.approx(by_file.chance)
        assert "in run s3 to" in finding.what


def test_the_option_that_names_the_column_of_runs_is_said(tmp_path):
    said = run("score", table(tmp_path / "m.csv", 1), "--runs", "random", code=2).stderr
    assert "or of another column that --field run=... names" in said
