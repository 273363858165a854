#!/usr/bin/env python3
"""Read the files of the gallery back with other programs, and compare them with the display lists.

    python3 -m venv /tmp/readers && /tmp/readers/bin/pip install pillow pypdf
    cargo run -p plots --example gallery -- docs/gallery /tmp/scenes
    /tmp/readers/bin/python plots/tests/read_back.py /tmp/scenes

PNG by Pillow: size, and marks where the display list has them. PDF by pypdf: one page of the size, and every text of the picture.
SVG by the XML reader of Python: every text. With `pdftoppm` (poppler) a PDF is drawn too, and looks like the PNG.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import pypdf
from PIL import Image, ImageChops, ImageStat


def letters(text):
    return sorted("".join(text.split()))


def check(folder, name):
    scene = json.loads((folder / f"{name}.scene.json").read_text())
    texts = [item["text"] for item in scene["items"] if "text" in item]
    picture = Image.open(folder / f"{name}.png").convert("RGB")
    root = ElementTree.parse(folder / f"{name}.svg").getroot()
    size = [round(float(side)) for side in root.get("viewBox").split()[2:]]
    assert list(picture.size) == size, f"PNG of {picture.size}, SVG of {size}"
    found = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert sorted(found) == sorted(texts), f"texts of the SVG: {set(found) ^ set(texts)}"
    page, = pypdf.PdfReader(folder / f"{name}.pdf").pages
    shape = float(page.mediabox.width) / float(page.mediabox.height)
    assert abs(shape - size[0] / size[1]) < 0.01, f"PDF of shape {shape}"
    assert letters(page.extract_text()) == letters("".join(texts)), "texts of the PDF"
    background = picture.getpixel((0, 0))
    for item in scene["items"]:
        if "rectangle" in item:
            x, y, w, h = item["rectangle"]
            if w > 4 and h > 4:
                box = (max(0, int(x)), max(0, int(y)), min(size[0], int(x + w)), min(size[1], int(y + h)))
                colours = picture.crop(box).getcolors(1 << 20)
                assert len(colours) > 1 or colours[0][1] != background, f"nothing at {box}"
    if shutil.which("pdftoppm"):
        with tempfile.TemporaryDirectory() as place:
            subprocess.run(["pdftoppm", "-png", "-r", "72", "-scale-to-x", str(size[0]), "-scale-to-y", str(size[1]), folder / f"{name}.pdf",
                            f"{place}/page"], check=True)
            drawn = Image.open(next(pathlib.Path(place).glob("*.png"))).convert("RGB")
            difference = ImageStat.Stat(ImageChops.difference(picture, drawn)).mean
            assert max(difference) < 6, f"PDF and PNG differ by {difference} of 255 in the mean"
    return len(texts)


def main():
    folder = pathlib.Path(sys.argv[1])
    faults = 0
    names = sorted(path.name.removesuffix(".scene.json") for path in folder.glob("*.scene.json"))
    for name in names:
        try:
            print(f"{name}: {check(folder, name)} texts, read back")
        except AssertionError as fault:
            faults += 1
            print(f"{name}: {fault}")
    print(f"{len(names) - faults} of {len(names)} pictures are read back")
    sys.exit(1 if faults or not names else 0)


if __name__ == "__main__":
    main()
