"""terminal-bench: ``runs/<run>/results.json`` with all trials of a run, and ``run_metadata.json`` with its names."""

from .._files import LogFile, beside
from .._format import Companion, Format
from .._records import Run, Trial
from .._request import Request
from .._walk import either
from ..checks import by_trial, conditions, model_of_path, sums


class TerminalBenchFormat(Format):
    """Results of runs of terminal-bench."""

    name = "terminal-bench"
    companions = (
        Companion(
            lambda file: file.has_keys("trial_name", "task_id", "is_resolved"),
            "one trial of a terminal-bench run: read the results.json of the run",
        ),
        Companion(
            lambda file: file.has_keys("run_id", "agent_name", "n_attempts"),
            "the metadata of a terminal-bench run: read the results.json beside it",
        ),
        Companion(lambda file: file.path.name == "tb.lock", "the configuration of a terminal-bench run"),
    )

    def matches(self, file: LogFile) -> bool:
        return file.has_keys("results", "n_resolved") and isinstance(file.document["results"], list)

    def read(self, file: LogFile, request: Request) -> list[Run]:
        log, about = file.at, beside(file.path.parent / "run_metadata.json")
        rows, names = log["results"].rows, [about["agent_name"].maybe, about["model_name"].maybe]
        used = [row.spent(input_tokens="total_input_tokens", output_tokens="total_output_tokens") for row in rows]
        trials = [
            Trial(row["task_id"].text, row["trial_name"].text, request.outcome(row["is_resolved"].flag)) for row in rows
        ]
        asked = {row["task_id"].text: str(row["instruction"].value) for row in rows}
        attempts, listed = about["n_attempts"].whole_or(None), [each.text for each in about["task_ids"].rows]
        every = [*(listed if len(listed) == about["dataset_size"].value else []), *asked]
        return [
            Run(
                "/".join(filter(None, names)) or model_of_path(file.path),
                trials,
                identity=str(either(about["run_id"], log["id"]).value or file.digest),
                task=about["dataset_name"].text_or(None),
                planned={} if attempts is None else dict.fromkeys(every, attempts),
                fingerprints=asked,
                model_from="log" if any(names) else "folder",
                conditions=conditions(
                    dataset_version=about["dataset_version"].value, agent_args=about["agent_kwargs"].obj
                ),
                origin={"date": about["start_time"].value, "commit": about["commit_hash"].value, **sums(used)},
                trial_costs=by_trial(used),
            )
        ]
