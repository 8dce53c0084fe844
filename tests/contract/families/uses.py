"""Calls about trials to come, costs, judges, curves, forecasts, votes, plots, reports, simulations and data."""

from ..calls import calls, family
from .scores import BINARY, CONFIDENCES, PRIORS
from .sets import POPULATION, RUNS, SETS, TWO, WEIGHTS

FORMATS = "human-eval bigcodebench evalplus livecodebench tau-bench tau2 junit harbor terminal-bench metr-runs swe-bench verifiers".split()
FORMATS += "verifiers-traces opencompass evalscope phoenix langfuse bfcl table database arrays saved-counts inspect lm-eval".split()
FORMATS += "promptfoo deepeval openai-evals helm lighteval pydantic-evals ctrf pytest-json mlflow-traces every-eval-ever nemo-evaluator mle-bench lmms-eval".split()


@family("plans")
def plans():
    ways = {"confidence": CONFIDENCES, "task_weights": WEIGHTS[:1], "prior": PRIORS[:4], "runs": RUNS}
    one = ["binary", "few", "clustered", "ragged", "in_runs", "single", "zeros", "levels", "continuous", "amber_alone"]
    yield from calls("plan_trials", ["'pass@1'", "'pass@2'", "'avg'"], one, ["0.02", "0.1", "1e-3"], rng=["4"], **ways)
    yield from calls("plan_questions", ["'pass@1'", "'pass@2'", "'avg'"], one, ["0.02", "0.1"], **ways)
    yield from calls(
        "plan_separation",
        ["'pass@1'", "'avg'", "'pass^2'"],
        TWO,
        power=["0.5", "0.95"],
        target=POPULATION,
        paired=["False"],
        rng=["4"],
        **ways,
    )
    ways.pop("prior")
    cost = {
        "cost": ["2.5", "{'amber': 1, 'basil': 2, 'cedar': 4, 'dune': 1, 'elder': 1}"],
        "unit": ["'usd'"],
        "looks": ["Looks(trials=64)", "Looks(trials=8)"],
        "models": ["['amber', 'cedar']"],
    }
    yield from calls(
        "next_trials",
        ["'pass@1'", "'pass@2'"],
        ["binary", "models", "models_few", "suite", "ragged", "models_single", "in_runs", "models_runs"],
        ["20", "300"],
        **cost,
        **ways,
    )
    yield "next_trials('pass@1', models_costly, 40, cost='usd')"
    yield from ("next_trials('pass@1', models, 40).table(5)", "written(next_trials('pass@1', models, 40), '.jsonl')")
    yield from calls(
        "Design",
        ["20", "400"],
        ["1", "4"],
        metric=["'pass@2'", "'pass^2'", "PassAtK(3)"],
        profile=["'hard'", "'easy'", "[0.1, 0.5, 0.9]"],
        correlation=["0", "0.95"],
        target=POPULATION,
        paired=["False"],
        confidence=CONFIDENCES,
    )
    for method, values in (
        ("sigma", ["0.0", "0.05"]),
        ("power", ["0.02", "0.3"]),
        ("questions_for", ["0.05", "0.2"]),
        ("is_possible", ["0.1", "0.9"]),
        ("detectable", ["0.5", "0.9"]),
    ):
        yield from calls(f"{{}}.{method}", ["Design(100, 4)", "Design(30, 1, 'pass@1', target='population')"], values)
    yield "Design(100, 4).questions_for(0.1, power=0.9)"
    yield from calls(
        "analyze_runs",
        ["'pass@1'", "'avg'", "'pass@2'"],
        ["in_runs", "in_runs_better", "binary"],
        confidence=CONFIDENCES,
    )
    yield from (
        "analyze_runs('pass@1', in_runs).half_width(4, trials=3)",
        "analyze_runs('pass@1', in_runs).half_width(9)",
        "analyze_runs('pass@1', in_runs).next_run(confidence=0.8)",
        "analyze_runs('pass@1', in_runs).next_run()",
    )
    yield from calls(
        "forecast",
        ["'pass@1'", "'pass^1'", "'max@1'"],
        ["binary", "large", "few", "models_few", "suite", "zeros", "ragged", "skewed", "single"],
        ["[1, 8]", "64", "[24, 5000]"],
        levels=["[0.9]", "[0.5, 0.99]"],
        target=POPULATION,
        task_weights=WEIGHTS[:1],
    )
    yield from (
        f"forecast('pass@1', models_few, [4, 100]).{each}"
        for each in ("verdicts()", "cautions()", "order()", "of('amber')", "points[0].in_words()", "models")
    )
    yield from ("forecasting.levels_up_to(0.95)", "forecasting.levels_up_to(0.6)")


