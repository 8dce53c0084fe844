"""Axes that a notebook shows as a picture, without ``%matplotlib inline``; importing this module imports matplotlib."""

import io
from typing import Any, cast

from matplotlib.axes import Axes
from matplotlib.figure import Figure

_DPI = 144  # pixels per inch of a picture in a notebook, which shows it at half this size


class Picture(Axes):
    """Axes whose figure is shown where they are the result of a notebook's cell."""

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the figure as PNG, with the size at which to show it."""
        figure = cast("Figure", self.figure)
        file = io.BytesIO()
        figure.savefig(file, format="png", dpi=_DPI)
        width, height = (int(72 * inches) for inches in figure.get_size_inches())
        return {"image/png": file.getvalue(), "text/plain": repr(self)}, {
            "image/png": {"width": width, "height": height}
        }


def new_picture(width: float, height: float) -> Picture:
    """Return the Axes of a new figure of a size in inches."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return cast("Picture", figure.add_subplot(axes_class=Picture))
