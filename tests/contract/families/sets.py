"""Calls about several models: comparisons, gates, leaderboards, ranks, questions, histories and diagnosis."""

from ..calls import calls, family
from .scores import CONFIDENCES, PRIORS

TWO = [
    "binary, better",
    "binary, longer",
    "few, few_more",
    "single, single_better",
    "zeros, ones",
    "clustered, clustered_better",
    "in_runs, in_runs_better",
]
TWO += [
    "levels, levels_better",
    "continuous, continuous_better",
    "ragged, adaptive",
    "amber_alone, cedar_alone",
    "skewed, large",
]
SETS = [
    "models",
    "models_few",
    "models_single",
    "models_missing",
    "models_clustered",
    "models_runs",
    "models_levels",
    "models_continuous",
    "models_solved",
    "suite",
    "suite_mixed",
]
METRICS = ["'pass@1'", "'pass@4'", "'pass^2'", "'avg'", "'bayes'", "'maj@3'", "'geom@2'"]
WEIGHTS = ["'questions'", "{'easy': 1, 'hard': 3}"]
POPULATION = ["'population'"]
RUNS = ["'independent'", "'random'"]


@family("comparisons")
def comparisons():
    yield from calls(
        "compare",
        METRICS,
        TWO,
        target=POPULATION,
        paired=["False", "True"],
        rule=["'published'"],
        prior=PRIORS[1:4],
        shape=["'normal'", "'quantile'"],
        confidence=CONFIDENCES,
        names=["('new', 'old')"],
        looks=["Looks(trials=64)"],
        shared_only=["True"],
        runs=RUNS,
        task_weights=WEIGHTS,
    )
    yield from calls("compare", ["'pass@1'", "'avg'"], TWO, target=POPULATION)
    yield from (
        f"compare('pass@1', binary, better{each}"
        for each in (").draws(3, rng=1)", ").verdicts()", ").to_methods()", ", target='population').to_methods()")
    )
    yield from calls(
        "compare_rules",
        ["'vote@3'", "'best@2:by=judge'"],
        ["'pass@1'", "'vote@1'", "'weighted_vote@3:by=judge'"],
        ["answered", "valued_answers"],
        target=POPULATION,
        confidence=CONFIDENCES,
        shape=["'normal'"],
    )
    yield from calls(
        "compare_rules",
        ["'pass@2'"],
        ["'avg'", "'pass^2'"],
        ["binary", "clustered", "ragged"],
        then=".verdicts()",
        target=POPULATION,
        confidence=CONFIDENCES,
    )
    yield from calls(
        "diff_questions",
        [
            "better, binary",
            "few_more, few",
            "models, models_clustered",
            "suite, suite",
            "in_runs_better, in_runs",
            "levels_better, levels",
            "single_better, single",
            "ones, zeros",
        ],
        model=["('cedar', 'dune')", "'amber'"],
        fdr=["0.01", "0.5"],
        runs=RUNS,
    )
    for end in (".of_kind('improved')", ".to_html()", ".flaky_table(limit=3)"):
        yield f"diff_questions(better, binary){end}"
    costs = {
        "model": ["('amber', 'cedar')"],
        "names": ["('x', 'y')"],
        "task_weights": WEIGHTS[:1],
        "confidence": CONFIDENCES,
        "prior": PRIORS[:2],
        "target": POPULATION,
        "shared_only": ["True"],
    }
    yield from calls(
        "comparison.compare_costs",
        ["costly_trials"],
        ["costly_trials"],
        cost=["'usd'", "{'amber': 1.0, 'cedar': 2.0}"],
        **costs,
    )