@family("judges")
def judges():
    ways = {"target": POPULATION, "confidence": CONFIDENCES, "lam": ["0", "0.5", "1"]}
    yield from calls(
        "estimate_with_judge",
        ["'pass@1'", "'avg'", "'pass@2'"],
        ["judged"],
        ["human"],
        minus=["(judged_other, human_other)"],
        probabilities=["[0.45] * 40", "dict.fromkeys(range(18), 0.4)"],
        judged_labelled=["judged_labelled"],
        **ways,
    )
    yield from calls(
        "estimate_with_predictions",
        ["'pass@1'", "'avg'"],
        ["human"],
        predictions=["[0.5] * 40", "np.linspace(0, 1, 40)", "judged_models"],
        minus=["human_other"],
        probabilities=["[0.45] * 40"],
        **ways,
    )
    yield from calls("estimate_with_predictions", ["'pass@1'"], ["asked"], probabilities=["chosen"], target=POPULATION)
    yield from calls(
        "rank_with_judge",
        ["'pass@1'", "'avg'", "'pass@2'"],
        ["judged_models"],
        ["{'a': human, 'b': human_other}"],
        target=POPULATION,
        confidence=CONFIDENCES,
        probabilities=["[0.45] * 40"],
    )
    yield from calls(
        "sample_to_label",
        ["judged", "judged_models", "clustered", "models_clustered"],
        ["5", "12"],
        rng=["3"],
        sizes=["list(range(1, 41))"],
        clusters=["True"],
    )
    yield from (
        "sorted(read_labels(labels_file).human)",
        "read_labels(labels_file).probabilities",
        "read_labels(labels_file, fields={'model': 'model'}).rows",
        "read_labels(labels_file).human['aurora-70b']",
    )
    trials = [
        "[1, 0, 1, 1, 0, 1, 1, 0] * 6, [1, 0, 0, 1, 0, 1, 1, 1] * 6",
        "['a', 'b', 'c', 'a'] * 9, ['a', 'b', 'a', 'c'] * 9",
        "[1] * 12, [1] * 12",
    ]
    yield from calls(
        "judging.measure_agreement",
        trials,
        questions=[
            "range(48)",
            "[i // 2 for i in range(36)]",
            "[i // 3 for i in range(12)]",
            "[i // 4 for i in range(48)]",
        ],
        confidence=CONFIDENCES,
    )
    yield from calls(
        "judging.krippendorff_alpha",
        ["[(0, 1), (1, 1), (2, 1), (0, None), (2, 2), (0, 0)] * 4", "[(1, 1), (1, 1)]"],
        scale=["'ordinal'", "'interval'"],
        questions=["[i // 2 for i in range(24)]"],
        confidence=CONFIDENCES,
    )
    yield from calls(
        "judging.measure_bias",
        ["[1, 1, 1, 0, 1, 0, 1, 0, 1, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0]"],
        by=["['x', 'y'] * 6", "range(12)"],
        questions=["[i // 2 for i in range(12)]"],
        confidence=CONFIDENCES,
    )
    yield from (
        "chosen.probabilities",
        "chosen.questions",
        "chosen.places()",
        "chosen.of(models['amber'], 'the outcomes')",
        "judging.read_question_sample(written_sample)",
        "list(sample_to_label(judged_models, 3).rows())[:2]",
        "written(sample_to_label(judged_models, 3), '.csv')",
    )


