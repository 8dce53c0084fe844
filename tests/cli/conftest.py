"""Tests of the command line need click."""

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("click") else ["test_*.py"]