@family("gates")
def gates():
    limits = {
        "max_drop": ["0.1", "'5%'", "{'overall': 0.2}"],
        "mode": ["'noninferior'", "'significant'", "'equivalent'", "'point'"],
        "equivalent": ["0.1"],
    }
    terms = {
        "confidence": CONFIDENCES,
        "target": POPULATION,
        "task_weights": WEIGHTS,
        "decided_by": ["'tasks'", "'overall'"],
        "prior": PRIORS[1:3],
        "shared_only": ["True"],
        "allow_missing": ["True"],
        "runs": RUNS,
    }
    yield from calls(
        "gate",
        ["'pass@1'", "None", "['pass@1', 'avg']"],
        [f"{b}, {a}" for a, b in (each.split(", ") for each in TWO)],
        **limits,
        **terms,
    )
    yield from calls(
        "gate",
        ["'pass@1'"],
        ["suite, suite", "models, models", "models_runs, models_runs"],
        ["model=('amber', 'dune')", "model='amber'", "model=('dune', 'amber')"],
        **limits,
    )
    yield from calls(
        "gate",
        ["'pass@1'"],
        ["binary", "ragged", "one_question", "single"],
        per_question=["0.2", "0.6", "{0: 0.9}"],
        question_rule=["'binomial'"],
        confidence=CONFIDENCES,
    )
    yield from calls(
        "gate",
        ["'pass@1'"],
        ["binary, better", "better, binary", "ones, zeros", "zeros, ones"],
        no_new_failures=["True"],
        allow=["1", "3", "[0, 1]"],
        confidence=CONFIDENCES,
    )
    yield from calls(
        "gate",
        ["'pass@1'"],
        ["costly_trials, costly_trials"],
        ["model=('amber', 'cedar')", "model=('dune', 'amber')"],
        max_cost_rise=["0.5", "'10%'", "'900%'"],
        cost=["'usd'", "{'amber': 1.0, 'cedar': 2.0, 'dune': 1.0}"],
    )
    yield from (
        f"gate('pass@1', better, binary, mode='noninferior').{each}()" for each in ("junit", "markdown", "annotations")
    )
    claims = [
        "{'better': ['cedar', 'dune']}",
        "{'better': ['amber', 'elder'], 'by': 0.02}",
        "{'no_worse': ['amber', 'elder'], 'by': 0.2}",
        "{'best': 'cedar'}",
        "{'top': 'cedar', 'k': 2}",
        "{'cheaper': ['amber', 'cedar'], 'by': '10%', 'cost': 'usd'}",
    ]
    for each in claims:
        yield f"comparison.Claim.of({each})"
    yield from calls(
        "comparison.check_claims",
        [f"[{', '.join(claims[:1])}]", f"[{', '.join(claims[:4])}]"],
        ["models", "models_few", "suite", "models_single"],
        metric=["'pass@2'", "'avg'"],
        confidence=CONFIDENCES,
        target=POPULATION,
    )
    yield from (
        f"comparison.check_claims([{claims[0]}], models).{each}()"
        for each in ("annotations", "junit", "markdown", "to_csv")
    )


