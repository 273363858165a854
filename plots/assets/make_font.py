"""Makes dejavu-sans-subset.ttf, the font of all plots, from DejaVu Sans 2.37.

Usage: python make_font.py PATH/TO/DejaVuSans.ttf, with fonttools installed. The result is committed; this file says what is in it.

Kept: Latin, Greek, Cyrillic, punctuation, superscripts and subscripts, currencies, letterlike symbols, arrows, mathematics, a few shapes.
Dropped: hinting, kerning and other layout, names of glyphs, so that a width is the sum of the advances.
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

RANGES = [
    (0x20, 0x7E), (0xA0, 0x24F), (0x2B9, 0x2DD), (0x300, 0x331), (0x370, 0x3FF), (0x400, 0x52F), (0x1E00, 0x1EFF), (0x1F00, 0x1FFF),
    (0x2010, 0x2027), (0x2030, 0x203A), (0x2044, 0x2044), (0x2070, 0x209C),
    (0x20A0, 0x20BD), (0x2100, 0x214F), (0x2150, 0x215E), (0x2190, 0x21FF), (0x2200, 0x22FF),
    (0x2308, 0x230B), (0x25A0, 0x25CF), (0x2605, 0x2606), (0x2713, 0x2717), (0x27E8, 0x27E9), (0xFB01, 0xFB02), (0xFFFD, 0xFFFD),
]


def main(source: str) -> None:
    options = subset.Options()
    options.hinting = False
    options.layout_features = []
    options.glyph_names = False
    options.name_IDs = [1, 2, 3, 4, 5, 6]
    options.name_languages = [0x409]
    options.notdef_outline = True
    options.recalc_timestamp = False
    options.drop_tables += ["GDEF", "GPOS", "GSUB", "kern", "FFTM", "gasp", "MATH"]
    font = TTFont(source, recalcTimestamp=False)
    reader = subset.Subsetter(options)
    reader.populate(unicodes=[code for first, last in RANGES for code in range(first, last + 1)])
    reader.subset(font)
    # The licence asks for another name where the font was changed.
    for record in font["name"].names:
        if record.nameID in (1, 3, 4, 6):
            record.string = str(record).replace("DejaVu Sans", "Plot Sans").replace("DejaVuSans", "PlotSans")
    target = Path(__file__).with_name("dejavu-sans-subset.ttf")
    font.save(target)
    print(target.stat().st_size, "bytes,", len(font.getBestCmap()), "characters,", font["maxp"].numGlyphs, "glyphs")


main(sys.argv[1])
