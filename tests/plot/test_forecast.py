"""The picture of a forecast: solid up to the trials, dashed beyond, with a fan of intervals."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from scorio import OutcomeMatrix, forecast, plot

pytestmark = pytest.mark.filterwarnings("ignore::scorio.errors.ForecastWarning")
SOLVED = OutcomeMatrix.from_counts([0, 0, 1, 2, 5, 8, 13, 16, 16, 16], 16)


def lines(ax, style):
    return [line.get_xydata() for line in ax.lines if line.get_linestyle() == style]


def test_scores_are_points_means_solid_and_forecasts_dashed():
    found = forecast("pass@1", SOLVED, [1, 4, 16, 60, 1000])
    ax = plot.draw(found)
    [solid], [dashed], [points, hollow] = (lines(ax, style) for style in ("-", "--", "None"))
    assert solid.tolist() == [[each.k, each.mu] for each in found.points[:3]]
    assert dashed.tolist() == [[each.k, each.mu] for each in found.points[2:]]  # it begins where the other ends
    assert points.tolist() == [[each.k, each.score] for each in found.points[:3]]
    assert hollow.tolist() == [[each.k, each.mu] for each in found.points[3:]]
    ends = [
        np.ptp(band.get_paths()[0].vertices[band.get_paths()[0].vertices[:, 0] == 1000, 1]) for band in ax.collections
    ]
    assert ends == pytest.approx([hi - lo for lo, hi in found.points[-1].intervals.values()])


@pytest.mark.parametrize(("models", "bands"), [(1, 3), (2, 6), (3, 3), (5, 0)])
def test_many_models_have_fewer_bands(models, bands):
    found = forecast("pass@1", {f"m{i}": SOLVED for i in range(models)}, [4, 60])
    assert len(plot.draw(found).collections) == bands
