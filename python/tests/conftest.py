import os
import subprocess
import sys
from pathlib import Path

import pytest

import mathchain


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Each test has a folder of its own, with its own user state."""
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    os.makedirs(tmp_path / "home", exist_ok=True)
    monkeypatch.setattr(mathchain._toolkit, "_default", None)
    return tmp_path


@pytest.fixture
def toolkit():
    """A toolkit without records."""
    return mathchain.Toolkit(state=False)


@pytest.fixture
def command():
    """Runs the command of the package; gives what it prints."""
    program = str(Path(sys.executable).with_name("mathchain"))

    def run(*words):
        return subprocess.run([program, *words], check=True, capture_output=True, text=True, timeout=60).stdout

    return run
