"""The command of the package, and programs that tools run."""

import subprocess
import sys
from pathlib import Path

import pytest

import mathchain

COMMAND = [str(Path(sys.executable).with_name("mathchain"))]


def run(words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=60, **options)


@pytest.mark.parametrize("command", [COMMAND, [sys.executable, "-m", "mathchain"]])
def test_the_command_is_the_same(command):
    done = run([*command, "call", "statistics", "--data", "1,2,3", "--output", "raw"])
    assert done.returncode == 0 and '"mean":2.0' in done.stdout, done.stderr
    assert run([*command, "--version"]).stdout.startswith("mathchain ")
    assert run([*command, "nonsense"]).returncode == 2
    denied = run([*command, "call", "write_file", "--role", "worker_math", "--path", "a", "--content", "b"])
    assert denied.returncode == 3
    served = run([*command, "serve", "--jsonl"], input='{"id":1,"tool":"statistics","args":{"data":[1,3]}}\n')
    assert '"mean":2.0' in served.stdout


def test_programs_run_in_the_sandbox(folder):
    (folder / "mathchain.toml").write_text("version = 1\n")
    doctor = run([*COMMAND, "doctor"])
    if "S1" not in doctor.stdout and "S2" not in doctor.stdout and "S3" not in doctor.stdout:
        pytest.skip("this machine has no sandbox: `mathchain doctor`")
    by_command = run([*COMMAND, "call", "python_eval", "--expression", "6 * 7", "--output", "raw"])
    assert "42" in by_command.stdout, by_command.stderr
    toolkit = mathchain.Toolkit()
    assert "42" in str(toolkit.call("python_eval", expression="6 * 7"))


def test_import_is_light():
    code = "import sys, mathchain; print(sorted({'numpy', 'asyncio', 'inspect', 'typing_extensions'} & set(sys.modules)))"
    assert run([sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"]).stdout == "[]\n"
