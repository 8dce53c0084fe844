"""Pictures of results: ``draw`` draws any result that has one.

It draws on ``ax``, or on a new figure, and returns the Axes. It needs matplotlib (the extra ``plot``), which is
imported when the first picture is drawn. New figures are not part of pyplot's state:
``axes.figure.savefig("board.pdf")`` writes one, and a notebook shows the Axes. Series differ in color (the color-blind
safe palette of Okabe and Ito), marker and line style.
"""

from .charts import draw

__all__ = ["draw"]