@family("boards")
def boards():
    ways = {
        "confidence": CONFIDENCES,
        "prior": PRIORS[:4],
        "shape": ["'normal'", "'quantile'", "'binomial'"],
        "target": POPULATION,
        "bounds": ["None", "(0, 0.9)"],
        "tie": ["'zscore_adjacent'", "'ci_overlap_adjacent'"],
    }
    ways |= {
        "ranking": ["'competition_max'", "'dense'", "'avg'"],
        "too_few": ["'omit'", "'nan'"],
        "draws": ["500"],
        "rng": ["3"],
        "n_jobs": ["2"],
        "runs": RUNS,
        "task_weights": WEIGHTS,
    }
    yield from calls("Leaderboard", [*METRICS[:4], "['pass@1', 'pass@3']", "'pass@9'"], SETS, **ways)
    yield from calls("Leaderboard", ["'pass@1'", "'avg'", "['avg', 'pass@2']"], SETS, target=POPULATION)
    yield from calls(
        "Leaderboard('avg', {}).pairs", SETS, ["'each'", "'holm'", "'fdr'", "'simultaneous'"], tasks=["True"]
    )
    yield from calls("Leaderboard('pass@1', {}).top_scores", SETS, ["1", "2"])
    yield from calls(
        "Leaderboard(['pass@1', 'avg'], models, target='population').verdicts", metric=["'avg'"], power=["0.5"]
    )
    looks = ["Looks(trials=64)", "Looks(around=6)", "Looks(trials=9, confidence=0.8)"]
    yield from calls(
        "Leaderboard('pass@1', {}).race",
        ["models", "models_few", "suite", "models_runs"],
        looks,
        within=["0.1", "0.3"],
        goal=["'ranking'"],
        n_jobs=["2"],
    )
    board = "Leaderboard(['pass@1', 'pass@2'], models"
    yield from (
        f"{board}{each}"
        for each in (
            ").to_markdown(digits=2)",
            ").to_latex(digits=2)",
            ").to_methods()",
            ", runs='independent').posterior",
            ").leader_score",
            ").costs",
            ").ranks",
            ").scores",
            ").tied_with_top",
            ").draws(4, rng=1)",
            ").race(Looks(64), beaten=[]).draws(3)",
            ").to_csv()",
        )
    )
    yield from (f"{board}).pairs('holm').{each}" for each in ("matrix()", "matrix('p_value')", "to_markdown(digits=2)"))
    parts = [
        "Leaderboard('pass@1', models)",
        "[Leaderboard('pass@1', models), Leaderboard('avg', models)]",
        "{'x': compare('avg', binary, better), 'y': compare('pass@2', few, few_more)}",
        "Leaderboard('avg', suite)",
    ]
    yield from calls("join_pairs", parts, family=["'each'", "'fdr'", "'simultaneous'"], tasks=["True"])
    yield from calls(
        "score_best",
        ["'pass@1'", "['pass@1', 'avg']", "'pass@3'"],
        ["models", "models_few", "models_clustered", "suite", "models_solved", "binary"],
        what=["'metric'", "'model'"],
        task_weights=WEIGHTS[:1],
        confidence=CONFIDENCES,
        target=POPULATION,
        prior=PRIORS[:3],
        rng=["5"],
        runs=RUNS,
    )
    table = {
        "limit": ["0.9", "2"],
        "task_weights": WEIGHTS[:1],
        "confidence": CONFIDENCES,
        "prior": PRIORS[:3],
        "target": POPULATION,
        "draws": ["500"],
        "rng": ["4"],
        "runs": RUNS,
        "per": ["'success'"],
    }
    yield from calls(
        "cost_table", ["'pass@1'", "'avg'"], ["models_costly", "costly_trials"], cost=["'usd'", "'tokens'"], **table
    )
    yield from calls(
        "cost_table",
        ["'pass@1'"],
        ["models", "suite", "models_single"],
        ["{'amber': 1.0, 'basil': 2.0, 'cedar': 3.0, 'dune': 0.5, 'elder': 1.0}"],
        **table,
    )


@family("ranks")
def ranks():
    tensors = ["tensor", "graded_tensor", "models", "tied_tensor"]
    ways = {"method": ["'competition_max'", "'dense'", "'avg'"], "return_scores": ["True"]}
    for name in ("auc_at_k", "maj_at_k", "mg_pass_at_k", "pass_at_k", "pass_hat_k"):
        yield from calls(f"rank.{name}", tensors, ["1", "2", "4"], **ways)
    yield from calls("rank.avg", tensors, **ways)
    yield from calls(
        "rank.bayes",
        tensors,
        w=["(0, 1)", "(0, 0.3, 1)"],
        R0=["earlier_tensor"],
        quantile=["0.05", "0.5", "0.9"],
        **ways,
    )
    yield from calls("rank.g_pass_at_k_tau", tensors, ["2", "4"], ["0.0", "0.5", "1.0"], **ways)
    yield from calls("rank.geo_spectrum_at_k", tensors, ["2"], lam=["0.2"], weights=["(0.3, 0.7)"], **ways)
    yield from calls("rank.geom_at_k", tensors, ["1", "3"], pass_power=["0.3"], unanimous_power=["0.7"], **ways)
    yield from calls("rank.max_at_k", tensors, ["1", "3"], w=["(0, 1)", "(0, 0.3, 1)"], **ways)
    scores = ["[0.5, 0.7, 0.5 + 1e-13, 0.1]", "[0.3]", "[1, 2, 3, 2.5, 2]", "[0.2, 0.2, 0.2]"]
    yield from calls(
        "rank.rank_scores",
        scores[:1],
        tol=["1e-3", "0.3"],
        sigmas=["[0.1, 0.2, 0.05, 0]", "[0, 0, 0, 0]", "[1, 1, 1, 1]"],
        confidence=CONFIDENCES,
        tie=["'ci_overlap_adjacent'"],
    )
    yield from calls("rank.rank_scores", scores, tol=["1e-3", "0.3", "0"])
    yield from calls("rank.competition_ranks_from_scores", scores, tol=["0.25", "0"])
    rankings = [
        "[3, 1, 2, 2]",
        "[1, 2, 3, 4]",
        "[4, 3, 2, 1]",
        "{'a': 0.9, 'b': 0.7, 'c': 0.4, 'd': 0.4}",
        "['a', ('b', 'c'), 'd']",
        "[1, 1, 1, 1]",
    ]
    yield from calls("rank.rank_agreement", rankings, rankings)
    yield from (f"rank.rank_agreement([4, 3, 2, 1], [4, 2, 3, 1]).top({k})" for k in (1, 2, 4))
    gold = {
        "gold": ["'avg'", "[5, 4, 3, 2, 1]"],
        "n": ["3", "[1, 2, 6]"],
        "scheme": ["'columns'"],
        "replace": ["False"],
        "free_ties": ["True"],
        "n_jobs": ["2"],
        "task_weights": WEIGHTS[:1],
    }
    yield from calls(
        "analyze_convergence",
        ["'pass@1'", "['pass@1', 'avg']"],
        ["models", "models_few", "suite"],
        ["replicates=30, rng=1, progress=False"],
        **gold,
    )
    for end in ("results[0].band(0.8)", "results[0].mean", "to_csv()"):
        yield f"analyze_convergence('pass@1', models, n=[1, 4], replicates=25, rng=2, progress=False).{end}"


