"""``scorio gate --file``: files of claims, exit codes, digests of the inputs, and test reports."""

import hashlib
import json
import xml.etree.ElementTree as ET

from helpers.command import LOGS, run

TOML = '[[claim]]\nbest = "aurora-70b"\n[[claim]]\nholds = "`aurora-70b` > `drizzle-1b`"\n'


def test_verdicts_exit_codes_and_inputs(tmp_path, monkeypatch):
    file, summary = tmp_path / "claims.toml", tmp_path / "summary.md"
    file.write_text(TOML)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    done = run("gate", LOGS, "--file", file, "-q", "--format", "json", "--junit", tmp_path / "claims.xml", code=3)
    answer = json.loads(done.stdout)
    assert [row["verdict"] for row in answer["rows"]] == ["undecided", "passed"]
    assert answer["settings"]["schema"] == "scorio-gate-file/1"
    digests = {each["file"]: (each["bytes"], each["sha256"]) for each in answer["settings"]["inputs"]}
    assert digests[str(file)] == (len(TOML), hashlib.sha256(TOML.encode()).hexdigest())
    assert len(digests) == 5
    suite = ET.parse(tmp_path / "claims.xml").getroot().find("testsuite")
    assert (suite.attrib["tests"], suite.attrib["failures"], suite.attrib["errors"]) == ("2", "0", "1")
    assert "2 claims: 1 passed, 1 undecided" in summary.read_text()
    false = tmp_path / "false.json"
    false.write_text('{"claim": [{"best": "drizzle-1b"}]}')
    run("gate", LOGS, "--file", false, "-q", code=1)
