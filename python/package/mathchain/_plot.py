"""Plots in notebooks."""

from __future__ import annotations

from base64 import b64decode
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any


class Plot(dict[str, Any]):
    """The result of a tool that plots: a dictionary that a notebook shows as the plot."""

    def _picture(self) -> tuple[str, bytes] | None:
        """The picture of the tool `plot`: its media type and its bytes."""
        picture = self.get("picture")
        if not isinstance(picture, dict):
            return None
        media = picture.get("$media") or picture.get("mime_type")
        if "base64" in picture:
            return str(media), b64decode(picture["base64"])
        return str(media), str(picture.get("text", "")).encode()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the picture of the tool `plot` to a file, in the format that the call asked for."""
        picture = self._picture()
        if picture is None:
            raise ValueError("the result has no picture: call `plot` with a format other than `text`")
        Path(path).write_bytes(picture[1])

    def _repr_html_(self) -> str | None:
        text = self.get("plot")
        if text is None or self._picture() is not None:
            return None
        style = "line-height:1.15;font-family:'DejaVu Sans Mono','Menlo','Consolas',monospace"
        return f'<pre style="{style}">{escape(text)}</pre>'

    def _repr_svg_(self) -> str | None:
        picture = self._picture()
        return picture[1].decode() if picture and picture[0] == "image/svg+xml" else None

    def _repr_png_(self) -> bytes | None:
        shown = self._picture()
        if shown is not None:
            return shown[1] if shown[0] == "image/png" else None
        picture = self.get("sixel")
        if picture is None:
            return None
        from ._mathchain import png_of_sixel

        return png_of_sixel(picture)
