"""The references that methods cite, as BibTeX."""

from __future__ import annotations

from collections.abc import Mapping

_PAPERS = {
    "hariri2025dont": (
        "Hariri, Mohsen and Samandar, Amirhossein and Hinczewski, Michael and Chaudhary, Vipin",
        "Don't Pass@k: A Bayesian Framework for Large Language Model Evaluation",
        2025,
        "2510.04265",
    ),
    "chen2021evaluating": (
        "Chen, Mark and others",
        "Evaluating Large Language Models Trained on Code",
        2021,
        "2107.03374",
    ),
    "yao2024tau": (
        "Yao, Shunyu and Shinn, Noah and Razavi, Pedram and Narasimhan, Karthik",
        "tau-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains",
        2024,
        "2406.12045",
    ),
    "liu2024stable": (
        (
            "Liu, Junnan and Liu, Hongwei and Xiao, Linchen and Wang, Ziyi and Liu, Kuikun and Gao, Songyang and "
            "Zhang, Wenwei and Zhang, Songyang and Chen, Kai"
        ),
        "Are Your LLMs Capable of Stable Reasoning?",
        2024,
        "2412.13147",
    ),
    "hu2026rewarding": (
        (
            "Hu, Zhiyuan and Wang, Yucheng and He, Yufei and Wu, Jiaying and Zhao, Yilun and Ng, See-Kiong and "
            "Breazeal, Cynthia and Luu, Anh Tuan and Park, Hae Won and Hooi, Bryan"
        ),
        "Rewarding the Rare: Uniqueness-Aware RL for Creative Problem Solving in LLMs",
        2026,
        "2601.08763",
    ),
    "bagirov2025best": (
        "Bagirov, Farid and Arkhipov, Mikhail and Sycheva, Ksenia and Glukhov, Evgeniy and Bogomolov, Egor",
        "The Best of N Worlds: Aligning Reinforcement Learning with Best-of-N Sampling via max@k Optimisation",
        2025,
        "2510.23393",
    ),
    "walder2025passk": (
        "Walder, Christian and Karkhanis, Deep",
        "Pass@K Policy Optimization: Solving Harder Reinforcement Learning Problems",
        2025,
        "2505.15201",
    ),
    "wang2022self": (
        "Wang, Xuezhi and others",
        "Self-Consistency Improves Chain of Thought Reasoning in Language Models",
        2022,
        "2203.11171",
    ),
}  # authors, title, year, number at arXiv

_ARTICLES = {
    "zou2008construction": (
        "Zou, Guang Yong and Donner, Allan",
        "Construction of confidence limits about effect measures: A general approach",
        2008,
        "Statistics in Medicine",
        "27",
        "1693--1702",
    ),
    "mcnemar1947note": (
        "McNemar, Quinn",
        "Note on the sampling error of the difference between correlated proportions or percentages",
        1947,
        "Psychometrika",
        "12",
        "153--157",
    ),
}  # authors, title, year, journal, volume, pages


def _paper(key: str, authors: str, title: str, year: int, number: str) -> str:
    fields = {"author": authors, "title": f"{{{title}}}", "year": year, "eprint": number, "archivePrefix": "arXiv"}
    return _entry("misc", key, fields)


def _article(key: str, authors: str, title: str, year: int, journal: str, volume: str, pages: str) -> str:
    fields = {"author": authors, "title": f"{{{title}}}", "year": year}
    return _entry("article", key, fields | {"journal": journal, "volume": volume, "pages": pages})


def _entry(kind: str, key: str, fields: Mapping[str, object]) -> str:
    lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@{kind}{{{key},\n{lines}\n}}"


BIBTEX = {key: _paper(key, *each) for key, each in _PAPERS.items()}
BIBTEX |= {key: _article(key, *each) for key, each in _ARTICLES.items()}

OF_METRIC = {  # by the name of the metric
    "bayes": ("hariri2025dont",),
    "avg": ("hariri2025dont",),
    "pass": ("chen2021evaluating",),
    "passhat": ("yao2024tau",),
    "gpass": ("liu2024stable",),
    "mgpass": ("liu2024stable",),
    "maj": ("wang2022self",),
    "auc": ("hu2026rewarding",),
    "max": ("bagirov2025best", "walder2025passk"),
}
