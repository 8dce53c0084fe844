"""The settings of runs of lm-evaluation-harness, from their results files."""

import math
import re
from collections.abc import Mapping
from typing import Any

from .. import At
from ..checks import conditions, digest, seed_of, short_setting, spent

_TEMPLATES = {"description", "doc_to_text", "doc_to_target", "doc_to_choice", "gen_prefix", "target_delimiter"}
_TEMPLATES |= {"process_docs", "process_results", "output_type"}  # what makes prompts, and grades responses
_NO_OPTION = {"metric", "aggregation", "higher_is_better"}


def settings_of(results: At, task: str, metric: str, name: str, rows: list[At]) -> dict[str, str]:
    """Return the settings that may change the outcomes of a metric of a filter called ``name``."""
    config = results["configs"][task,]
    generation, asked = config["generation_kwargs"].value, _arguments(results.peek("config.gen_kwargs").value)
    if isinstance(generation, dict) and isinstance(asked or {}, dict):
        asked = generation | (asked or {})
    settings = conditions(
        task_version=results.peek(("versions", task)).value,
        num_fewshot=results.peek(("n-shot", task)).value,
        fewshot_as_multiturn=results["fewshot_as_multiturn"].value,
        chat_template_sha=results["chat_template_sha"].value,
        system_instruction_sha=results["system_instruction_sha"].value,
        model_args=_arguments(results.peek("config.model_args").value),
        gen_kwargs=asked,
    )
    return {**settings, **_scoring_of(config, metric, name), **_wording_of(rows, config, settings)}


def _arguments(value: Any) -> Any:
    """Return arguments by name; older versions write ``name=value,name=value``."""
    pairs = re.findall(r"(\w+)=([^,]*)", value) if isinstance(value, str) else None
    return dict(pairs) if pairs else value


def _wording_of(rows: list[At], config: At, settings: Mapping[str, str]) -> dict[str, str]:
    """Return hashes of the first prompt, unless it has examples, which may be drawn by chance, and of the templates."""
    logs = [row.obj for row in rows]
    hashes = [(str(log.get("doc_id")), str(log["prompt_hash"])) for log in logs if log.get("prompt_hash")]
    templates = {name: value for name, value in config.obj.items() if name in _TEMPLATES and value}
    has_examples = settings.get("num_fewshot", "0") != "0"
    first = min(hashes, key=lambda pair: (len(pair[0]), pair))[1][:8] if hashes and not has_examples else None
    return conditions(prompt_hash=first, task_hash=digest(templates) if templates else None)


def _scoring_of(config: At, metric: str, name: str) -> dict[str, str]:
    """Return the options of a metric, and hashes of a metric that is a function and of the filter called ``name``."""
    metrics = config["metric_list"].rows
    options_of_metric = [entry.without(_NO_OPTION) for entry in metrics if entry["metric"].value == metric]
    steps = [row["filter"].value for row in config["filter_list"].rows if row["name"].value == name]
    is_function = metric and metrics and not options_of_metric
    return conditions(
        metric={key: short_setting(value) for options in options_of_metric for key, value in options.items()},
        metric_hash=digest([metric.value for metric in metrics]) if is_function else None,
        filter_hash=digest(steps) if steps else None,
    )


def origin_of(results: At, date: str) -> dict[str, Any]:
    """Return the date, version, seed and time of the run."""
    try:
        seconds = float(results["total_evaluation_time_seconds"].value or "nan")  # the tool writes a text
    except (TypeError, ValueError):
        seconds = math.nan
    seed = seed_of(_arguments(results.peek("config.gen_kwargs").value))
    used = spent(seconds=None if math.isnan(seconds) else seconds)
    return {"date": date, "version": str(results["lm_eval_version"].value or ""), **seed, **used}
