"""What the library says, in the words of the command line."""

from __future__ import annotations

import re

_SPELT = (
    (r'fields=\{"(\w+)": \.\.\.\}', r"--field \1=..."),
    (r'fields=\{"(\w+)": None\}', r"--field \1="),
    (r'fields=\{"(\w+)": "(.*?)"\}', r"--field \1=\2"),
    (r"levels=\{\.\.\.\}", "--level WORD=REWARD"),
    (r"levels=\{(['\"])(.*?)\1: ([\d.]+)\}", r"--level \2=\3"),
    (
        r"^model= names one model, (.*): pass a mapping from names to names$",
        r"--model MODEL names one, \1: pass --model NAME=MODEL for each",
    ),
    (r"^fields may name", "--field may name"),
    (r"^format must be", "--log-format must be"),
    (r"\bmetric=", "--log-score="),
    (r"\bformat=", "--log-format="),
    (r"\b(task|filter|missing|model)=", r"--\1="),
    (r'\bshort="(\w+)"', r"--short \1"),
    (r"\bpaired=False", "--unpaired"),
)


def as_options(message: str) -> str:
    """A message of the library, its arguments spelt as options.

    >>> as_options('choose one with metric=... or pass fields={"question": ...}')
    'choose one with --log-score=... or pass --field question=...'
    >>> as_options('pass fields={"trial": "run_*"}')
    'pass --field trial=run_*'
    """
    for argument, option in _SPELT:
        message = re.sub(argument, option, message)
    return message
