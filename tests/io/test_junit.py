"""The reader of JUnit XML, on files by hand, among them hostile ones."""

import pytest

from helpers.written import counts, refused
from scorio import OutcomeError, read
from scorio.io import recognise

FAILED, ERROR, SKIPPED = "<failure/>", '<error message="no network"/>', '<skipped type="pytest.skip"/>'


def report(path, cases, before=""):
    body = "".join(f'<testcase classname="t" name="{name}">{inner}</testcase>' for name, inner in cases)
    path.write_text(
        f'<?xml version="1.0" encoding="utf-8"?>{before}<testsuites><testsuite>{body}</testsuite></testsuites>'
    )
    return path


@pytest.mark.parametrize(
    "names", [["a[1-1]", "a[1-2]", "a[2-1]", "a[2-2]"], ["a[1-5]"], ["a[3-2]", "a[4-2]"], ["a[x]", "a[1-2]", "a[2-2]"]]
)
def test_parameters_are_no_repeats(tmp_path, names):
    path = report(tmp_path / "m.xml", [(name, "") for name in names])
    assert read(path).questions == tuple(f"t::{name}" for name in names)


def test_a_test_with_the_mark_trials_has_several(tmp_path):
    signs = '<properties><property name="x" value="7"/><property name="scorio_trials" value="{}"/></properties>'
    matrix = read(report(tmp_path / "m.xml", [("a", signs.format("110-1") + ERROR), ("b", "")]))["m"]
    assert counts({"m": matrix}) == {"m": {"t::a": [1, 3], "t::b": [0, 1]}}
    assert matrix.planned_trials.tolist() == [5, 1]
    with pytest.raises(OutcomeError, match="scorio_trials must have one of 1, 0, - for each trial; got '12'"):
        read(report(tmp_path / "n.xml", [("a", signs.format("12"))]))


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE x SYSTEM "http://localhost/x.dtd">',
    ],
)
def test_document_types_are_refused(tmp_path, declaration):
    refused(report(tmp_path / "m.xml", [("a", "")], declaration), "it declares a document type")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<testsuite><testcase name='a'>", "line 1 is not valid XML: no element found"),
        ("<testsuite><testcase/></testsuite>", "test case 1: name must be a name"),
        ("<testsuite></testsuite>", "there is no test case"),
        ("<testsuite>&b;</testsuite>", "line 1 is not valid XML: undefined entity"),
    ],
)
def test_damaged_reports_are_refused(tmp_path, text, message):
    path = tmp_path / "m.xml"
    path.write_text(text)
    refused(path, message)


def test_a_large_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("scorio.io._formats.junit._MOST_BYTES", 1 << 20)
    path = report(tmp_path / "m.xml", [("a", " " * (1 << 21))])
    refused(path, "it has more than 1 MiB")


def test_other_xml_is_left_alone(tmp_path):
    report(tmp_path / "m.xml", [("a", "")])
    (tmp_path / "page.xml").write_text("<html><testsuitesque/></html>")
    assert len(recognise(tmp_path).skipped) == 1