@family("questions")
def questions():
    yield from calls(
        "describe_questions", [*SETS, "models_answered", "binary"], confidence=CONFIDENCES, fdr=["0.01", "0.3"]
    )
    yield from (
        f"describe_questions(models).{each}"
        for each in (
            "first(3)",
            "flagged()",
            "flagged('flaky')",
            "sorted('discrimination', descending=False).first(2)",
            "sorted('mean').first(2)",
            "to_html()",
        )
    )
    yield from calls(
        "diagnose",
        [*SETS, "models_answered", "binary", "models_costly", "crossed"],
        confidence=CONFIDENCES,
        logs=["'runs'"],
    )
    yield from calls(
        "diagnosis.remove_questions",
        SETS[:9],
        questions=["[0, 1, 2]", "None"],
        flags=["('never solved',)", "('flaky',)"],
        metric=["'pass@1'", "'avg'"],
        confidence=CONFIDENCES,
    )
    yield from calls(
        "audit_subset",
        ["models", "models_levels", "models_clustered"],
        ["range(10)", "list(range(0, 40, 3))"],
        ["draws=99"],
        metric=["'pass@2'", "'avg'"],
        chosen_on=["['amber']"],
        confidence=CONFIDENCES,
        power=["0.5"],
        rng=["3"],
    )
    yield "audit_subset(models, ['q00', 'q05', 'q07', 'q11', 'q19'], draws=199)"
    yield from calls(
        "choose_questions",
        ["models", "models_levels", "models_clustered", "models_continuous"],
        ["8", "20"],
        ["'score'", "'compare'", "'gate'"],
        metric=["'pass@2'", "'avg'"],
        rng=["3"],
    )
    dates = "{'2026-01-01': %s, '2026-02-01': %s, '2026-03-01': %s}"
    pasts = [
        dates % each
        for each in (
            ("binary", "longer", "better"),
            ("models", "models", "models_clustered"),
            ("suite", "suite", "suite"),
            ("in_runs", "in_runs", "in_runs_better"),
            ("zeros", "zeros", "ones"),
            ("levels", "levels", "levels_better"),
        )
    ]
    yield from calls(
        "analyze_history",
        ["'pass@1'", "None", "'avg'"],
        pasts,
        model=["'amber'", "['amber', 'cedar']"],
        confidence=CONFIDENCES,
        target=POPULATION,
        prior=PRIORS[:3],
        records=["True"],
        runs=RUNS,
    )
    factors = {
        "random": ["'prompt'", "['prompt']"],
        "target": POPULATION,
        "confidence": CONFIDENCES,
        "incomplete": ["'omit'"],
        "too_few": ["'omit'"],
        "task_weights": ["'questions'"],
    }
    yield from calls(
        "analyze_factors",
        ["'pass@1'", "'avg'"],
        ["crossed", "crossed_levels"],
        ["None", "['model', 'prompt']"],
        **factors,
    )
    yield from calls("analyze_factors", ["'pass@2'"], ["Suite({'a': crossed, 'b': crossed})"], ["None"], **factors)
    yield from (
        f"analyze_factors('pass@1', crossed).{each}"
        for each in (
            "best()",
            "best('prompt', like=True)",
            "interaction('model', 'prompt')",
            "component('model')",
            "verdicts",
        )
    )
