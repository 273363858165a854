#!/usr/bin/env python3
"""Make the pictures of this folder: run the program on a terminal, keep the screen with its colours, draw it.

    python3 -m venv /tmp/pictures && /tmp/pictures/bin/pip install pillow pyte
    /tmp/pictures/bin/python docs/pictures/make.py --bin target/release/mathchain [NAME ...]

It needs the font DejaVu Sans Mono (Debian: fonts-dejavu-core). Look at every picture before it is committed.
"""

import argparse
import dataclasses
import fcntl
import os
import pathlib
import pty
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time

import pyte
from PIL import Image, ImageDraw, ImageFont

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FONTS = pathlib.Path("/usr/share/fonts/truetype/dejavu")
BYTES_MAX = 120_000
SECONDS_MAX = 60
# What is drawn is the screen after the program has been quiet for this long.
QUIET_SECONDS = 1.0
FONT_SIZE, CELL_WIDTH, CELL_HEIGHT, MARGIN = 16, 10, 20, 14

INK, PAPER = "d7dae0", "1e2127"
COLOURS = {
    "black": "3f4451", "red": "e06c75", "green": "98c379", "brown": "e5c07b", "blue": "61afef", "magenta": "c678dd", "cyan": "56b6c2",
    "white": "d7dae0", "brightblack": "7f848e", "brightred": "e06c75", "brightgreen": "98c379", "brightbrown": "e5c07b",
    "brightblue": "61afef", "brightmagenta": "c678dd", "brightcyan": "56b6c2", "brightwhite": "ffffff",
}

LONG_PLAN = """version: 1
id: long
steps:
  - {id: data, tool: calculate, args: {expression: "2*pi"}}
  - id: chains
    tool: mcmc
    map: {over: [1, 2, 3, 4, 5, 6], as: item, concurrency: 2}
    args: {log_density: "-0.5*((x0-1)**2 + x1**2/4)", x0: [0, 0], n_samples: 100000, return_samples: false, seed: {$ref: item}}
  - id: decay
    tool: solve_ode
    args: {system: "y1; 1000*(1-y0^2)*y1-y0", y0: [2, 0], t_span: [0, 2000], max_steps: 10000000}
  - {id: half, tool: calculate, after: [chains, decay], args: {expression: "1/2"}}
outputs: {half: {$ref: half.value}}
"""


@dataclasses.dataclass
class Picture:
    """A command, and when its screen is drawn."""

    name: str
    command: str
    columns: int = 80
    lines: int = 24
    # Draw when this has been on the screen for `after` seconds; by default when the program is quiet or has ended.
    shows: str = ""
    after: float = 0
    files: dict = dataclasses.field(default_factory=dict)


PICTURES = [
    Picture("quickstart", "mathchain run examples/quickstart.yaml 2> run.log", columns=90, lines=80),
    Picture("plan", "mathchain run long.yaml", shows="chains", after=3, files={"long.yaml": LONG_PLAN}),
    Picture("tools", "mathchain tools list --role worker_math", columns=100, lines=80),
    Picture("approval", "mathchain call write_file --path notes.txt --content 'first line'", columns=90, lines=40),
    Picture("error", "mathchain call matrix_solve --A '[[1,2],[2,4]]' --b '[1,2]'", columns=90),
]


def screen_of(picture, program):
    """The screen of a terminal on which the command runs, in a new folder with the examples."""
    screen = pyte.Screen(picture.columns, picture.lines)
    stream = pyte.ByteStream(screen)
    stream.feed(f"$ {picture.command}\r\n".encode())
    # The name of this folder is seen in pictures.
    work = pathlib.Path(tempfile.gettempdir()) / "demo"
    work.mkdir()
    with tempfile.TemporaryDirectory() as folder:
        for name in ["examples", "plugins"]:
            shutil.copytree(ROOT / name, work / name)
        shutil.copy(ROOT / "mathchain.toml", work)
        for name, text in picture.files.items():
            (work / name).write_text(text)
        keep = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
        homes = {name: str(pathlib.Path(folder) / name.lower()) for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}
        path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**keep, **homes, "PATH": path, "TERM": "xterm-256color", "LANG": "C.UTF-8", "PAGER": "cat"}
        terminal, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", picture.lines, picture.columns, 0, 0))

        def control():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        streams = {"stdin": slave, "stdout": slave, "stderr": slave}
        process = subprocess.Popen(["bash", "-c", picture.command], cwd=work, env=environment, preexec_fn=control, **streams)
        os.close(slave)
        feed(stream, screen, terminal, picture)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        os.close(terminal)
    shutil.rmtree(work)
    return screen


