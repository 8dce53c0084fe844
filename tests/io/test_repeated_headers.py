"""A table that is several tables one after another is refused at the line of the second header, on every path."""

import pytest

from helpers.written import refused, table
from scorio import read

MESSAGE = "line {} repeats the header: several tables follow one another"
LONG = "question,passed\nq1,true\nq2,false\n{}q1,true\nq2,true\n"


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("question,passed\n", "m.csv"),
        ('"question","passed"\n', "m.csv"),
        (" Question , PASSED \n", "m.csv"),
        ("\ufeffquestion,passed\r\n", "m.csv"),
        ("question,correct\n", "m.csv"),
        ("passed,question\n", "m.csv"),
        ("question\tpassed\n", "m.tsv"),
        ("question;passed\n", "m.txt"),
    ],
)
def test_a_second_header(tmp_path, header, name):
    mark = next(mark for mark in ",\t;" if mark in header)
    path = table(tmp_path, LONG.replace(",", mark).format(header), name)
    refused(path, MESSAGE.format(4))


@pytest.mark.parametrize(
    "text",
    [
        "model,question,trial,success\na,q1,1,pass\nmodel,question,trial,success\nb,q1,1,pass\n",
        "system,item,attempt,solved\na,q1,1,yes\nmodel,question,trial,success\nb,q1,1,pass\n",
        "task,question,cluster,correct\nt,q1,c,1\ntask,question,cluster,correct\nt,q2,c,1\n",
        "question,t1,t2\nq1,1,0\nquestion,t1,t2\nq2,0,1\n",
        "question,n,c\nq1,5,3\nquestion,n,c\nq2,5,1\n",
        "question,outcome\nq1,5\nquestion,outcome\nq2,1\n",
        "question,passed,note\nq1,true,x\nquestion,passed,note\n",
    ],
)
def test_in_every_form_and_with_every_role(tmp_path, text):
    refused(table(tmp_path, text), MESSAGE.format(3))


def test_names_of_columns_may_be_questions(tmp_path):
    path = table(tmp_path, "id,passed\nitem,passed\nquestion,failed\nid,failed\n")
    assert read(path)["m"].questions == ("item", "question", "id")