@family("curves")
def curves():
    data = [
        each
        for each in SETS
        if each in ("models", "models_missing", "models_clustered", "models_levels", "models_single")
    ] + ["binary", "clustered"]
    ways = {
        "target": POPULATION,
        "weights": ["values40"],
        "scale": ["'linear'"],
        "fit": ["'metr'"],
        "confidence": CONFIDENCES,
    }
    values = ["values40", "values40[::-1]", "[2.0, 8.0, 30.0, 100.0] * 10"]
    yield from calls(
        "curve_over", ["'pass@1'", "'avg'", "'pass@2'"], data, [*values, "['x', 'y', 'z', 'y'] * 10"], **ways
    )
    yield from calls("horizon", ["'pass@1'", "'pass@2'"], data, values, at=["0.3", "(0.2, 0.5, 0.9)"], **ways)
    found = "horizon('pass@1', models, values40)"
    for each in (
        "ratio('cedar', 'dune')",
        "ratio('amber', 'elder', at=0.8)",
        "of('amber')",
        "of('cedar', at=0.8)",
        "comparisons()",
        "comparisons(at=0.8)",
        "errors(['amber', 'dune'])",
        "trend({m: f'202{i}-03-01' for i, m in enumerate(models)})",
        "trend({m: f'202{i}-03-01' for i, m in enumerate(models)}, at=0.5)",
    ):
        yield f"{found}.{each}"
    yield from (
        "curve_over('pass@1', models, values40).points(count=3)",
        "curve_over('pass@1', models, values40).curves['amber'].at(20.0)",
        "curve_over('pass@1', models, ['x', 'y'] * 20).of('amber')",
        "horizon('pass@1', models, values40[::-1]).curves.points()",
        "curve_over('pass@1', models, values40).curves['amber'].points(np.array([2.0, 50.0]))",
    )
    gaps = {
        "model": ["'amber'", "'cedar'"],
        "others": ["['basil', 'elder']"],
        "target": POPULATION,
        "scale": ["'logit'"],
        "confidence": CONFIDENCES,
    }
    model = gaps.pop("model")
    yield from calls(
        "gap",
        ["'pass@1'", "'avg'", "'pass@2'"],
        ["models", "models_clustered", "models_levels", "models_missing"],
        ["sets40"],
        [f"model={each}" for each in model],
        first=["'new'"],
        pairs=["list(range(20)) * 2"],
        **gaps,
    )
    yield from calls(
        "gap", ["'pass@1'"], ["models"], ["list(range(40))"], ["model='amber', cut=15", "model='cedar', cut=0"], **gaps
    )
    yield from calls(
        "gap",
        ["'pass@1'"],
        ["suite", "Suite({'x': models, 'y': models})"],
        [f"model={each}" for each in model],
        pairs=["True"],
        **gaps,
    )
    picked = ["answered", "valued_answers", "models_answered['cedar']"]
    yield from calls(
        "analyze_selection",
        picked,
        rules=["['vote']", "['vote', 'best:by=judge', 'weighted_vote:by=length']"],
        ks=["[2, 3]", "[1, 6]"],
        target=POPULATION,
        confidence=CONFIDENCES,
    )
    yield from (
        f"analyze_selection(answered).{each}"
        for each in ("verdicts()", "of('vote')", "enough('vote', gain=0.02)", "enough('vote', cost=0.1, worth=5.0)")
    )


