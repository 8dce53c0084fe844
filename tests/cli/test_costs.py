"""Costs on the command line: the library's numbers from logs that tell what their runs used."""

import pytest

pytest.importorskip("click")

from helpers.command import LOGS, run


def test_costs_may_be_given_by_model():
    prices = {"aurora-70b": 0.07, "borealis-70b": 0.06, "cirrus-7b": 0.01, "drizzle-1b": 0.002}
    given = [part for name, price in prices.items() for part in ("--cost", f"{name}={price}")]
    error = run("costs", LOGS, *given[:2], code=2).stderr
    assert "--cost names no cost per trial of model 'borealis-70b'" in error
    assert (
        "'dear' is neither one NAME nor of the form MODEL=NUMBER"
        in run("costs", LOGS, *given[:2], "--cost", "dear", code=2).stderr
    )
