"""TRL's evaluations with intervals: metrics of what a reward function gives, beside the numbers of the trainer.

    from scorio.integrations.trl import Evaluation

    correct = Evaluation(accuracy_reward, ["pass@1", "pass@8"])
    trainer = GRPOTrainer(model, reward_funcs=[correct], eval_dataset=questions, args=arguments)
    correct.attach(trainer)

``num_generations_eval`` of the arguments is the number of trials of each prompt. Every evaluation then logs
``eval_pass@8``, ``eval_pass@8/lo`` and ``eval_pass@8/hi``, the bounds of a 95% interval.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..metrics import Metric
from ..metrics._registry import as_metric
from ..outcomes import Accumulator
from ._measure import with_ends

__all__ = ["Evaluation"]


class Evaluation:
    """A reward function of a trainer, which keeps what evaluations give and logs it after each of them.

    In training it is the ``reward`` function alone. A reward that is None is a missing trial. Rewards other than 0 and
    1 take metrics such as ``"avg"`` and ``"max@8"``.
    """

    def __init__(self, reward: Callable[..., Sequence[Any]], metrics: Sequence[Metric | str] = ("pass@1",)) -> None:
        self.__name__: str = str(
            getattr(reward, "__name__", type(reward).__name__)
        )  # by which the trainer logs its mean
        self._reward, self._metrics = reward, [as_metric(metric) for metric in metrics]
        self._trainer: Any = None
        self._kept: list[tuple[str, Any]] = []  # the prompt and the reward of each trial of this process

    def attach(self, trainer: Any) -> None:
        """Log the numbers of every evaluation of this trainer."""
        from transformers import TrainerCallback

        log = self._log

        class LogEvaluation(TrainerCallback):  # type: ignore[misc]
            def on_evaluate(self, *_about: Any, metrics: Any = None, **_more: Any) -> None:
                log({} if metrics is None else metrics)

        self._trainer = trainer
        trainer.add_callback(LogEvaluation())

    def __call__(self, prompts: Sequence[Any], completions: Sequence[Any], **about: Any) -> Sequence[Any]:
        """Return the rewards of these completions."""
        rewards = self._reward(prompts=prompts, completions=completions, **about)
        if self._trainer is not None and not self._trainer.model.training:
            self._kept += zip(map(str, prompts), rewards, strict=True)
        return rewards

    def _log(self, metrics: dict[str, float]) -> None:
        """Log the numbers of the trials of all processes, and add them to the ``metrics`` of the evaluation."""
        from transformers import Trainer

        kept, self._kept = self._kept, []
        if self._trainer.accelerator.num_processes > 1:
            from accelerate.utils import gather_object

            kept = gather_object(kept)
        if kept:
            numbers = self._numbers(kept)
            Trainer.log(self._trainer, numbers)
            metrics.update(numbers)

    def _numbers(self, kept: Sequence[tuple[str, Any]]) -> dict[str, float]:
        prompts, given = zip(*kept, strict=True)
        rewards = np.array([np.nan if reward is None else float(reward) for reward in given])
        log = Accumulator(missing="omit")
        log.add(prompts, rewards)
        outcomes, numbers = log.outcomes, dict[str, float]()
        for metric in self._metrics:
            numbers |= with_ends(metric, outcomes, f"eval_{metric}")
        return numbers