@family("data")
def data():
    arrays = [
        "[[1, 0], [0, 1]]",
        "[[1, nan], [0, 1]]",
        "[[1, 0, 2], [0, 1]]",
        "plain_array",
        "{'x': [1, 0], 'y': [1]}",
        "[[True], [False]]",
    ]
    named = {
        "questions": ["['x', 'y']", "range(2)", "range(12)"],
        "clusters": ["['g', 'g']", "[0, 0, 1] * 4"],
        "missing": ["'omit'", "'fail'"],
    }
    yield from calls(
        "OutcomeMatrix",
        arrays,
        prior=["[[1, 1], [0, 0]]"],
        categories=["3", "4"],
        runs=["[0, 1]", "range(5)"],
        answers=["[['a', 'b'], ['c', 'c']]"],
        scores=["{'s': [[1, 2], [3, 4]]}"],
        normalize=["None", "str.upper"],
        **named,
    )
    yield from calls(
        "OutcomeMatrix.from_single_run", ["[1, 0]", "{'x': 1, 'y': 0}", "[1, nan]", "[2, 0]"], categories=["3"], **named
    )
    yield from calls(
        "OutcomeMatrix.from_counts",
        ["[3, 1]", "[[1, 2], [3, 4]]", "{'x': 2, 'y': 0}"],
        trials=["4", "[4, 5]"],
        planned=["6"],
        prior_counts=["[[1, 0], [0, 1]]"],
        questions=["['x', 'y']"],
        clusters=["['g', 'g']"],
        levels=["[0, 0.5]"],
    )
    yield from calls(
        "OutcomeMatrix.from_rewards",
        ["[[0, 0.5], [1, 0.25]]", "[[0.1, nan], [0.7]]", "np.linspace(0, 1, 60).reshape(20, 3)"],
        max_levels=["2", "100"],
        runs=["[0, 1]"],
        answers=["[['a', 'b'], ['c', 'c']]"],
        scores=["{'s': [[1, 2], [3, 4]]}"],
        normalize=["None"],
        **named,
    )
    yield from calls(
        "RewardMatrix",
        ["[[0, 0.5], [1, 0.25]]", "[[0.1, nan], [0.7]]", "{'x': [0.3], 'y': [0.1, 0.2]}"],
        support=["(0, 1)", "(0.2, 0.6)"],
        keep_values=["False"],
        runs=["[0, 1]"],
        answers=["[['a', 'b'], ['c', 'c']]"],
        scores=["{'s': [[1, 2], [3, 4]]}"],
        normalize=["None"],
        **named,
    )
    yield from calls(
        "RewardMatrix.from_moments",
        ["[4, 5]"],
        ["[0.5, 0.7]"],
        ["[0.1, 0.2]"],
        planned=["6"],
        questions=["['x', 'y']"],
        clusters=["['g', 'g']"],
        support=["(0, 1)"],
    )
    columns = {
        "question": ["'question'"],
        "outcome": ["'outcome'"],
        "trial": ["'trial'"],
        "cluster": ["'group'"],
        "levels": ["{0: 0.0, 1: 0.5}"],
        "missing": ["'omit'"],
        "times": ["'times'"],
        "run": ["'trial'"],
        "answer": ["'answer'"],
        "scores": ["['judge']"],
        "normalize": ["None"],
    }
    yield from calls("OutcomeMatrix.from_frame", ["frame_of(table)"], **columns)
    yield from calls(
        "OutcomeSet.from_frame", ["frame_of(table_of_models)"], model=["'model'"], factors=["['prompt']"], **columns
    )
    yield from calls(
        "Suite.from_frame",
        ["frame_of(table_of_tasks)"],
        ["task='task'"],
        model=["'model'"],
        missing=["'omit'"],
        factors=["['prompt']"],
    )
    two = [
        "{'a': [[1, 0], [0, 1]], 'b': [[1, 1], [0, 0]]}",
        "[[[1, 0], [0, 1]], [[1, 1], [0, 0]]]",
        "{'a': few, 'b': few_more}",
    ]
    each = {
        "models": ["['m', 'n']"],
        "categories": ["3"],
        "prior": ["[[1], [0]]"],
        "conditions": ["{'a': {'t': 1}, 'b': {'t': 2}}"],
        "costs": ["{'a': {'usd': 1.0}, 'b': {'usd': 2.0}}"],
        "runs": ["[0, 1]"],
        "normalize": ["None"],
    }
    yield from calls(
        "OutcomeSet",
        two,
        answers=["{'a': [['x', 'y'], ['z', 'z']], 'b': [['x', 'x'], ['z', 'y']]}"],
        scores=["{'a': {'s': [[1, 2], [3, 4]]}, 'b': {'s': [[1, 2], [3, 4]]}}"],
        **each,
        **named,
    )
    anything = [*BINARY, "levels", "continuous", "bounded", "answered", "models", "suite"]
    for name in (
        "n_questions",
        "max_trials",
        "min_trials",
        "trials",
        "counts",
        "questions",
        "successes",
        "completeness",
    ):
        yield from (f"{thing}.{name}" for thing in ("binary", "ragged", "missing", "counted", "levels", "continuous"))
    yield from (f"{thing}{end}" for thing in anything for end in ("", ".to_csv()"))
    yield from calls(
        "{}.select",
        ["binary", "continuous", "models", "answered", "clustered"],
        ["[0, 2, 5]", "['q01', 'q03']", "slice(3)"],
    )
    yield from calls(
        "{}.merge", ["binary", "continuous", "ragged", "few"], ["binary", "continuous_better", "few_more", "better"]
    )
    yield from calls("{}.draw", ["binary", "continuous", "levels", "ragged"], ["2", "9"], ["rng=1", "4"])
    yield from (
        f"{thing}.{end}"
        for thing in ("binary", "ragged", "levels", "few")
        for end in ("as_adaptive()", "as_continuous()", "with_prior_counts", "without_rewards")
    )
    yield from (
        f"continuous.{end}" for end in ("at_least(0.5)", "at_least(0.0)", "means", "variances", "support", "ordered")
    )
    yield from (
        "suite.pooled()",
        "suite.check_complete()",
        "suite.select(tasks=['easy'])",
        "suite.select(models=['amber', 'dune'])",
        "suite.split({'easy': 'x', 'hard': 'y'})",
        "models.split(['x', 'y'] * 20)",
        "models_clustered.split()",
    )
    yield from calls("as_outcomes", [*arrays, "levels", "continuous"])
    yield from (
        f"normalize_answer({each})"
        for each in ("' Yes. '", "'1,000'", "'0.50'", "3", "3.0", "None", "'\\\\boxed{7}'", "'A)'", "nan", "'x = 4'")
    )
    for kind, then in (
        ("OutcomeSet", ""),
        ("OutcomeSet", "_runs"),
        ("OutcomeSet", "_answered"),
        ("OutcomeSet", "_costly"),
        ("OutcomeSet", "_continuous"),
    ):
        yield f"kept({kind}, models{then})"
    yield from (
        "kept(Suite, suite)",
        "kept(OutcomeSet, crossed, part='p1')",
        "SavedCounts.from_bytes(SavedCounts(models, part='p').to_bytes()).outcomes",
        "SavedCounts(models_few, part='a').merge(SavedCounts(models_few, part='b')).outcomes",
        "SavedCounts(suite, metadata={'amber': {'seed': 3}}).outcomes",
    )
    for made in (
        "Accumulator()",
        "Accumulator(window=2)",
        "Accumulator(rewards=True, keep_values=False, model='m', name='n')",
        "Accumulator(missing='omit')",
        "Accumulator(missing='fail')",
        "Accumulator(rewards=True, missing='omit')",
    ):
        yield from (
            f"filled({made}).{end}"
            for end in ("outcomes", "recent", "step", "merge(filled(Accumulator(name='other'))).outcomes")
        )
        yield f"Accumulator.from_state(filled({made}).to_state()).outcomes"
        yield f"reloaded(filled({made})).outcomes"
    yield from (
        "graded_rubric.encode(['wrong', 'right'])",
        "graded_rubric.classify(7)",
        "graded_rubric.outcomes(points=[[10, 3], [5, 12]], questions=['x', 'y'], clusters=['g', 'g'])",
        "BayesMetric(graded_rubric).score(graded_rubric.outcomes([[10, 3], [5, 12]]))",
    )
    yield from calls(
        "outcomes.align",
        ["{'a': few, 'b': few_more}", "{'a': binary, 'b': better}"],
        questions=["(3, 1, 0, 2, 4)"],
        clusters=["('g', 'g', 'h', 'h', 'h')"],
        categories=["2", "3"],
    )


