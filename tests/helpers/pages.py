"""Outcomes for reports."""

from scorio import simulate

AWKWARD = '<script>alert("x")</script> & \u202egnp.exe "\'` 通义千问'


def world(models=4, questions=30, trials=8, rng=0):
    names = [f"model-{i}" for i in range(models)]
    return simulate.coins(simulate.rates(models, questions, rng=rng), trials, models=names, rng=rng).outcomes
