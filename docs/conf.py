"""How the documentation is built: ``sphinx-build -W docs docs/_build``."""

from importlib.metadata import version as installed

project = "scorio"
copyright = "the scorio developers"  # noqa: A001 - Sphinx's name
version = release = installed("scorio")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]

autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}

html_theme = "furo"
html_title = f"scorio {release}"
html_copy_source = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
nitpicky = False
