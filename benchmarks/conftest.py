"""Use short rounds, so that all benchmarks end within a minute; ``--benchmark-max-time=1`` for better figures."""


def pytest_configure(config):
    if config.getoption("benchmark_max_time", default=None) == "1.0":
        config.option.benchmark_max_time = "0.1"
        config.option.benchmark_min_rounds = 3
