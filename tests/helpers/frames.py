"""The same rows in every kind of data frame."""

import importlib
import os
import shutil
import sys
from contextlib import contextmanager

import pytest


def rows_of(tables, **labels):
    """One row a trial of tables by model: questions by label, outcomes in order."""
    found = {"the.model": [], "task id": [], "try": [], "out.come": []} | {name: [] for name in labels}
    for model, questions in tables.items():
        for question, outcomes in questions.items():
            for trial, outcome in enumerate(outcomes):
                row = {"the.model": model, "task id": question, "try": trial, "out.come": outcome}
                for column, value in (row | {name: of[question] for name, of in labels.items()}).items():
                    found[column].append(value)
    return found


def _pandas(rows):
    return importlib.import_module("pandas").DataFrame(rows)


def _pandas_arrow(rows):
    importlib.import_module("pyarrow")
    return _pandas(rows).convert_dtypes(dtype_backend="pyarrow")


def _polars(rows):
    return importlib.import_module("polars").DataFrame(rows, strict=False)


def _polars_categories(rows):
    polars = importlib.import_module("polars")
    return _polars(rows).with_columns(polars.col("the.model").cast(polars.String).cast(polars.Categorical))


def _pyarrow(rows):
    return importlib.import_module("pyarrow").table(rows)


def _pyarrow_dictionary(rows):
    table = _pyarrow(rows)
    return table.set_column(table.column_names.index("the.model"), "the.model", table["the.model"].dictionary_encode())


def _dask(rows):
    return importlib.import_module("dask.dataframe").from_pandas(_pandas(rows), npartitions=3)


@contextmanager
def spark(mode):
    """A local session: in this process, or of a Spark Connect server."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = importlib.import_module("pyspark.sql").SparkSession.builder.config("spark.sql.shuffle.partitions", "2")
    if mode == "connect":
        session = builder.remote("local[2]").getOrCreate()
    else:
        local = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.log.level": "OFF"}
        session = builder.config(map=local).master("local[2]").getOrCreate()
    try:
        yield session
    finally:
        session.stop()


@contextmanager
def _of_spark(mode):
    types = importlib.import_module("pyspark.sql.pandas.types")
    with spark(mode) as session:

        def make(rows):
            table = _pyarrow(rows)
            return session.createDataFrame(table, types.from_arrow_schema(table.schema))

        yield make


@contextmanager
def _of(make):
    yield make


PLAIN = {
    "pandas": ("pandas", _pandas),
    "pandas-nullable": ("pandas", lambda rows: _pandas(rows).convert_dtypes()),
    "pandas-arrow": ("pandas", _pandas_arrow),
    "pandas-categories": (
        "pandas",
        lambda rows: _pandas(rows).astype({"the.model": "category", "task id": "category"}),
    ),
    "polars": ("polars", _polars),
    "polars-lazy": ("polars", lambda rows: _polars(rows).lazy()),
    "polars-categories": ("polars", _polars_categories),
    "pyarrow": ("pyarrow", _pyarrow),
    "pyarrow-dictionary": ("pyarrow", _pyarrow_dictionary),
    "duckdb": ("duckdb", lambda rows: importlib.import_module("duckdb").from_arrow(_pyarrow(rows))),
}


def maker(library):
    """Return what makes a frame of a library from columns, if it is installed."""
    needs, make = PLAIN[library]
    for module in ("narwhals", "pyarrow", needs):
        pytest.importorskip(module)
    return make


SPARK = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]
ENGINES = [
    *(pytest.param((needs, lambda make=make: _of(make)), id=name) for name, (needs, make) in PLAIN.items()),
    pytest.param(("dask.dataframe", lambda: _of(_dask)), id="dask", marks=pytest.mark.dask),
    pytest.param(("pyspark", lambda: _of_spark("classic")), id="spark", marks=SPARK),
    pytest.param(("pyspark", lambda: _of_spark("connect")), id="spark-connect", marks=SPARK),
]


@contextmanager
def engine(needs, opened):
    """What makes a frame of rows, if the engine is installed."""
    for module in ("narwhals", "pyarrow", needs):
        pytest.importorskip(module)
    if needs == "pyspark" and not (shutil.which("java") or "JAVA_HOME" in os.environ):
        pytest.skip("Spark needs Java")
    with opened() as make:
        yield make
