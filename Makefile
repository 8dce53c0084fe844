# One word per loop; `make help` lists them. PYTHON chooses the environment: make test PYTHON=python3
PYTHON ?= .venv/bin/python
BIN = $(dir $(PYTHON))
export PATH := $(abspath $(BIN)):$(PATH)
RUN = $(PYTHON) -m
TOOLS ?= deepeval evalplus evalscope mlflow verifiers

.DEFAULT_GOAL := help
.PHONY: help setup build fast test slow simulations timing structure lint format types docs tools more-tools bench instructions hooks all

help:  ## List these words.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

setup:  ## Make .venv with what a change needs: numpy, scipy, the libraries of the tests and the build tools.
	python3 -m venv .venv
	.venv/bin/pip install --quiet --upgrade pip
	.venv/bin/pip install --quiet "cython>=3.2" "setuptools>=77"
	.venv/bin/pip install --quiet --no-build-isolation -e ".[test]"

build:  ## Rebuild the kernels that changed, in place.
	$(PYTHON) setup.py --quiet build_ext --inplace

fast:  ## Run the quick tests of what has changed, those that failed last time first.
	$(RUN) pytest -q --ff -n logical -m "not slow and not tools and not spark and not dask" $$($(PYTHON) tools/touched.py)

test:  ## Run the tests that take less than a second each, as far as this environment has the libraries for them.
	$(RUN) pytest -q

slow:  ## Run the tests that take longer, without the simulations.
	$(RUN) pytest -q -n logical --dist load --maxschedchunk 1 -m "slow and not simulation and not tools and not spark and not timing"

simulations:  ## Run the simulations: how often intervals contain the truth, how often rules err.
	$(RUN) pytest -q -n logical --dist load --maxschedchunk 1 -m simulation

timing:  ## Run the tests whose verdict depends on the clock, alone.
	$(RUN) pytest -q -n 0 -m timing

lint:  ## Check style: Python, Cython, spelling.
	$(BIN)ruff check .
	$(BIN)ruff format --check .
	$(BIN)cython-lint scorio/_kernels
	$(BIN)codespell

structure:  ## Check what can be said of the tree without running it: imports, sizes, words.
	$(PYTHON) tools/structure.py

format:  ## Format the code and mend what the linter can.
	$(BIN)ruff check --fix .
	$(BIN)ruff format .

types:  ## Check types: mypy, pyright, the kernels' stubs.
	$(BIN)mypy
	$(BIN)pyright --pythonpath $(PYTHON)
	$(RUN) mypy.stubtest scorio._kernels --mypy-config-file pyproject.toml --allowlist .ci/stubtest-allowlist.txt --ignore-unused-allowlist

docs:  ## Build the documentation, warnings as errors.
	$(BIN)sphinx-build --quiet --fail-on-warning docs docs/_build

tools:  ## Run the tests that need the real evaluation tools, and Spark.
	$(RUN) pytest -q -p no:xdist -m "tools or spark"
	$(RUN) pytest -q tests/docs/test_docs.py -k integrations

more-tools:  ## Run the tests of further tools; .tools/ gets an environment of about 1 GB for each, lighteval's of 7 GB.
	for tool in $(TOOLS); do test -d .tools/$$tool || { python3 -m venv .tools/$$tool && .tools/$$tool/bin/pip install --quiet $$tool || exit 1; }; done
	test -d .tools/lighteval || { python3 -m venv .tools/lighteval && .tools/lighteval/bin/pip install --quiet lighteval "huggingface_hub<1" "xxhash<4"; }
	if command -v npm > /dev/null && ! test -d .tools/promptfoo; then mkdir -p .tools/promptfoo && npm install --silent --prefix .tools/promptfoo promptfoo; fi
	SCORIO_TOOLS=.tools $(RUN) pytest -q tests/io/test_tools.py

bench:  ## Run every benchmark once; for figures: python -m pytest benchmarks --benchmark-enable.
	$(RUN) pytest -q benchmarks --benchmark-disable

instructions:  ## Count the instructions of kernels and small calls against the record; needs valgrind.
	$(PYTHON) benchmarks/instructions.py

hooks:  ## Install the checks that run before each commit.
	$(BIN)pre-commit install

all:  ## Run everything that must hold before a change lands, in fresh environments.
	.ci/run
