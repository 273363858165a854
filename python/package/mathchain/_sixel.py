"""Sixel pictures as PNG files, for programs that show no sixels."""

from __future__ import annotations

import re
import struct
import zlib

#: A colour, a repetition, a raster, or one character of the picture.
TOKEN = re.compile(r'#(\d+)(?:;2;(\d+);(\d+);(\d+))?|!(\d+)(.)|"[\d;]+|([?-~$-])')


def png(text: str) -> bytes:
    """The picture of a sixel text."""
    palette: dict[int, bytes] = {}
    rows: list[dict[int, bytes]] = []
    column = band = width = 0
    colour = b"\0\0\0"
    body = text[text.index("q") + 1 :]
    for token in TOKEN.finditer(body.split("\x1b\\")[0]):
        number, red, green, blue, times, repeated, single = token.groups()
        if number is not None:
            if red is not None:
                palette[int(number)] = bytes(int(part) * 255 // 100 for part in (red, green, blue))
            colour = palette.get(int(number), colour)
            continue
        mark = repeated or single
        if mark == "$":
            column = 0
        elif mark == "-":
            column, band = 0, band + 6
        elif mark is not None:
            count = int(times or 1)
            bits = ord(mark) - 63
            for bit in range(6):
                if bits >> bit & 1:
                    while len(rows) <= band + bit:
                        rows.append({})
                    rows[band + bit].update((column + step, colour) for step in range(count))
            column += count
            width = max(width, column)
    white = b"\xff\xff\xff"
    lines = (b"\0" + b"".join(row.get(x, white) for x in range(width)) for row in rows)
    header = struct.pack(">IIBBBBB", width, len(rows), 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(b"".join(lines))), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)
