"""Checks of what pages show without running it in place: data, configurations, forms of commands, and examples of tools."""

import json
import math
import re
import shlex

# Relative and absolute difference that numbers of an example may have on another processor.
RELATIVE, ABSOLUTE = 1e-9, 1e-12
# A configuration of a page may name files and folders that only its reader has.
ABSENT = ("does not exist", "cannot be opened", "are not pinned")


NUMBER = re.compile(r"(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)")


def agrees(shown, printed):
    """Whether an answer is the one that a page shows: fractions up to rounding, all else exactly. A long one ends in `...`."""
    wanted, found = NUMBER.split(shown), NUMBER.split(printed)
    if shown.endswith("...") and len(found) >= len(wanted) > 2:
        wanted, found = wanted[:-2], found[: len(wanted) - 2]
    return len(wanted) == len(found) and all(map(near, wanted, found))


def near(one, other):
    fractions = all(NUMBER.fullmatch(text) for text in (one, other)) and not (one.isdigit() and other.isdigit())
    return one == other or fractions and math.isclose(float(one), float(other), rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def tool_examples(lines):
    """The examples of a page of the reference: (line, whether arguments alone determine the answer, command, answer or nothing)."""
    pure, found = False, []
    for at, line in enumerate(lines):
        if line.startswith("Effects: "):
            pure = line.startswith(("Effects: none; pure;", "Effects: none; seeded;"))
        if line.startswith("    $ "):
            answer = lines[at + 1][4:] if at + 1 < len(lines) and lines[at + 1].startswith("    ") else None
            found.append((at + 1, pure, line[6:], answer))
    return found


def data_problem(language, text, run):
    """What is wrong with a block of data, or nothing: JSON reads, and TOML is a configuration without errors."""
    if language == "json":
        try:
            json.loads(text)
        except ValueError as error:
            return str(error)
    if language == "toml":
        head = "" if re.search(r"^version\b", text, re.M) else "version = 1\n"
        output, code = run("cat > block.toml; mathchain --config block.toml check 2>&1", head + text)
        errors = [line for line in output.splitlines() if re.match(r"error:|\s+- ", line) and "problems [" not in line]
        if code and not (errors and all(any(words in line for words in ABSENT) for line in errors)):
            return output
    return None


def forms(lines):
    """Indented commands of a page: their form is shown, with names that only their reader has."""
    fenced = False
    for at, line in enumerate(lines):
        fenced ^= line.startswith("```")
        if not fenced and (found := re.match(r"    (?:\$ )?(?:.*\| )?mathchain (.*)", line)):
            words = shlex.split(found[1].removesuffix("\\"), comments=True)
            end = next((index for index, word in enumerate(words) if word[0] in "<>|;&"), len(words))
            yield at + 1, [word for word in words[:end] if not re.fullmatch(r"2?", word)]


def form_problem(words, run):
    """A command or option in a form that the program does not have, or nothing."""
    text, code = run(f"mathchain {words[0]} --help 2>&1", "")
    if code:
        return f"no command `{words[0]}`"
    if words[1:] and "<COMMAND>" in text:
        text, code = run(f"mathchain {words[0]} {shlex.quote(words[1])} --help 2>&1", "")
        if code:
            return f"no command `{words[0]} {words[1]}`"
    if words[0] == "call":
        helps = [run(f"mathchain help {word} 2>&1", "") for word in words[1:] if re.fullmatch(r"[a-z]+_[a-z_]+|[a-z]{3,}", word)]
        text += "".join(help for help, code in helps if not code)
    options = [word.split("=")[0] for word in words if word.startswith("--")]
    missing = [option for option in options if not re.search(rf"(?<![\w-]){option}(?![\w-])", text)]
    return f"no option {missing[0]}" if missing else None
