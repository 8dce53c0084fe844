"""HELM: ``per_instance_stats.json`` with the statistics of every instance and training trial, one folder per run."""

import re
from typing import Any

from .. import At, Companion, Format, LogFile, Request, Run, Trial, grouped, names_in, records_with
from ..checks import conditions, shown

_STATS, _SPEC = "per_instance_stats.json", "run_spec.json"
_MODEL = re.compile(r",?\bmodel=(?P<name>[^,]*)")  # in the name of a run, such as mmlu:subject=x,model=org_m
_NO_OUTCOME = re.compile(
    r"num_|inference_|training_|estimated_|batch_size|max_prob|finish_reason_|prompt_truncated|logprob|predicted_index|"
    r".*@\d+$"  # the best of several outputs
)  # matches the names of statistics that are no outcomes


def _is_beside_stats(file: LogFile) -> bool:
    folder = file.path.parent
    return file.path.name != _STATS and file.is_json and all((folder / name).is_file() for name in (_STATS, _SPEC))


class HelmFormat(Format):
    """Statistics per instance of HELM."""

    name = "helm"
    options = frozenset({"score", "levels"})
    layouts = (records_with("instance_id", "train_trial_index", "stats"),)
    companions = (Companion(_is_beside_stats, "HELM's other files hold no trials: per_instance_stats.json is read"),)

    def read(self, file: LogFile, request: Request) -> Run:
        spec = file.beside(_SPEC)
        adapter, name = spec["adapter_spec"], str(spec["name"].value or file.folder.name)
        named = _MODEL.search(name)
        plain = [row for row in file.walk() if row["perturbation"].value is None]
        rows = [(row, grouped(row["stats"].needed.rows, _name_of)) for row in plain]
        every = names_in(At(stats) for _, stats in rows)
        outcomes = [name for name in every if not _NO_OUTCOME.match(name.partition("/")[2])]
        measure = request.measure(every, "statistic", outcomes)
        split = f"{measure.partition('/')[0]}/"  # an instance without statistics is of any split
        of_split = [part for part in rows if not part[1] or any(name.startswith(split) for name in part[1])]
        return Run(
            adapter["model"].text_or(named["name"] if named else file.folder.name),
            [_trial(row, stats, measure, request) for row, stats in of_split],
            task=_MODEL.sub("", name).rstrip(":,") or None,
            measure=measure,
            times=adapter["num_train_trials"].whole_or(0) or None,
            model_from="log" if adapter["model"] else "folder",
            conditions=conditions(adapter_spec=adapter.without(["model", "model_deployment"])),
        )


def _name_of(stat: At) -> str:
    """Return the name of a statistic with the split that it is of."""
    return f"{stat['name'].needed['split'].value or 'all'}/{stat['name.name'].value}"


def _trial(row: At, stats: dict[str, list[At]], measure: str, request: Request) -> Trial:
    plain = [stat for stat in stats.get(measure, ()) if not stat["name.perturbation"]]
    value = At(_value(plain[0], measure) if plain else None, row.where, measure)
    return Trial(row["instance_id"].text, row["train_trial_index"].whole, value.to(request.outcome))


def _value(stat: At, measure: str) -> Any:
    """Return the one value of a statistic; None if it was computed from no value."""
    count, total = stat["count"].whole, stat["sum"].value
    if count > 1 and (isinstance(total, bool) or total not in (0, count)):
        raise stat.fault(f"{measure!r} is a mean over {count} values, sum {shown(total)}: it is no outcome of a trial")
    return None if count == 0 else total if count == 1 else float(bool(total))
