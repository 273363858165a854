#!/usr/bin/env python3
"""Run the jobs of a new user's first hour; README.md describes the job files.

Every job starts in a new scratch folder with a home of its own, outside the repository. Its commands run with `mathchain` first
on PATH, through a pipe (`$`) or on a pseudo-terminal of 80x24 (`tty$`) whose screen is read after the escape sequences are applied.
"""

import argparse
import codecs
import concurrent.futures
import dataclasses
import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

import data

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COLUMNS, LINES = 80, 24
COMMAND_SECONDS = 60
# A key is sent when the program printed something and has been quiet for this long: then it waits for an answer.
QUIET_SECONDS = 0.5
# A program that never stops printing, such as one with a clock in its progress line, gets the key after this long.
PATIENCE_SECONDS = 4
TAIL_LINES = 15


# Job files


@dataclasses.dataclass
class Command:
    """One command with what its end and its output must be."""

    text: str
    line: int
    keys: list | None = None  # of a command on a terminal
    code: int = 0
    checks: list = dataclasses.field(default_factory=list)  # (mark, pattern)


@dataclasses.dataclass
class Job:
    """A job: its files and commands in the order of the job file."""

    number: str
    title: str
    place: str
    later: str | None = None
    needs: tuple | None = None  # a file of the repository, and the command that makes it
    actions: list = dataclasses.field(default_factory=list)  # Command, ("file", name, text) or ("copy", names)

    @property
    def name(self):
        return f"{self.place.split(':')[0]} {self.number} {self.title}"


class JobFileError(Exception):
    """A job file that does not follow the format."""


def unindented(lines, start):
    """The indented lines from `start` on, without their first four columns, and the index after them."""
    block, at = [], start
    while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
        block.append(lines[at][4:])
        at += 1
    while block and not block[-1]:
        block.pop()
        at -= 1
    return block, at


def read_jobs(path):
    jobs, lines, at = [], path.read_text(encoding="utf-8").splitlines(), 0
    while at < len(lines):
        line, place = lines[at], f"{path.name}:{at + 1}"
        at += 1

        def fail(what):
            raise JobFileError(f"{place}: {what}: {line!r}")

        if not line.strip() or (line.startswith("#") and not line.startswith("##")):
            continue
        if line.startswith("## "):
            number, _, title = line[3:].partition(" ")
            if not number.isdigit() or not title:
                fail("expected `## number title`")
            jobs.append(Job(number, title, place))
            continue
        if not jobs:
            fail("expected a job, `## number title`, first")
        job = jobs[-1]
        if line.startswith("later "):
            if not re.fullmatch(r"later \d+: .+", line):
                fail("expected `later ISSUE: reason`")
            job.later = line[len("later "):]
        elif line.startswith("needs "):
            file, separator, made_by = line[len("needs "):].partition(": ")
            if not separator:
                fail("expected `needs FILE: COMMAND`")
            job.needs = (file, made_by)
        elif line.startswith("copy "):
            job.actions.append(("copy", line.split()[1:]))
        elif line.startswith("file "):
            block, at = unindented(lines, at)
            job.actions.append(("file", line[len("file "):].strip(), "\n".join(block) + "\n"))
        elif line.startswith(("$ ", "tty$ ")):
            keys, text = None, line[2:]
            if line.startswith("tty$ "):
                given, separator, text = line[len("tty$ "):].partition("-- ")
                if not separator:
                    fail("expected `tty$ KEYS -- command`")
                keys = [codecs.decode(key, "unicode_escape") for key in given.split()]
            more, at = unindented(lines, at)
            job.actions.append(Command("\n".join([text, *more]), at, keys))
        elif line.startswith(("= ", "~ ", "~~ ", "!~ ")):
            if not job.actions or not isinstance(job.actions[-1], Command):
                fail("expected a command before what it must do")
            mark, _, rest = line.partition(" ")
            if mark == "=":
                if not rest.isdigit():
                    fail("expected an exit code")
                job.actions[-1].code = int(rest)
            else:
                try:
                    pattern = re.compile(rest, re.MULTILINE)
                except re.error as err:
                    fail(f"not a regular expression ({err})")
                if mark == "~~" and job.actions[-1].keys is None:
                    fail("only a terminal has a screen")
                job.actions[-1].checks.append((mark, pattern))
        else:
            fail("unknown line")
    for job in jobs:
        if not any(isinstance(action, Command) for action in job.actions):
            raise JobFileError(f"{job.place}: a job without a command")
    return jobs


