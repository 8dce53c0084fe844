"""The names that arguments and command-line options offer, where the command line must not load what they choose.

A test holds those that are the keys of a table equal to it.
"""

LEARNED, UNIFORM = "learned", "uniform"  # priors
SHAPES_OF_ALL_METRICS = ("normal", "quantile")  # of intervals, which every metric must have
SHAPES = (*SHAPES_OF_ALL_METRICS, "binomial", "profile")  # of intervals
BEYOND = "beyond"  # the shape of an interval that what the trials leave open has widened
AUTO, INDEPENDENT, RANDOM = RUNS = ("auto", "independent", "random")  # how trials of one run are taken
TARGETS = ("questions", "population")  # of intervals
VOTE_TIES = ("shared", "none")  # of answers with equally many votes
RULES = ("interval", "published")  # of comparisons
FAMILIES = ("each", "holm", "fdr", "simultaneous")  # of pairs of models: the error that is controlled
TOO_FEW = ("raise", "omit")  # of questions with fewer trials than a metric needs
TOO_FEW_OR_NAN = (*TOO_FEW, "nan")  # where a score may be NaN: the interval is a forecast
OVERALL = "overall"  # the score over all tasks, beside those of tasks
BY_QUESTIONS = "questions"  # weights of tasks by their number of questions
GATE_MODES = ("worse", "noninferior", "equivalent")
SUCCESS = "success"  # that costs are per success
PER = ("trial", SUCCESS)  # of tables of costs
DECIDED_BY = ("all", "tasks", "overall")  # the checks of a gate
FLAGS = (  # of questions
    "never solved",
    "always solved",
    "solved less by better models",
    "flaky",
)
SORT_KEYS = ("difficulty", "discrimination", "disagreement", "mean", "question", "flags")  # of tables of questions
PROFILES = ("typical", "hard", "two-sided")  # of difficulties, for plans without a pilot
FROM_PAPERS = ("auc", "spectrum", "geom", "geomds", "geospectrum")  # metrics seldom reported elsewhere


def without_warning(runs: str) -> str:
    """Return how runs are taken by a second analysis of the same data, which gives no second warning."""
    return INDEPENDENT if runs == AUTO else runs


CATEGORICAL, CONTINUOUS = "categorical", "continuous"  # rewards of outcomes
SAMPLES = "samples"  # instead of rewards: what a rule chose among trials
STANDARDS = ("nist-800-3",)  # of reports