@family("pictures")
def pictures():
    drawn = {
        "compare": "compare('pass@1', binary, better)",
        "leaderboard": "Leaderboard(['pass@1', 'avg'], models)",
        "heatmap": "Leaderboard('pass@1', suite)",
        "tasks": "Leaderboard('pass@1', suite)",
    }
    drawn |= {
        "forecast": "forecast('pass@1', models_few, [1, 8, 100])",
        "frontier": "cost_table('pass@1', models_costly, 'usd')",
        "history": "analyze_history('pass@1', {'2026-01-01': binary, '2026-02-01': better})",
    }
    drawn |= {
        "horizon": "horizon('pass@1', models, values40)",
        "interaction": "analyze_factors('pass@1', crossed)",
        "margins": "analyze_factors('pass@1', crossed)",
        "runs": "analyze_runs('pass@1', in_runs)",
        "selection": "analyze_selection(answered)",
    }
    result = "analyze_convergence('pass@1', models, n=[1, 3, 6], replicates=25, rng=2, progress=False)"
    drawn |= {"convergence_cdf": result, "convergence_pmf": result}
    for name, thing in drawn.items():
        yield from calls(f"plot.{name}", [thing], ax=["new_axes"])
    yield from calls("plot.interaction", ["analyze_factors('pass@1', crossed)"], factor=["'prompt'"])
    yield from calls("plot.tau_curve", [result], confidence=CONFIDENCES, ax=["new_axes"])
    ways = {
        "ks": ["[1, 2, 4]"],
        "metric": ["'pass^1'", "'avg'"],
        "confidence": CONFIDENCES,
        "prior": PRIORS[1:3],
        "target": POPULATION,
        "ax": ["new_axes"],
    }
    yield from calls("plot.pass_curve", ["models_few", "binary"], shape=["'normal'"], **ways)
    yield from calls("plot.cost_curve", ["models_costly"], cost=["'usd'", "'tokens'"], **ways)
    yield from calls(
        "plot.power",
        ["Design(100, 4)", "Design(50, 2, target='population')"],
        n_questions=["[20, 50]"],
        goal=["0.5"],
        ax=["new_axes"],
    )
    yield from calls(
        "plot.coverage", ["coverage_rows"], shares=["{'default': 'share'}"], confidence=CONFIDENCES, ax=["new_axes"]
    )
    page = {
        "history": ["analyze_history('pass@1', {'2026-01-01': models, '2026-02-01': models_clustered})"],
        "horizons": ["horizon('pass@1', models, values40)"],
        "title": ["'T'"],
        "task": ["'t'"],
        "source": ["'s'"],
        "date": ["'2026-01-01'"],
        "note": ["'n'"],
    }
    yield from (
        f"len({each}) > 5000"
        for each in calls(
            "report.html_report", ["Leaderboard('pass@1', models_few)", "Leaderboard(['pass@1', 'avg'], suite)"], **page
        )
    )
    terms = {
        "model": ["('amber', 'dune')", "'cedar'"],
        "max_drop": ["0.05", "'5%'"],
        "mode": ["'noninferior'", "'point'"],
        "task_weights": WEIGHTS[:1],
        "confidence": CONFIDENCES,
        "target": POPULATION,
        "prior": PRIORS[:2],
        "fdr": ["0.3"],
        "title": ["'T'"],
        "source": ["'s'"],
        "date": ["'d'"],
        "note": ["'n'"],
        "runs": RUNS[:1],
    }
    yield from calls(
        "report.comparison_report", ["models", "suite"], ["models"], metrics=["'pass@2'", "['pass@1', 'avg']"], **terms
    )
    yield from (
        "report.family_of(models)",
        "report.family_of(models_levels)",
        "report.ks_of(models)",
        "report.ks_of(models_few)",
    )