# A terminal


class Screen:
    """A small terminal: what a reader sees, lines that scrolled away included.

    Unknown escape sequences stay as text, so that they are found.
    """

    def __init__(self):
        self.rows, self.top, self.row, self.column = [[]], 0, 0, 0
        self.main = None  # the rows below an alternate screen
        self.rest = ""
        self.drawn = []  # rows as they were before something was drawn over them

    SEQUENCE = re.compile(
        r"\x1b(?:\[(?P<args>[0-9;:?<=>]*)[ -/]*(?P<csi>[@-~])"
        r"|[\]PX^_](?:[^\x07\x1b]|\x1b(?!\\))*(?:\x07|\x1b\\)"  # titles, links, sixel pictures
        r"|[()*+][0-9A-B]|(?P<one>[78=>DEHMc]))"
    )
    # Ends of text that may become a sequence with what follows.
    BEGUN = re.compile(r"\x1b(?:\[[0-9;:?<=>]*[ -/]*|[\]PX^_](?:[^\x07\x1b]|\x1b(?!\\))*\x1b?|[()*+])?\Z")

    def feed(self, text):
        text, at = self.rest + text, 0
        self.rest = ""
        while at < len(text):
            character = text[at]
            if character == "\x1b":
                found = self.SEQUENCE.match(text, at)
                if found:
                    self.apply(found)
                    at = found.end()
                    continue
                if self.BEGUN.match(text, at):
                    self.rest = text[at:]
                    return
            self.put(character)
            at += 1

    def put(self, character):
        if character == "\r":
            self.remember()
            self.column = 0
        elif character == "\n":
            self.move(self.row + 1)
        elif character == "\b":
            self.column = max(0, self.column - 1)
        elif character == "\t":
            self.column = min(COLUMNS - 1, self.column // 8 * 8 + 8)
        elif character in "\x07\x0e\x0f\x00":
            pass
        else:
            if self.column >= COLUMNS:
                self.column = 0
                self.move(self.row + 1)
            line = self.rows[self.row]
            line.extend(" " * (self.column + 1 - len(line)))
            line[self.column] = character
            self.column += 1

    def remember(self):
        row = "".join(self.rows[self.row]).rstrip()
        if row and row not in self.drawn[-LINES:]:
            self.drawn.append(row)

    def move(self, row):
        self.row = max(self.top, row)
        while len(self.rows) <= self.row:
            self.rows.append([])
        self.top = max(self.top, self.row - LINES + 1)

    def apply(self, found):
        kind, args = found["csi"], found["args"] or ""
        if found["one"] == "M":
            self.move(self.row - 1)
        if kind is None or kind in "mnrcqtu":
            return
        if args.startswith("?"):
            if kind in "hl" and "1049" in args.split(";")[0]:
                self.alternate(kind == "h")
            return
        self.remember()
        numbers = [int(word) if word.isdigit() else 0 for word in args.split(";")]
        count = max(1, numbers[0])
        line = self.rows[self.row]
        if kind == "A":
            self.move(self.row - count)
        elif kind in "Be":
            self.move(min(self.row + count, self.top + LINES - 1))
        elif kind in "Ca":
            self.column = min(COLUMNS - 1, self.column + count)
        elif kind == "D":
            self.column = max(0, min(self.column, COLUMNS - 1) - count)
        elif kind in "EF":
            self.move(self.row + (count if kind == "E" else -count))
            self.column = 0
        elif kind in "G`":
            self.column = min(COLUMNS, count) - 1
        elif kind == "d":
            self.move(self.top + min(LINES, count) - 1)
        elif kind in "Hf":
            self.move(self.top + min(LINES, count) - 1)
            self.column = min(COLUMNS, max(1, numbers[1] if len(numbers) > 1 else 1)) - 1
        elif kind == "K":
            self.erase(line, numbers[0])
        elif kind == "J":
            if numbers[0] >= 2:
                del self.rows[self.top:]
                self.move(self.row)
            else:
                self.erase(line, numbers[0])
                below = self.rows[self.row + 1:] if numbers[0] == 0 else self.rows[self.top:self.row]
                for other in below:
                    other.clear()
        elif kind == "P":
            del line[self.column:self.column + count]
        elif kind == "@":
            line[self.column:self.column] = " " * count

    def erase(self, line, part):
        if part in (0, 2):
            del line[0 if part == 2 else self.column:]
        else:
            line[:self.column + 1] = " " * min(len(line), self.column + 1)

    def alternate(self, on):
        """An alternate screen, as pagers use it: its text is read too, and the one below comes back."""
        if on and self.main is None:
            self.main = (self.rows, self.top, self.row, self.column)
            self.rows, self.top, self.row, self.column = [[]], 0, 0, 0
        elif not on and self.main is not None:
            seen = self.rows
            self.rows, self.top, self.row, self.column = self.main
            self.main = None
            self.rows[self.row:self.row] = seen
            self.move(self.row + len(seen))

    def text(self):
        rows = self.rows if self.main is None else self.main[0] + self.rows
        return "\n".join("".join(row).rstrip() for row in rows) + self.rest


# Commands


def stop(process):
    """Ends a command with everything it started in the background."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def through_pipe(command, folder, environment):
    process = subprocess.Popen(
        ["bash", "-c", command.text], cwd=folder, env=environment, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )
    try:
        output, _ = process.communicate(timeout=COMMAND_SECONDS)
        code = process.returncode
    except subprocess.TimeoutExpired:
        code = None
        stop(process)
        output = process.stdout.read()
    stop(process)
    process.stdout.close()
    return output.decode("utf-8", "replace"), code, ""


def on_terminal(command, folder, environment):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    process = subprocess.Popen(
        ["bash", "-c", command.text], cwd=folder, env=environment, start_new_session=True,
        stdin=slave, stdout=slave, stderr=slave,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(slave)
    screen, decode = Screen(), codecs.getincrementaldecoder("utf-8")("replace").decode
    keys, began = list(command.keys), time.monotonic()
    last_key = last_output = began
    printed, code = False, None
    try:
        while True:
            now = time.monotonic()
            if now - began > COMMAND_SECONDS:
                break
            readable, _, _ = select.select([master], [], [], 0.05)
            if readable:
                try:
                    some = os.read(master, 65536)
                except OSError:  # EIO: nothing has the terminal open
                    some = b""
                if not some:
                    code = process.wait(timeout=max(0.1, COMMAND_SECONDS - (now - began)))
                    break
                screen.feed(decode(some))
                printed, last_output = True, time.monotonic()
            elif process.poll() is not None:
                code = process.returncode
                break
            now = time.monotonic()
            waits = printed and now - last_output > QUIET_SECONDS
            if keys and (waits or now - last_key > PATIENCE_SECONDS):
                os.write(master, keys.pop(0).encode())
                printed, last_key, last_output = False, now, now
    except subprocess.TimeoutExpired:
        code = None
    stop(process)
    os.close(master)
    screen.feed(decode(b"", True))
    return screen.text(), code, "\n".join(screen.drawn)


def fault(command, output, code, drawn):
    """Why the command is not as wanted, or None."""
    if code is None:
        return f"still running after {COMMAND_SECONDS} s"
    if command.keys is not None:
        for trace, name in (("\ufffd", "U+FFFD"), ("\x1b", "an escape sequence")):
            if trace in output or trace in drawn:
                return f"{name} is left on the screen"
    if code != command.code:
        return f"exit code {code}, expected {command.code}"
    for mark, pattern in command.checks:
        text = f"{drawn}\n{output}" if mark == "~~" else output
        if bool(pattern.search(text)) != (mark != "!~"):
            return f"{'found' if mark == '!~' else 'no match of'} {pattern.pattern}"
    return None


# Jobs


def environment_of(scratch, binary):
    home = scratch / "home"
    folders = {
        "XDG_CONFIG_HOME": home / ".config", "XDG_STATE_HOME": home / ".local/state",
        "XDG_DATA_HOME": home / ".local/share", "XDG_CACHE_HOME": home / ".cache", "XDG_RUNTIME_DIR": home / "run",
    }
    programs = scratch / "bin"
    programs.mkdir()
    (programs / "mathchain").symlink_to(binary)
    (programs / "pick").symlink_to(HERE / "pick")
    for folder in folders.values():
        folder.mkdir(parents=True)
        folder.chmod(0o700)
    return {
        "PATH": f"{programs}:{os.environ.get('PATH', '/usr/bin:/bin')}", "HOME": str(home), "REPOSITORY": str(ROOT), "TERM": "xterm-256color",
        "LANG": "C.UTF-8", "TZ": "UTC", "COLUMNS": "", **{name: str(folder) for name, folder in folders.items()},
    }


def run_job(job, binary, verbose):
    """The line of a job, and whether it failed."""
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="first-hour-"))
    shown, began = [], time.monotonic()
    try:
        environment = environment_of(scratch, binary)
        environment.pop("COLUMNS")
        folder = scratch / "work"
        folder.mkdir()
        data.make(folder)
        for action in job.actions:
            match action:
                case ("copy", names):
                    for name in names:
                        source = ROOT / name
                        if source.is_dir():
                            # What commands of the repository left behind is no part of it.
                            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("out", "__pycache__"))
                        else:
                            (folder / name).parent.mkdir(parents=True, exist_ok=True)
                            shutil.copy2(source, folder / name)
                    continue
                case ("file", name, text):
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    (folder / name).write_text(text, encoding="utf-8")
                    continue
            run = through_pipe if action.keys is None else on_terminal
            output, code, drawn = run(action, folder, environment)
            mark = "$" if action.keys is None else "tty$"
            if verbose:
                shown.append(f"    {mark} {action.text}\n" + "".join(f"    | {line}\n" for line in output.splitlines()))
            reason = fault(action, output, code, drawn)
            if reason:
                tail = "" if verbose else "".join(f"    | {line[:400]}\n" for line in output.splitlines()[-TAIL_LINES:])
                shown.append(f"    {mark} {action.text}\n    {reason}\n{tail}")
                return f"FAIL   {job.name}: {reason}\n{''.join(shown)}", True
        return f"ok     {job.name} ({time.monotonic() - began:.1f} s)\n{''.join(shown)}", False
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def binary_of(given):
    places = [given] if given else [ROOT / "target/release/mathchain", ROOT / "target/debug/mathchain"]
    for place in places:
        if os.access(place, os.X_OK):
            return pathlib.Path(place).resolve()
    sys.exit(f"no program at {' or '.join(map(str, places))}: build it (`cargo build --release`), or name it with --bin")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", metavar="PATH", help="the program; by default of this repository's target folder")
    parser.add_argument("--only", metavar="REGEX", default="", help="jobs whose `file number title` matches")
    parser.add_argument("--list", action="store_true", help="list the jobs, run nothing")
    parser.add_argument("-v", "--verbose", action="store_true", help="show every command with its output")
    parser.add_argument("-j", "--jobs", metavar="N", type=int, default=1, help="run N jobs at a time")
    options = parser.parse_args()
    try:
        jobs = [job for path in sorted(HERE.glob("*.jobs")) for job in read_jobs(path)]
    except JobFileError as err:
        sys.exit(str(err))
    jobs = [job for job in jobs if re.search(options.only, job.name)]
    if not jobs:
        sys.exit(f"no job matches {options.only!r}")
    if options.list:
        for job in jobs:
            print(job.name + (f" (later: issue {job.later})" if job.later else ""))
        return
    binary = binary_of(options.bin)
    missing = [program for program in ("bash", "jq", "node") if not shutil.which(program)]
    if missing:
        sys.exit(f"the jobs need {', '.join(missing)}")
    later = [job for job in jobs if job.later]
    lacking = [job for job in jobs if job.needs and not job.later and not (ROOT / job.needs[0]).exists()]
    now = [job for job in jobs if not job.later and job not in lacking]
    for job in later:
        print(f"later  {job.name} (issue {job.later})")
    for job in lacking:
        print(f"needs  {job.name} ({job.needs[0]}, which `{job.needs[1]}` makes)")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(max(1, options.jobs)) as pool:
        for line, is_failed in pool.map(lambda job: run_job(job, binary, options.verbose), now):
            print(line, end="", flush=True)
            failed += is_failed
    print(f"{len(now) - failed} ok, {failed} failed, {len(later)} later, {len(lacking)} lack what they need")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
