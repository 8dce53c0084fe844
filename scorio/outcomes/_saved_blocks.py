"""The layout of a file of saved counts: a header in JSON and arrays by name, to content and back.

The header lists named blocks, each of which has a digest. A file of another layout is refused.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

from ..errors import OutcomeError
from ._reward_matrix import RewardMatrix
from ._saved_content import Costs, Facts, SavedContent, Tasks
from ._saved_layout import (
    Arrays,
    Block,
    Metadata,
    as_text,
    below,
    check,
    check_metadata,
    digest,
    is_costs,
    packed,
    packed_runs,
    packed_samples,
    packed_tasks,
    unpacked,
    unpacked_tasks,
    with_runs,
    with_samples,
)
from ._trial_costs import if_of_successes

FORMAT = "scorio saved counts"
LAYOUT = 4
_OUTCOMES, _PARTS, _FACTS, _COSTS, _STATE = "outcomes", "parts", "task_facts", "trial_costs", "accumulator"
_RUNS, _SAMPLES, _SUCCESS_COSTS = "runs", "samples", "success_costs"
_BLOCKS = {_OUTCOMES, _PARTS, _FACTS, _COSTS, _STATE, _RUNS, _SAMPLES, _SUCCESS_COSTS}
_ENTRIES = {"name", "digest", "content", "arrays"}  # of a block in the header
_DAMAGES = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, RecursionError, MemoryError)


def encoded(content: SavedContent) -> tuple[str, Arrays]:
    """Return the header as JSON and the arrays."""
    blocks = [
        Block(_OUTCOMES, *packed_tasks(content.tasks)),
        Block(_PARTS, dict(sorted(content.parts.items()))),
    ]
    if content.facts:
        facts = {
            part: [{"task": task, "models": models} for task, models in each.items()]
            for part, each in sorted(content.facts.items())
        }
        blocks.append(Block(_FACTS, facts))
    for name, costs in ((_COSTS, content.costs), (_SUCCESS_COSTS, content.success_costs)):
        if costs:
            blocks.append(Block(name, *_packed_costs(costs)))
    for name, known in ((_RUNS, packed_runs(content.tasks)), (_SAMPLES, packed_samples(content.tasks))):
        if known is not None:
            blocks.append(Block(name, *known))
    if content.state is not None:
        blocks.append(Block(_STATE, content.state))
    arrays = {f"{block.name}/{name}": array for block in blocks for name, array in block.arrays.items()}
    entries = [
        {
            "name": block.name,
            "digest": digest(block.content, block.arrays),
            "content": block.content,
            "arrays": sorted(block.arrays),
        }
        for block in blocks
    ]
    header = {"format": FORMAT, "version": LAYOUT, "digest": _digest_of_blocks(entries), "blocks": entries}
    return as_text(header), arrays


def _digest_of_blocks(entries: list[dict[str, Any]]) -> str:
    """Return the digest of what the header says of its blocks; the digest of each block is part of it."""
    return digest([[entry[key] for key in ("name", "digest")] for entry in entries], {})


def decoded(header: Any, arrays: Arrays) -> SavedContent:
    """Return the content of a header and its arrays; whatever is wrong with them is an OutcomeError."""
    with _damage_refused():
        check(isinstance(header, dict) and header.get("format") == FORMAT, "the header is not one of saved counts")
        version: Any = header.get("version")
        check(type(version) is int and version >= 1, "the version is invalid")
    if version != LAYOUT:
        problem = f"the saved counts have layout {version}, and this version of scorio reads layout {LAYOUT} only"
        hint = "update scorio" if version > LAYOUT else "read the logs again, and save their counts"
        raise OutcomeError(problem, hint=hint)
    with _damage_refused():
        blocks = _checked_blocks(header, arrays)
        return replace(_content_of_blocks(blocks), digest=digest(blocks[_OUTCOMES].content, blocks[_OUTCOMES].arrays))


@contextmanager
def _damage_refused() -> Iterator[None]:
    """Say of every error that the file is damaged."""
    try:
        yield
    except OutcomeError as error:
        raise damaged(error.text()) from None
    except _DAMAGES as error:
        raise damaged(f"{type(error).__name__}: {str(error).partition(chr(10))[0]}") from None


def damaged(problem: str) -> OutcomeError:
    """Return the error of a file that is not what was saved."""
    return OutcomeError(f"the saved counts are damaged: {problem}")


def _checked_blocks(header: Mapping[str, Any], arrays: Arrays) -> dict[str, Block]:
    """Return the blocks of a header by name, each checked to be the one that was saved."""
    entries = header["blocks"]
    check(set(header) == {"format", "version", "digest", "blocks"}, "the header has other entries than stated")
    check(all(set(entry) == _ENTRIES for entry in entries), "a block has other entries than stated")
    check(_digest_of_blocks(entries) == header["digest"], "the blocks are not those that were saved")
    names = [entry["name"] for entry in entries]
    check({*names} <= _BLOCKS and len({*names}) == len(names), "the blocks have no names")
    blocks: dict[str, Block] = {}
    for entry in entries:
        own = below(arrays, f"{entry['name']}/")
        check(sorted(own) == entry["arrays"], f"the arrays of {entry['name']!r} are not those that were saved")
        check(digest(entry["content"], own) == entry["digest"], f"{entry['name']!r} is not what was saved")
        blocks[entry["name"]] = Block(entry["name"], entry["content"], own)
    check(sum(len(block.arrays) for block in blocks.values()) == len(arrays), "an array belongs to no block")
    return blocks


def _content_of_blocks(known: Mapping[str, Block]) -> SavedContent:
    check(_OUTCOMES in known and _PARTS in known, "there are no outcomes or no parts")
    none = Block("", [])
    tasks = unpacked_tasks(known[_OUTCOMES].content, known[_OUTCOMES].arrays)
    if _RUNS in known:
        tasks = with_runs(tasks, known[_RUNS].content, known[_RUNS].arrays)
    if _SAMPLES in known:
        tasks = with_samples(tasks, known[_SAMPLES].content, known[_SAMPLES].arrays)
    parts = _parts(known[_PARTS].content, tasks)
    facts = known[_FACTS].content if _FACTS in known else {}
    check(facts.keys() <= parts.keys(), "there are facts of another part")
    return SavedContent(
        tasks,
        parts,
        known.get(_STATE, none).content or None,
        costs=_costs_of_block(known.get(_COSTS, none), tasks),
        success_costs=_success_costs(known.get(_SUCCESS_COSTS, none), tasks),
        facts={part: _facts_from_json(each, tasks) for part, each in facts.items()},
    )


def _parts(parts: Any, tasks: Tasks) -> dict[str, Metadata]:
    names = sorted({model for models in tasks.values() for model in models})
    check(isinstance(parts, dict) and parts, "there is no part")
    return {part: check_metadata(metadata, names) for part, metadata in parts.items()}


def _facts_from_json(entries: Any, tasks: Tasks) -> Facts:
    """Return what a part says of each task, checked to be of models that there are."""
    facts = {entry["task"]: check_metadata(entry["models"], [*tasks[entry["task"]]]) for entry in entries}
    for models in facts.values():
        for fact in models.values():
            costs = fact.get("costs", {})
            check(type(fact["trials"]) is int and fact["trials"] >= 0, "a number of trials is invalid")
            check(is_costs(costs) and all(mean >= 0 for mean in costs.values()), "a mean cost is invalid")
            check(isinstance(fact.get("conditions", {}), dict), "conditions are invalid")
    return facts


def _packed_costs(costs: Costs) -> tuple[list[dict[str, Any]], Arrays]:
    """Return the description of the costs of single trials, without the labels of their questions, and their arrays."""
    described: list[dict[str, Any]] = []
    arrays: Arrays = {}
    for task, known in costs.items():
        for what, models in known.items():
            if models:
                plain = {name: each._replaced(questions=None, clusters=None) for name, each in models.items()}
                about, own = packed(plain)
                arrays |= {f"{len(described)}/{name}": array for name, array in own.items()}
                described.append({"task": task, "cost": what} | about)
    return described, arrays


def _costs_of_block(block: Block, tasks: Tasks) -> Costs:
    return _unpacked_costs([(each, below(block.arrays, f"{i}/")) for i, each in enumerate(block.content)], tasks)


def _success_costs(block: Block, tasks: Tasks) -> Costs:
    """Return the costs of the trials that succeeded, checked to be as many as the successes."""
    found = _costs_of_block(block, tasks)
    for task, known in found.items():
        for name, costs in ((name, each) for models in known.values() for name, each in models.items()):
            check(if_of_successes(costs, tasks[task][name]) is not None, "the costs of successes are of other trials")
    return found


def _unpacked_costs(entries: Iterable[tuple[Any, Arrays]], tasks: Tasks) -> dict[str | None, dict[str, Any]]:
    """Return the costs of single trials with the labels of their questions."""
    costs: dict[str | None, dict[str, dict[str, RewardMatrix]]] = {}
    for entry, arrays in entries:
        of_task = tasks[entry["task"]]
        first = next(iter(of_task.values()))
        models = unpacked(entry, arrays)
        for name, trials in models.items():
            check(name in of_task and trials.n_questions == first.n_questions, "the costs are of other models")
            check(trials.is_continuous, "the costs are no numbers")
        costs.setdefault(entry["task"], {})[str(entry["cost"])] = {
            name: cast("RewardMatrix", each._replaced(questions=first.questions, clusters=first.clusters))
            for name, each in models.items()
        }
    return costs
