"""The HTML templates of the reports, with Jinja2: whatever is put into one is escaped as the reports do it.

Text gets its invisible characters boxed by `text.html`; where no box can stand, in a quoted attribute, write
`{{ value | plain }}`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from desktop.foundation.resource_files import resource
from desktop.reports import text
from packs import numbers

if TYPE_CHECKING:
    from jinja2 import Environment


def rendered(template: str, **values: object) -> str:
    """The template of this name below `resources/templates`, filled. Unknown names in it are an error."""
    return templates().get_template(template).render(values)


@cache
def templates() -> Environment:
    """All templates, made when they are asked for first."""
    # A window starts without them.
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    def shown(value: object) -> object:
        """Every text that is not HTML of ours already."""
        return value if not isinstance(value, str) or isinstance(value, Markup) else Markup(text.html(value))

    environment = Environment(
        loader=FunctionLoader(lambda name: resource("templates", name).read_text("utf-8")),
        autoescape=True,
        finalize=shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["numbers"] = numbers
    environment.filters |= {
        "px": "{:.1f}".format,
        "plain": lambda value: Markup(text.attribute(value)),
        "short_digest": text.short_digest,
        "thousands": "{:,}".format,
        "zip": zip,
    }
    return environment
