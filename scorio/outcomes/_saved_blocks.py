"""The layouts of a file of saved counts: a header in JSON and arrays by name, to content and back.

Layout 3 is a list of named blocks, each of which has a version and a digest. A block that this version of scorio does
not know is refused if the rest of the file needs it, and carried along otherwise. Layouts 1 and 2 are only read.
"""

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

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
LAYOUT = 3
# The blocks, and the newest version of each that is known.
_OUTCOMES, _PARTS, _FACTS, _COSTS, _STATE = "outcomes", "parts", "task_facts", "trial_costs", "accumulator"
_RUNS, _SAMPLES, _SUCCESS_COSTS = "runs", "samples", "success_costs"
_KNOWN: dict[str, int] = dict.fromkeys((_OUTCOMES, _PARTS, _FACTS, _COSTS, _STATE, _RUNS, _SAMPLES, _SUCCESS_COSTS), 1)
_ENTRIES = {"name", "version", "needed", "digest", "content", "arrays"}  # of a block in the header
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_UPDATE = "update scorio"
_DAMAGES = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, RecursionError, MemoryError)


def encoded(content: SavedContent) -> tuple[str, Arrays]:
    """Return the header as JSON and the arrays."""
    blocks = [
        Block(_OUTCOMES, *packed_tasks(content.tasks), needed=True),
        Block(_PARTS, dict(sorted(content.parts.items())), needed=True),
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
        blocks.append(Block(_STATE, content.state, content.state_arrays))
    blocks += content.others
    arrays = {f"{block.name}/{name}": array for block in blocks for name, array in block.arrays.items()}
    entries = [
        {
            "name": block.name,
            "version": block.version,
            "needed": block.needed,
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
    return digest([[entry[key] for key in ("name", "version", "needed", "digest")] for entry in entries], {})


def decoded(header: Any, arrays: Arrays) -> SavedContent:
    """Return the content of a header and its arrays; whatever is wrong with them is an OutcomeError."""
    with _damage_refused():
        check(isinstance(header, dict) and header.get("format") == FORMAT, "the header is not one of saved counts")
        version: Any = header.get("version")
        check(type(version) is int and version >= 1, "the version is invalid")
        if version < LAYOUT:
            return _decoded_earlier(header, arrays)
    if version > LAYOUT:
        problem = f"the saved counts have layout {version}, and this version of scorio reads up to {LAYOUT}"
        raise OutcomeError(problem, hint=_UPDATE)
    with _damage_refused():
        blocks = _checked_blocks(header, arrays)
    known = {block.name: block for block in blocks if block.version <= _KNOWN.get(block.name, 0)}
    others = tuple(block for block in blocks if block.name not in known)
    for block in others:
        if block.needed:
            problem = f"the saved counts hold {block.name!r} (version {block.version}), which this version cannot read"
            raise OutcomeError(problem, hint=_UPDATE)
    with _damage_refused():
        content = _content_of_blocks(known, others)
        return replace(content, digest=next(each["digest"] for each in header["blocks"] if each["name"] == _OUTCOMES))


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


def _checked_blocks(header: Mapping[str, Any], arrays: Arrays) -> list[Block]:
    """Return the blocks of a header, each checked to be the one that was saved."""
    entries = header["blocks"]
    check(set(header) == {"format", "version", "digest", "blocks"}, "the header has other entries than stated")
    check(all(set(entry) == _ENTRIES for entry in entries), "a block has other entries than stated")
    check(_digest_of_blocks(entries) == header["digest"], "the blocks are not those that were saved")
    names = [entry["name"] for entry in entries]
    check(all(_NAME.fullmatch(name) for name in names) and len(set(names)) == len(names), "the blocks have no names")
    blocks: list[Block] = []
    for entry in entries:
        own = below(arrays, f"{entry['name']}/")
        check(sorted(own) == entry["arrays"], f"the arrays of {entry['name']!r} are not those that were saved")
        check(type(entry["version"]) is int and type(entry["needed"]) is bool, "the version of a block is invalid")
        check(digest(entry["content"], own) == entry["digest"], f"{entry['name']!r} is not what was saved")
        blocks.append(Block(entry["name"], entry["content"], own, entry["version"], entry["needed"]))
    check(sum(len(block.arrays) for block in blocks) == len(arrays), "an array belongs to no block")
    return blocks


def _content_of_blocks(known: Mapping[str, Block], others: tuple[Block, ...]) -> SavedContent:
    check(_OUTCOMES in known and _PARTS in known, "there are no outcomes or no parts")
    none = Block("", [])
    outcomes, state = known[_OUTCOMES], known.get(_STATE, none)
    tasks = unpacked_tasks(outcomes.content, outcomes.arrays)
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
        state.content or None,
        state.arrays,
        costs=_costs_of_block(known.get(_COSTS, none), tasks),
        success_costs=_success_costs(known.get(_SUCCESS_COSTS, none), tasks),
        facts={part: _facts_from_json(each, tasks) for part, each in facts.items()},
        others=others,
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


# Layouts 1 and 2: entries of fixed names, and a digest of the outcomes only.

_EARLIER_COSTS = "trial_costs"  # which only layout 2 has, with arrays as text
_TYPES = ("<u1", "<u2", "<u4", "<u8", "<f8", "|u1")  # of these arrays


def _decoded_earlier(header: Mapping[str, Any], arrays: Arrays) -> SavedContent:
    """Return the content of a file of layout 1 or 2."""
    state = below(arrays, "state/")
    outcomes = {name: array for name, array in arrays.items() if not name.startswith("state/")}
    tasks = unpacked_tasks(header["tasks"], outcomes)
    check(digest(header["tasks"], outcomes) == header["digest"], "the counts are not those that were saved")
    entries = header.get(_EARLIER_COSTS, [])
    if entries:
        check(digest(entries, {}) == header[f"{_EARLIER_COSTS}_digest"], "the costs are not those that were saved")
    in_arrays = [(each, {name: _array_from_text(*array) for name, array in each["arrays"].items()}) for each in entries]
    costs = _unpacked_costs(in_arrays, tasks)
    return SavedContent(tasks, _parts(header["parts"], tasks), header["state"], state, header["digest"], costs)


def _array_from_text(kind: str, shape: list[int], text: str) -> NDArray[Any]:
    check(kind in _TYPES, "an array of costs has another type than stated")
    return np.frombuffer(base64.b64decode(text, validate=True), np.dtype(kind)).reshape(shape)