@family("simulations")
def simulations():
    ways = {
        "models": ["['x', 'y', 'z']"],
        "repeat": ["0.3", "1.0"],
        "shared": ["0.4"],
        "rng": ["np.random.default_rng(3)"],
    }
    for make, rates in (("coins", "rates_of_models"), ("categorical", "np.full((2, 5, 3), 1 / 3)")):
        for then in (".outcomes", ".trials", ".truth('avg')", ".population(trials=50)"):
            yield from calls(
                f"simulate.{make}",
                [rates],
                ["1", "4"],
                ["rng=1"],
                then=then,
                **{key: each for key, each in ways.items() if key != "rng"},
            )
        yield f"simulate.{make}({rates}, 3, rng=np.random.default_rng(3)).outcomes"
    yield from calls("simulate.category_rates", ["[0.0, 1.0]"], ["[-1.0, 0.5]"], steps=["(0.0, 0.5, 2.0)"], rng=["1"])
    yield from calls("simulate.rates", ["[0.0, 1.0]"], ["[-1.0, 0.5]"], rng=["1"])
    yield from calls(
        "simulate.question_truth",
        ["PassAtK(3)", "AvgMetric()", "PassHatK(2)"],
        ["np.array([0.2, 0.7])"],
        ["OutcomeMatrix([[1, 0, 1], [0, 1, 1]])"],
    )
    yield from (f"testing.check_metric({each}, rng=1)" for each in ("PassAtK(2)", "AvgMetric()", "GeomAtK(2)"))
    values = {
        "count": ("3", "0", "1.5", "True"),
        "decimals": ("2", "-1"),
        "finite": ("1.5", "nan", "'x'"),
        "nonnegative": ("0", "-1"),
        "open_unit": ("0.5", "0", "1"),
        "positive": ("2", "0"),
        "unit": ("0", "1", "1.1"),
        "weights": ("(1, 2)", "(-1, 2)", "()"),
        "simplex": ("(0.5, 0.5)", "(0.5, 0.6)"),
    }
    for check, each in values.items():
        yield from (f"params.{check}('size', {value})" for value in each)
    yield from (
        "params.one_of(['a', 'b'])('kind', 'a')",
        "params.one_of(['a', 'b'])('kind', 'c')",
        "params.optional(params.unit)('share', None)",
        "params.choice('kind', 'a', ['a', 'b'])",
        "params.choice('kind', 'c', ['a', 'b'])",
        "params.generator(3).random()",
        "params.generator('x')",
    )


