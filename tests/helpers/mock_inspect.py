"""Runs of Inspect itself with its mock model, whose answers are known beforehand."""

import inspect_ai
import pytest
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import generate, solver

marks = [pytest.mark.tools, pytest.mark.filterwarnings("default", "ignore::ResourceWarning")]


@solver
def ask():
    """Puts sample and epoch into the prompt, so that the mock model can look its answer up."""

    async def solve(state, generate):
        state.user_prompt.text = f"{state.sample_id} {state.epoch}"
        return state

    return solve


def evaluated(folder, samples, is_right, *, model="mockllm/model", through=inspect_ai.eval, task=None, **options):
    """Evaluate samples, which are ids or have some; ``is_right`` is asked for each with its epoch, None is an error.

    ``task`` has options of the task; the others are those of the evaluation.
    """

    def answer(messages, tools, tool_choice, config):
        sample, epoch = messages[-1].text.split()
        right = is_right(sample, int(epoch))
        if right is None:
            raise RuntimeError("the model fell over")
        output = ModelOutput.from_content("mockllm", "yes" if right else "no")
        output.usage = ModelUsage()
        return output

    samples = [each if isinstance(each, Sample) else Sample(input="?", target="yes", id=each) for each in samples]
    about = {"solver": [ask(), generate()], "scorer": match()} | (task or {})
    evaluation = inspect_ai.Task(dataset=MemoryDataset(samples), **about)
    mock = get_model(model, custom_outputs=answer)
    return through(evaluation, model=mock, log_dir=str(folder), display="none", **options)


def log_of(folder, samples, is_right, **options):
    """Evaluate samples, and read the log of the run, which succeeded."""
    [log] = evaluated(folder, samples, is_right, **options)
    assert log.status == "success", log.error
    return inspect_ai.log.read_eval_log(log.location)
