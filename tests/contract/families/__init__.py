"""All families of calls: each is a function that returns the texts of its calls."""

from ..calls import FAMILIES
from . import scores, sets, uses  # noqa: F401 - each registers its families
