"""Every command that writes, on a disk that is full: an error in words, the old file as it was, and nothing left."""

import os
import subprocess
import sys

import pytest

from helpers.command import LOGS, shell

resource = pytest.importorskip("resource")

OLD = b"what was there before"
WRITERS = {
    "score.json": ["score", LOGS, "-o"],
    "rank.html": ["rank", LOGS, "--format", "html", "-o"],
    "report.html": ["report", LOGS, "-o"],
    "plot.svg": ["rank", LOGS, "--picture"],
    "trials.csv": ["convert", LOGS, "-o"],
    "counts.npz": ["convert", LOGS, "-o"],
    "junit.xml": ["gate", LOGS, "--between", "aurora-70b", "borealis-70b", "--max-drop", "0.9", "--junit"],
    "sample.csv": ["judge", LOGS, "--sample", "20", "--write"],
}


def small():
    """Let no file become larger than 100 bytes, as on a disk that is full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


def with_small_files(*command):
    """Run a command where files stay small; Python would cut the modules that it compiles, for later processes too."""
    return shell(*command, preexec_fn=small, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"})


def on_a_full_disk(command, target):
    before = sorted(path.name for path in target.parent.iterdir())
    done = with_small_files(*command, target, "-q")
    assert done.returncode == 2, done
    assert "File too large" in done.stderr, done.stderr
    assert target.name in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in target.parent.iterdir()) == before


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_every_writer(tmp_path, name):
    if name == "plot.svg":
        pytest.importorskip("matplotlib")
    target = tmp_path / name
    on_a_full_disk(WRITERS[name], target)
    target.write_bytes(OLD)
    on_a_full_disk(WRITERS[name], target)
    assert target.read_bytes() == OLD


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="mounts a small disk")
@pytest.mark.parametrize("name", ["report.html", "trials.csv", "counts.npz"])
def test_a_disk_that_is_really_full(tmp_path, name):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", str(disk)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("only root can mount a disk")
    try:
        (disk / name).write_bytes(OLD)
        done = shell(*WRITERS[name], disk / name, "-q")
        assert done.returncode == 2, done
        assert "No space left on device" in done.stderr, done.stderr
        assert name in done.stderr
        assert [path.name for path in disk.iterdir()] == [name]
        assert (disk / name).read_bytes() == OLD
    finally:
        subprocess.run(["umount", str(disk)], check=True)
