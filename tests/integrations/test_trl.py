"""Evaluations of TRL with its own trainer and a tiny model: what is logged is the package's, of evaluations alone."""

import pytest

from scorio import OutcomeMatrix, PassAtK
from scorio.integrations.trl import Evaluation

trl = pytest.importorskip("trl")

WORDS = ["<pad>", "<eos>", "<unk>", *"abcdefgh"]


def trainer_of(reward, folder):
    import torch
    from datasets import Dataset
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    torch.manual_seed(1)
    words = Tokenizer(WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="<unk>"))
    words.pre_tokenizer = Whitespace()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", padding_side="left"
    )
    size = {"n_positions": 32, "n_embd": 16, "n_layer": 1, "n_head": 2}
    model = GPT2LMHeadModel(GPT2Config(vocab_size=len(WORDS), bos_token_id=1, eos_token_id=1, pad_token_id=0, **size))
    arguments = trl.GRPOConfig(
        output_dir=str(folder), max_steps=1, num_generations=4, per_device_train_batch_size=4, use_cpu=True,
        per_device_eval_batch_size=4, num_generations_eval=4, max_completion_length=4, report_to=[], save_strategy="no",
        disable_tqdm=True, bf16=False,
    )  # fmt: skip
    questions = Dataset.from_list([{"prompt": prompt} for prompt in ("a b", "c d", "e f")])
    about = {"train_dataset": questions, "eval_dataset": questions, "processing_class": tokenizer}
    return trl.GRPOTrainer(model, reward_funcs=[reward], args=arguments, **about)


@pytest.mark.parametrize("values", [(0.0, 1.0), (0.0, 0.25, 1.0)], ids=["right or wrong", "rewards"])
def test_an_evaluation_logs_the_metrics_of_its_own_trials(tmp_path, values):
    given = []

    def length(prompts, completions, **about):
        rewards = [values[len(text) % len(values)] for text in completions]
        given.extend(zip(prompts, rewards, strict=True))
        return rewards

    name = "pass@2" if len(values) == 2 else "max@2"
    evaluation = Evaluation(length, [name, "avg"])
    trainer = trainer_of(evaluation, tmp_path)
    evaluation.attach(trainer)
    trainer.train()
    assert given
    given.clear()
    numbers = trainer.evaluate()
    rows = {}
    for prompt, reward in given:
        rows.setdefault(prompt, []).append(reward)
    assert [len(row) for row in rows.values()] == [4, 4, 4]
    assert numbers["eval_avg"] == pytest.approx(sum(reward for _, reward in given) / 12)
    assert numbers[f"eval_{name}/lo"] <= numbers[f"eval_{name}"] <= numbers[f"eval_{name}/hi"]
    if len(values) == 2:
        trials = OutcomeMatrix([[int(reward) for reward in row] for row in rows.values()])
        assert numbers["eval_pass@2"] == PassAtK(2).score(trials)
    assert trainer.state.log_history[-1][f"eval_{name}"] == numbers[f"eval_{name}"]
    assert any(key.startswith("eval_rewards/length") for entry in trainer.state.log_history for key in entry)
