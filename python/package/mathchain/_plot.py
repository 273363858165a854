"""Plots in notebooks."""

from __future__ import annotations

from html import escape
from typing import Any


class Plot(dict[str, Any]):
    """The result of a tool that plots: a dictionary that a notebook shows as the plot."""

    def _repr_html_(self) -> str | None:
        text = self.get("plot")
        if text is None:
            return None
        style = "line-height:1.15;font-family:'DejaVu Sans Mono','Menlo','Consolas',monospace"
        return f'<pre style="{style}">{escape(text)}</pre>'

    def _repr_png_(self) -> bytes | None:
        picture = self.get("sixel")
        if picture is None:
            return None
        from ._mathchain import png_of_sixel

        return png_of_sixel(picture)
