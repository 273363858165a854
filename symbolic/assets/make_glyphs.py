"""Makes formula-glyphs.txt, the outlines of formulas, from DejaVu Math TeX Gyre.

Usage: python make_glyphs.py PATH/TO/DejaVuMathTeXGyre.ttf, with fonttools installed. The result is committed; this file says what is in it.

One glyph a line: the code point in hexadecimal digits, with .1, .2, ... for its larger forms; advance; italic correction; the outline as path data of
SVG with quadratic curves, in thousandths of the size, y upwards, coordinates relative.
"""

import sys
from pathlib import Path

from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont

RANGES = [
    (0x20, 0x7E), (0xA0, 0xB7), (0xD7, 0xD7), (0xF7, 0xF7), (0x131, 0x131), (0x237, 0x237), (0x2C6, 0x2DD), (0x391, 0x3C9), (0x3D1, 0x3D6),
    (0x3F0, 0x3F6), (0x2016, 0x2016), (0x2020, 0x2026), (0x2032, 0x2034), (0x2044, 0x2044), (0x2100, 0x214F), (0x2190, 0x21D5), (0x21A6, 0x21AA), (0x2200, 0x22F1),
    (0x2308, 0x230B), (0x25A1, 0x25A1), (0x25B3, 0x25B3), (0x25CB, 0x25CB), (0x2713, 0x2713), (0x27E8, 0x27E9), (0x27F5, 0x27FC), (0x2A00, 0x2A06), (0x2A7D, 0x2A7E), (0x2AAF, 0x2AB0),
    (0x1D400, 0x1D467), (0x1D49C, 0x1D4CF), (0x1D504, 0x1D537), (0x1D538, 0x1D56B), (0x1D6A4, 0x1D6E1), (0x1D6E2, 0x1D71B), (0x1D7CE, 0x1D7E1),
]


class RelativePen(BasePen):
    """Collects path data with relative coordinates."""

    def __init__(self, glyphs):
        super().__init__(glyphs)
        self.parts, self.at = [], (0, 0)

    def points(self, letter, *points):
        text = []
        for x, y in points:
            text += [round(x) - self.at[0], round(y) - self.at[1]]
        self.at = (round(points[-1][0]), round(points[-1][1]))
        self.parts.append(letter + " ".join(map(str, text)).replace(" -", "-"))

    def _moveTo(self, point):
        self.points("m", point)
        self.start = self.at

    def _lineTo(self, point):
        self.points("l", point)

    def _qCurveToOne(self, control, point):
        self.points("q", control, point)

    def _closePath(self):
        self.parts.append("z")
        self.at = self.start


def main(source: str) -> None:
    font = TTFont(source)
    glyphs, characters, table = font.getGlyphSet(), font.getBestCmap(), font["MATH"].table
    covered = table.MathVariants.VertGlyphCoverage.glyphs
    info = table.MathGlyphInfo.MathItalicsCorrectionInfo
    italics = {name: value.Value for name, value in zip(info.Coverage.glyphs, info.ItalicsCorrection)}
    lines = []

    def add(key, name):
        pen = RelativePen(glyphs)
        glyphs[name].draw(pen)
        lines.append(f"{key} {glyphs[name].width} {italics.get(name, 0)} {''.join(pen.parts)}".rstrip())

    for first, last in RANGES:
        for code in range(first, last + 1):
            name = characters.get(code)
            if name is None:
                continue
            add(f"{code:x}", name)
            is_grown = chr(code) in "()[]{}|\u2016\u221a\u222b\u222c\u222d\u222e\u2211\u220f\u2210\u22c3\u22c2\u22c1\u22c0\u27e8\u27e9\u2308\u2309\u230a\u230b\u2a00\u2a01\u2a02\u2a04\u2a06"
            if is_grown and name in covered:
                forms = table.MathVariants.VertGlyphConstruction[covered.index(name)].MathGlyphVariantRecord
                for step, form in enumerate(forms[1:], 1):
                    add(f"{code:x}.{step}", form.VariantGlyph)
    target = Path(__file__).with_name("formula-glyphs.txt")
    target.write_text("\n".join(lines) + "\n")
    print(target.stat().st_size, "bytes,", len(lines), "glyphs")


main(sys.argv[1])
