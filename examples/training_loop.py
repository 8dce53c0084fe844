"""A training loop as in TRL's GRPO: prompts and rewards of every step go into an accumulator.

The "policy" is a table of success rates that get better where there is something to learn, so the example needs only
numpy. In a trainer, the same lines stand in the reward function, which sees the prompts and computes the rewards;
tensors of torch and jax go in as they are. Run: ``python examples/training_loop.py [folder for checkpoints]``
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

from scorio import Accumulator, PassAtK

PROMPTS, GROUP, STEPS, BATCH = 256, 16, 60, 64


class Policy:
    """A stand-in for a model: the chance of success on each prompt."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.rates = rng.beta(0.5, 2.0, PROMPTS)

    def rewards(self, prompts: np.ndarray) -> np.ndarray:
        """Return the rewards of one group of completions per prompt."""
        return (self.rng.random((len(prompts), GROUP)) < self.rates[prompts, None]).astype(np.float32)

    def learn(self, prompts: np.ndarray, rewards: np.ndarray) -> None:
        """Take a step: prompts that are solved sometimes teach most."""
        mean = rewards.mean(axis=1)
        self.rates[prompts] += 0.5 * mean * (1 - mean)


def main() -> None:
    """Train, look at every 20 steps, stop, and go on in another process."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
    rng = np.random.default_rng(0)
    policy = Policy(rng)
    everything = log = new_log(0)
    passes = np.empty((0, BATCH), np.int64)
    for step in range(1, STEPS + 1):
        if (step - 1) % (PROMPTS // BATCH) == 0:  # each pass over the prompts has an order of its own
            passes = rng.permutation(PROMPTS).reshape(-1, BATCH)
        prompts = passes[(step - 1) % len(passes)]
        rewards = policy.rewards(prompts)
        log.add(prompts, rewards, step=step)
        policy.learn(prompts, rewards)
        if step % 20 == 0:
            show(log)
            everything = log if step == 20 else everything.merge(log)
            everything.save(folder / "rewards.npz")
            everything = Accumulator.load(folder / "rewards.npz")  # as after a restart
            log = new_log(step)
    print(f"all {everything.step} steps: {everything.outcomes}")


def new_log(step: int) -> Accumulator:
    """Begin the log of the steps after this one: trials of a policy that changes are not trials of one model."""
    return Accumulator(model="policy", name=f"run-1, steps from {step + 1} on")


def show(log: Accumulator) -> None:
    """Print Pass@1 and Pass@8 of these steps, with intervals."""
    for k in (1, 8):
        interval = PassAtK(k).interval(log.outcomes)
        print(f"steps {log.step - 19}-{log.step}, pass@{k}: {interval.mu:.3f} [{interval.lo:.3f}, {interval.hi:.3f}]")


if __name__ == "__main__":
    main()
