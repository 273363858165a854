import os

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
