"""Axes that a notebook shows as a picture, without ``%matplotlib inline``; importing this module imports matplotlib."""

import io
from typing import cast

from matplotlib.axes import Axes
from matplotlib.figure import Figure

_DPI = 144  # pixels per inch of a picture in a notebook, which shows it at half this size


class Picture(Axes):
    """Axes whose figure is shown where they are the result of a notebook's cell."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """Return the figure as PNG, with the size at which to show it."""
        figure, file = cast("Figure", self.figure), io.BytesIO()
        figure.savefig(file, format="png", dpi=_DPI)
        width, height = (int(72 * inches) for inches in figure.get_size_inches())
        return file.getvalue(), {"width": width, "height": height}