def feed(stream, screen, terminal, picture):
    """Applies what the program prints until the screen is the one to draw."""
    start, shown_at = time.monotonic(), None
    while time.monotonic() - start < SECONDS_MAX:
        ready, _, _ = select.select([terminal], [], [], QUIET_SECONDS if not picture.shows else 0.05)
        if ready:
            try:
                stream.feed(os.read(terminal, 1 << 16))
            except OSError:
                return
        elif not picture.shows:
            return
        if picture.shows and shown_at is None and any(picture.shows in line for line in screen.display[1:]):
            shown_at = time.monotonic()
        if shown_at is not None and time.monotonic() - shown_at >= picture.after:
            return
    raise SystemExit(f"{picture.name}: nothing to draw within {SECONDS_MAX} s")


def colour(name, default):
    name = default if name == "default" else COLOURS.get(name, name)
    return tuple(int(name[at : at + 2], 16) for at in (0, 2, 4))


def draw(screen, path):
    """Draws the used lines of a screen."""
    used = [at for at, line in enumerate(screen.display) if line.strip()]
    cursor = [] if screen.cursor.hidden else [screen.cursor.y]
    lines = max(used + cursor) + 1
    size = (screen.columns * CELL_WIDTH + 2 * MARGIN, lines * CELL_HEIGHT + 2 * MARGIN)
    image = Image.new("RGB", size, colour("default", PAPER))
    pen = ImageDraw.Draw(image)
    fonts = {bold: ImageFont.truetype(str(FONTS / f"DejaVuSansMono{'-Bold' if bold else ''}.ttf"), FONT_SIZE) for bold in (False, True)}
    for y in range(lines):
        for x in range(screen.columns):
            cell = screen.buffer[y][x]
            ink, paper = colour(cell.fg, INK), colour(cell.bg, PAPER)
            if cell.reverse:
                ink, paper = paper, ink
            left, top = MARGIN + x * CELL_WIDTH, MARGIN + y * CELL_HEIGHT
            if paper != colour("default", PAPER):
                pen.rectangle([left, top, left + CELL_WIDTH - 1, top + CELL_HEIGHT - 1], fill=paper)
            glyph(pen, cell.data, left, top, ink, fonts[bool(cell.bold)])
            if cell.underscore:
                pen.line([left, top + CELL_HEIGHT - 2, left + CELL_WIDTH, top + CELL_HEIGHT - 2], fill=ink)
    if cursor and max(used) <= screen.cursor.y and screen.cursor.x:
        left, top = MARGIN + screen.cursor.x * CELL_WIDTH, MARGIN + screen.cursor.y * CELL_HEIGHT
        pen.rectangle([left, top, left + CELL_WIDTH - 1, top + CELL_HEIGHT - 1], fill=colour("default", INK))
    image.quantize(64).save(path, optimize=True)
    if path.stat().st_size > BYTES_MAX:
        raise SystemExit(f"{path} has {path.stat().st_size} bytes, expected at most {BYTES_MAX}")


def glyph(pen, text, left, top, ink, font):
    """Draws one character: Braille, blocks and frames to the edges of the cell, as terminals do; others by the font."""
    code = ord(text[0]) if text else 32
    right, bottom = left + CELL_WIDTH, top + CELL_HEIGHT
    middle, centre = left + CELL_WIDTH // 2, top + CELL_HEIGHT // 2
    # Arms of the light frame characters: left, right, up, down.
    arms = {"─": "lr", "│": "ud", "┌": "rd", "┐": "ld", "└": "ru", "┘": "lu", "├": "rud", "┤": "lud", "┬": "lrd", "┴": "lru", "┼": "lrud"}
    if 0x2800 <= code < 0x2900:
        # Bits 0 to 2 and 6 are the left column from above, 3 to 5 and 7 the right one.
        for bit, (column, row) in enumerate([(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]):
            if code >> bit & 1:
                x, y = left + CELL_WIDTH * (2 * column + 1) / 4, top + CELL_HEIGHT * (2 * row + 1) / 8
                pen.ellipse([x - 1.8, y - 1.8, x + 1.8, y + 1.8], fill=ink)
    elif 0x2581 <= code <= 0x2588:
        pen.rectangle([left, bottom - CELL_HEIGHT * (code - 0x2580) / 8, right - 1, bottom - 1], fill=ink)
    elif text in arms:
        ends = {"l": (left, centre), "r": (right, centre), "u": (middle, top), "d": (middle, bottom)}
        for arm in arms[text]:
            pen.line([(middle, centre), ends[arm]], fill=ink)
    elif code > 32:
        pen.text((left, top), text, fill=ink, font=font)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "target/release/mathchain")
    parser.add_argument("names", nargs="*", help="all without one")
    options = parser.parse_args()
    for picture in PICTURES:
        if picture.name in options.names or not options.names:
            path = HERE / f"{picture.name}.png"
            draw(screen_of(picture, options.bin.resolve()), path)
            print(path)


main()
