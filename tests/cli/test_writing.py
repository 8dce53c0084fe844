"""What the command line writes is there whole or not at all."""

import errno
import stat
from pathlib import Path

import pytest

pytest.importorskip("click")

from scorio.cli._writing import replacing


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_whole(tmp_path):
    with replacing(tmp_path / "answer.json") as unfinished:
        unfinished.write_text("half")
        assert not (tmp_path / "answer.json").exists()
        unfinished.write_text("whole")
    assert (tmp_path / "answer.json").read_text() == "whole"
    assert names(tmp_path) == ["answer.json"]


@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "no space left on device"), KeyboardInterrupt()], ids=str)
def test_a_fault_leaves_what_was_there(tmp_path, fault):
    target = tmp_path / "answer.json"
    target.write_text("before")
    with pytest.raises(type(fault)), replacing(target) as unfinished:
        unfinished.write_text("half")
        raise fault
    assert target.read_text() == "before"
    assert names(tmp_path) == ["answer.json"]


def test_permissions_are_those_of_the_old_file_or_of_any_new_one(tmp_path):
    old = tmp_path / "old.txt"
    old.write_text("")
    old.chmod(0o640)
    plain = tmp_path / "plain.txt"
    plain.write_text("")
    for path in (old, tmp_path / "new.txt"):
        with replacing(path) as unfinished:
            unfinished.write_text("whole")
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert (tmp_path / "new.txt").stat().st_mode == plain.stat().st_mode


def test_a_link_keeps_pointing(tmp_path):
    (tmp_path / "real.txt").write_text("before")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    with replacing(tmp_path / "link.txt") as unfinished:
        unfinished.write_text("after")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "after"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full device here")
def test_a_full_device_is_written_to_as_it_is_and_says_so():
    from click.testing import CliRunner

    from scorio.cli._program import program

    done = CliRunner().invoke(program, ["metrics", "--output", "/dev/full"])
    assert done.exit_code == 2
    assert "No space left" in done.output
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)
