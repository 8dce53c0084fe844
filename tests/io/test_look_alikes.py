"""Names that look alike are told apart in what is read, and warned of in words."""

import pytest

from helpers.written import table
from scorio import read
from scorio.errors import QuestionsWarning

HIDDEN = ["\u200b", "\ufeff", "\xad", "\ufff9", "\u2060", "\U000e0041", "\ufe0f", "\u3164", "\x07"]


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize("kind", ["questions", "models"])
def test_names_that_differ_in_what_cannot_be_seen(tmp_path, hidden, kind):
    other = f"a,q{hidden}1,0\n" if kind == "questions" else f"a{hidden},q1,0\n"
    path = table(tmp_path, f"model,question,correct\na,q1,1\n{other}")
    with pytest.warns(QuestionsWarning, match=f"two {kind} look alike: '.*' and '.*' differ in blanks") as caught:
        outcomes = read(path)
    assert str(caught[0].message).isascii()
    assert (outcomes.n_questions, len(outcomes)) == ((2, 1) if kind == "questions" else (1, 2))
