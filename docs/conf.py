"""How the documentation is built: ``sphinx-build -W docs docs/_build``."""

import sys
from importlib.metadata import version as installed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "scorio"
copyright = "the scorio developers"  # noqa: A001 - Sphinx's name
version = release = installed("scorio")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "mathml",
    "options",
    "parameters",
]
html_math_renderer = "mathml"
myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "_extensions"]

autodoc_typehints = "description"
autodoc_typehints_format = "short"
autodoc_typehints_description_target = "documented_params"
autodoc_member_order = "bysource"
# Methods of a base class of this package are listed; those of Python's own base classes are not, nor what only other
# modules of the package call.
autodoc_default_options = {
    "members": True,
    "inherited-members": "tuple,Mapping,ValueError,UserWarning,BaseException,Protocol,str,list",
    "exclude-members": "is_choice, check_confidence, limit, tail, extent, judged, "
    "interval_options, assumed, given, settled, is_family_wise, record, picked",
}

html_theme = "furo"
html_title = "scorio"
html_static_path = ["_static"]
html_extra_path = ["calculator.html"]
html_css_files = ["site.css"]
html_theme_options = {"sidebar_hide_name": False}
html_copy_source = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
nitpicky = False
