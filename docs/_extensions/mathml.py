"""Formulas as MathML, which browsers show without a network, a font or a script."""

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert as _converted
from sphinx.application import Sphinx
from sphinx.util.math import get_node_equation_number

_TALL = re.compile(r'<mo minsize="[^"]*" maxsize="[^"]*">(&#x0002[89];)</mo>')  # the brackets of a binomial


def convert(formula: str, **options: str) -> str:
    """Return a formula as MathML; the brackets of binomials are as tall as what they hold, whatever the font."""
    return _TALL.sub(r'<mo class="tall" stretchy="false">\1</mo>', _converted(formula, **options))


def _inline(writer: Any, node: nodes.Element) -> None:
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _displayed(writer: Any, node: nodes.Element) -> None:
    if node["number"]:
        writer.body.append(f'<span class="eqno">({get_node_equation_number(writer, node)})</span>')
    writer.body.append(f'<div class="formula">{convert(node.astext(), display="block")}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the way formulas are written in HTML."""
    app.add_html_math_renderer("mathml", (_inline, None), (_displayed, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
