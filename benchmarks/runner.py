"""Run studies: how often statements of scorio are right in worlds with known truth, as tables of parameters.

A study is a function of a random generator and of the parameters of a row. It draws one world, makes the statements,
and returns what is counted, by column: whether an interval held, whether a model was called, how wide an interval was.
It may also yield pairs of further parameters and columns, if one world tells about several rows.
"""

import csv
import itertools
import json
import platform
import warnings
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

import numpy as np

RESULTS, DOCS = Path(__file__).parent / "RESULTS.md", Path(__file__).parent.parent / "docs"
CHUNK = 10  # worlds of one job
Row = dict[str, Any]
STUDIES: dict[str, "Study"] = {}


@dataclass(frozen=True)
class Study:
    """A function of worlds, its rows, and where its table is shown."""

    run: Callable[..., Any]
    rows: list[Row] | Callable[[], list[Row]]
    worlds: int = 400
    page: str = ""  # RESULTS.md, or a page of docs/
    mark: str = ""  # between which the table is written on the page
    by: tuple[tuple[str, ...], ...] = ()  # parameters by which rows are summarized, a table for each
    finish: Callable[[dict[str, np.ndarray]], dict[str, float]] | None = None  # columns of all worlds together


def study(rows: list[Row] | Callable[[], list[Row]], **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Register a function as the study of its name; ``rows`` may be a function, where they depend on ``--data``."""

    def register(run: Callable[..., Any]) -> Callable[..., Any]:
        STUDIES[run.__name__.replace("_", "-")] = Study(run, rows, **options)
        return run

    return register


def grid(**levels: Any) -> list[Row]:
    """Rows of all combinations of these levels."""
    return [dict(zip(levels, each, strict=True)) for each in itertools.product(*levels.values())]


@dataclass(frozen=True)
class Found:
    """A row with what its worlds gave: the mean of each column, and its standard error."""

    row: Row
    mean: dict[str, float]
    error: dict[str, float]
    worlds: int


def replicate(name: str, row: Row, seed: int, numbers: range) -> list[tuple[str, dict[str, float]]]:
    """The columns of some worlds of a row, with the further parameters as JSON."""
    own, found = [seed, zlib.crc32(name.encode()), zlib.crc32(repr(row).encode())], []
    about = {key: value for key, value in row.items() if key != "worlds"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is warned of is tested elsewhere
        for number in numbers:
            given = STUDIES[name].run(np.random.default_rng([*own, number]), **about)
            pairs = [({}, given)] if isinstance(given, dict) else given
            found += [(json.dumps(more), {key: float(x) for key, x in each.items()}) for more, each in pairs]
    return found


def summarized(numbers: list[dict[str, float]], row: Row, finish: Any) -> Found:
    """Means with their errors; the error of a share of 0 or 1 is that of one event."""
    columns = {name: np.array([each.get(name, np.nan) for each in numbers]) for each in numbers for name in each}
    mean, error = {}, {}
    for name, values in columns.items():
        known = values[~np.isnan(values)]
        mean[name] = float(known.mean()) if known.size else np.nan
        spread = float(known.std()) if known.size else np.nan
        if spread == 0.0 and mean[name] in (0.0, 1.0):
            spread = np.sqrt((1.0 / known.size) * (1.0 - 1.0 / known.size))
        error[name] = spread / np.sqrt(max(known.size, 1))
    more = finish(columns) if finish else {}
    return Found(row, mean | more, error, len(numbers))


def results(name: str, rows: list[Row], worlds: int, seed: int, jobs: int, save: Path | None) -> Iterator[Found]:
    """What each row gave; rows that are in the file already are not simulated again."""
    known: dict[str, list[dict[str, Any]]] = {}
    for line in save.read_text().splitlines() if save and save.exists() else ():
        each = json.loads(line)
        known.setdefault(each.pop("key"), []).append(each)
    with ProcessPoolExecutor(jobs) if jobs > 1 else _Here() as pool:
        for row in rows:
            key, count = f"{name} {row} {worlds} {seed}", max(2, round(worlds * row.get("worlds", 1.0)))
            if key in known:
                yield from (Found(**each) for each in known[key])
                continue
            parts = [range(start, min(start + CHUNK, count)) for start in range(0, count, CHUNK)]
            groups: dict[str, list[dict[str, float]]] = {}
            for found in pool.map(partial(replicate, name, row, seed), parts):
                for more, numbers in found:
                    groups.setdefault(more, []).append(numbers)
            shown = {k: v for k, v in row.items() if k != "worlds"}
            made = [summarized(of, shown | json.loads(k), STUDIES[name].finish) for k, of in groups.items()]
            if save:
                with save.open("a") as file:
                    file.writelines(json.dumps({"key": key} | vars(each)) + "\n" for each in made)
            yield from made


class _Here:
    """A pool of no processes."""

    map = staticmethod(map)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def cell(mean: float, error: float | None) -> str:
    """A mean with its standard error."""
    if np.isnan(mean):
        return "-"
    digits = 4 if error is not None and 1e-9 < error < 8e-4 else 3 if abs(mean) < 10 else 1
    return f"{mean:.{digits}f}" if error is None else f"{mean:.{digits}f} ± {error:.{digits}f}"


def share(count: int, total: int) -> str:
    """A share with its standard error; at 0 and 1 that of one event."""
    p = count / total
    return cell(p, float(np.sqrt(max(p * (1.0 - p), (1.0 - 1.0 / total) / total) / total)))


def said(value: Any) -> str:
    """A parameter in a cell."""
    if isinstance(value, tuple | list):
        return ", ".join(map(said, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def table(every: list[Found]) -> str:
    """The rows as a Markdown table."""
    columns = list(dict.fromkeys(name for each in every for name in each.mean))
    heads = list(dict.fromkeys(name for each in every for name in each.row))
    lines = [
        [*(said(each.row.get(name, "")) for name in heads), *(shown(each, name) for name in columns)] for each in every
    ]
    return _markdown([*heads, *columns], lines)


def shown(found: Found, column: str) -> str:
    """A cell of a row, empty where it has no such column."""
    return cell(found.mean[column], found.error.get(column)) if column in found.mean else ""


def _markdown(heads: list[str], lines: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(each) + " |" for each in (heads, ["---"] * len(heads), *lines))


def summary(every: list[Found], by: tuple[str, ...]) -> str:
    """Means over the rows that are alike in these parameters, and in parentheses their range."""
    groups: dict[tuple[str, ...], list[Found]] = {}
    for each in every:
        groups.setdefault(tuple(said(each.row.get(name, "")) for name in by), []).append(each)
    columns, lines = list(dict.fromkeys(name for each in every for name in each.mean)), []
    for key, of in groups.items():
        cells = []
        for name in columns:
            values = np.array([each.mean.get(name, np.nan) for each in of])
            known = values[~np.isnan(values)]
            errors = np.array([each.error.get(name, np.nan) for each in of])
            error = float(np.sqrt(np.nansum(errors**2)) / max(known.size, 1))
            cells.append(f"{cell(known.mean(), error)} ({known.min():.3f} to {known.max():.3f})" if known.size else "-")
        lines.append([*key, str(len(of)), *cells])
    return _markdown([*by, "rows", *columns], lines)


def write_csv(path: Path, every: list[Found]) -> None:
    """Write the means of all rows."""
    with path.open("w", newline="") as file:
        rows = [each.row | {name: f"{x:.4g}" for name, x in each.mean.items()} for each in every]
        writer = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: said(value) for name, value in row.items()} for row in rows)


def made() -> str:
    """With what, and when."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("scorio", "numpy", "scipy"))
    return f"{packages}, Python {platform.python_version()}, {datetime.now(tz=UTC).date()}"


def fill(page: str, mark: str, text: str) -> None:
    """Put a text into RESULTS.md, or on a page of docs/, between ``<!-- mark -->`` and ``<!-- end of mark -->``."""
    path = RESULTS if page == RESULTS.name else DOCS / page
    begin, end = f"<!-- {mark} -->", f"<!-- end of {mark} -->"
    before, is_there, rest = path.read_text().partition(begin)
    _, is_ended, after = rest.partition(end)
    if not (is_there and is_ended):
        raise SystemExit(f"{path} has no line {begin!r} with {end!r} after it: add both where the table is to be")
    path.write_text(f"{before}{begin}\n{text}\n{end}{after}")
