"""Both accuracies against a mixed logistic model: ``python benchmarks/mixed_model.py [WORLDS]``. Needs R with lme4.

Worlds of questions whose difficulties are normal on the logit scale, as the mixed model assumes, and of others. For
each world both give a 95% interval of the mean success rate of these questions, and of questions like these. lme4 fits
the model to every fifth world; its intervals are from the curvature of its deviance, with rates integrated over the law
of difficulties.
"""

import csv
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

import scorio

LAWS = {
    "normal": lambda rng, size: 1 / (1 + np.exp(-0.5 - 1.5 * rng.normal(size=size))),
    "two humps": lambda rng, size: np.where(rng.random(size) < 0.4, 0.05, 0.9),
    "never or always": lambda rng, size: rng.beta(0.25, 0.15, size),
}
FITTED = 5  # lme4 fits every fifth world
CELLS = [("normal", 60, 4), ("normal", 200, 8), ("two humps", 60, 4), ("never or always", 60, 4)]
FIT = """
library(lme4)
files <- commandArgs(TRUE); data <- read.csv(files[1]); rows <- list()
z <- qnorm((seq_len(401) - .5) / 401); h <- 1e-3; e <- diag(2) * h
slope <- function(f, at) c(f(at + e[1, ]) - f(at - e[1, ]), f(at + e[2, ]) - f(at - e[2, ])) / (2 * h)
worlds <- split(data, data$key)
for (key in names(worlds)) {
  d <- worlds[[key]]
  fit <- suppressMessages(suppressWarnings(glmer(cbind(s, n - s) ~ 1 + (1 | q), data = d, family = binomial, nAGQ = 15,
    control = glmerControl(calc.derivs = FALSE))))
  deviance <- suppressWarnings(update(fit, devFunOnly = TRUE)); at <- c(getME(fit, "theta"), fixef(fit))
  H <- sapply(1:2, function(i) slope(function(p) slope(function(r) deviance(r) / 2, p)[i], at))
  V <- solve(H)
  like <- function(p) mean(plogis(p[2] + p[1] * z))
  given <- function(p) { rate <- plogis(p[2] + p[1] * z); sapply(seq_len(nrow(d)), function(i) {
    w <- dbinom(d$s[i], d$n[i], rate); w <- w / sum(w); m <- sum(w * rate); c(m, sum(w * rate^2) - m^2) }) }
  these <- function(p) mean(given(p)[1, ]); g <- slope(like, at); b <- slope(these, at); own <- given(at)
  rows[[key]] <- data.frame(key = key, these = these(at), these_sd = sqrt(sum(own[2, ]) / nrow(d)^2 + b %*% V %*% b),
    like = like(at), like_sd = sqrt(g %*% V %*% g))
}
write.csv(do.call(rbind, rows), files[2], row.names = FALSE)
"""


def main(worlds):
    """Print the coverage and the mean width of both, by cell."""
    rng, counts, ours = np.random.default_rng(7), [], {}
    for law, questions, trials in CELLS:
        truth = LAWS[law](np.random.default_rng(1), 4_000_000).mean()
        for world in range(worlds):
            rates = LAWS[law](rng, questions)
            successes, key = rng.binomial(trials, rates), f"{law}, {questions} x {trials}|{world}"
            if world % FITTED == 0:
                counts += [(key, q, s, trials) for q, s in enumerate(successes)]
            [row] = scorio.rank.accuracies({"m": scorio.OutcomeMatrix.from_counts(successes, trials)}).rows
            ours[key] = (rates.mean(), truth, row)
    with tempfile.TemporaryDirectory() as folder:
        script, data, fits = (Path(folder, name) for name in ("fit.R", "counts.csv", "fits.csv"))
        script.write_text(FIT)
        with data.open("w", newline="") as file:
            csv.writer(file).writerows([("key", "q", "s", "n"), *counts])
        subprocess.run(["Rscript", script, data, fits], check=True)
        with fits.open(newline="") as file:
            theirs = {
                row.pop("key"): {name: float(value) for name, value in row.items()} for row in csv.DictReader(file)
            }
    for law, questions, trials in CELLS:
        cell = f"{law}, {questions} x {trials}"
        of_cell = [key for key in ours if key.startswith(f"{cell}|")]
        fitted = [key for key in of_cell if key in theirs and theirs[key]["like_sd"] > 0]
        for i, (name, lo, hi) in enumerate([("these", 1, 2), ("like", 4, 5)]):
            covered = share(ours[key][2][1:][lo] <= ours[key][i] <= ours[key][2][1:][hi] for key in of_cell)
            mean, sd = (np.array([theirs[key][column] for key in fitted]) for column in (name, f"{name}_sd"))
            of_model = share(abs(mean - [ours[key][i] for key in fitted]) <= 1.96 * sd)
            widths = np.array([ours[key][2][1:][hi] - ours[key][2][1:][lo] for key in fitted]) / 3.92
            ratio, noise = widths.mean() / sd.mean(), (widths - widths.mean() / sd.mean() * sd).std() / sd.mean()
            print(f"| {cell} | {name} | {covered} | {of_model} | {ratio:.3f} ± {noise / len(fitted) ** 0.5:.4f} |")


def share(hits):
    """Return the share of hits with its standard error."""
    hits = np.array([*hits])
    return f"{hits.mean():.3f} ± {hits.std() / len(hits) ** 0.5:.3f}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print("| questions x trials | accuracy | coverage | mixed model | width, of the mixed model's |")
    print("|---|---|---|---|---|")
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000)