@family("readers")
def readers():
    ways = {
        "model": ["{'aurora-70b': 'a'}"],
        "only": ["['aurora-70b', 'drizzle-1b']"],
        "missing": ["'fail'", "'raise'"],
        "pool": ["True"],
        "skip_bad": ["True"],
        "n_jobs": ["1"],
        "suite": ["True"],
        "task": ["'puzzles'"],
        "score": ["'match'"],
        "levels": ["{'C': 1.0, 'I': 0.0}"],
        "format": ["'inspect'"],
    }
    ways |= {
        "filter": ["'x'"],
        "grade": ["None"],
        "fields": ["{'model': 'model'}"],
        "table": ["'t'"],
        "query": ["'select 1'"],
        "factors": ["['prompt']"],
        "keep": ["['answers']"],
        "normalize": ["None"],
        "questions": ["['q01', 'q02']"],
    }
    yield from calls(
        "read",
        ["logs", "data / 'puzzles.csv'", "data / 'prompts.csv'", "data / 'simulated.csv'", "data / 'seen.csv'"],
        **ways,
    )
    yield from calls(
        "read",
        ["data / 'prompts.csv'"],
        factors=["['prompt']"],
        only=["['amber']", "['basil']"],
        questions=["['q01', 'q02']"],
    )
    yield from calls(
        "io.recognise",
        ["logs", "data / 'horizons.jsonl'", "data / 'puzzles.csv'", "data"],
        then=".outcomes",
        missing=["'raise'"],
        skip_bad=["True"],
    )
    yield from (
        f"[(each.path.name, each.format, each.run.model, each.run.task) for each in io.read_runs({source})]"
        for source in ("logs", "data / 'puzzles.csv'")
    )
    yield "io.assemble(io.read_runs(logs))"
    yield "io.assemble(io.read_runs(logs), missing='fail')"
    yield from calls(
        "io.count_partitions",
        ["frame_of(table_of_models)"],
        ["question='question', outcome='outcome'"],
        then=".outcomes",
        model=["'model'"],
        cluster=["'group'"],
        factors=["['prompt']"],
        levels=["{0: 0.0, 1: 1.0}"],
        name=["'n'"],
    )
    yield from (f"read_truthful({name!r}, {seed})" for name in FORMATS for seed in range(5))
