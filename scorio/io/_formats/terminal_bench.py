"""terminal-bench: ``runs/<run>/results.json`` with all trials of a run, and ``run_metadata.json`` with its names."""

from . import Companion, Format, LogFile, Request, Run, Trial, conditions, document_with, either, model_of_path

_OF_RUN = "a file of a terminal-bench run, whose trials are in results.json"


class TerminalBenchFormat(Format):
    """Results of runs of terminal-bench."""

    name = "terminal-bench"
    layouts = (document_with("results", "n_resolved"),)
    companions = (
        Companion(document_with("trial_name", "task_id", "is_resolved"), _OF_RUN),
        Companion(document_with("run_id", "agent_name", "n_attempts"), _OF_RUN),
        Companion(lambda file: file.path.name == "tb.lock", _OF_RUN),
    )

    def read(self, file: LogFile, request: Request) -> Run:
        log, about = file.at, file.beside("run_metadata.json")
        names = [about["agent_name"].maybe, about["model_name"].maybe]
        trials = [
            Trial(
                row["task_id"].text,
                row["trial_name"].text,
                request.outcome(row["is_resolved"].flag),
                used=row.spent(input_tokens="total_input_tokens", output_tokens="total_output_tokens"),
                mark=str(row["instruction"].value),
            )
            for row in log["results"].needed.rows
        ]
        attempts, listed = about["n_attempts"].whole_or(None), [row.text for row in about["task_ids"].rows]
        asked = [*(listed if len(listed) == about["dataset_size"].value else []), *(trial.question for trial in trials)]
        return Run(
            "/".join(filter(None, names)) or model_of_path(file.path),
            trials,
            str(either(about["run_id"], log["id"]).value or ""),
            about["dataset_name"].text_or(None),
            planned={} if attempts is None else dict.fromkeys(asked, attempts),
            model_from="log" if any(names) else "folder",
            conditions=conditions(dataset_version=about["dataset_version"].value, agent_args=about["agent_kwargs"].obj),
            origin={"date": about["start_time"].value, "commit": about["commit_hash"].value},
        )
