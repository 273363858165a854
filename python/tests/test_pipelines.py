"""Pipelines and agents in the process of the interpreter, and by its command."""

import subprocess
import sys
from pathlib import Path

import pytest

import mathchain

ROOT = Path(__file__).resolve().parents[2]
COMMAND = str(Path(sys.executable).with_name("mathchain"))

CONFIG = """
version = 1
default_role = "operator"
[[phases]]
name = "a"
agents = ["one"]
prompt = "x"
[workflow.agents.impl]
cli = "one"
[cli.one]
binary = "sh"
subcommand = ["-c", "echo done"]
[[policies]]
level = "global"
[[policies.rules]]
match = { tools = ["pipeline_run", "spawn_agent"] }
decision = "allow"
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="agents need the sandbox of Linux")


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "mathchain.toml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    # It starts programs: a person reads it first.
    subprocess.run([COMMAND, "trust", "--yes"], check=True, capture_output=True, timeout=60)
    return tmp_path


def test_a_pipeline_runs(project):
    told = []
    with mathchain.Toolkit(role="operator") as toolkit:
        record = toolkit.run_pipeline(progress=lambda fraction, words: told.append(words))
        assert record["state"] == "succeeded"
        assert (project / "outputs" / "a" / "one.md").read_text() == "done\n"
        with pytest.raises(mathchain.InvalidRequest, match="no phase named"):
            toolkit.run_pipeline(only="b")
        assert toolkit.run_pipeline(skip=["a"])["phases"][0]["status"] == "skipped"
    assert told


def test_an_agent_starts(project):
    with mathchain.Toolkit(role="orchestration") as toolkit:
        assert toolkit.call("spawn_agent", role="impl")["answer"] == "done"
    words = [COMMAND, "call", "--role", "orchestration", "spawn_agent", "--output", "raw"]
    done = subprocess.run(words, input='{"role":"impl"}', capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and '"done"' in done.stdout, done.stderr


def test_an_agent_calls_tools_of_its_server(project):
    """The interpreter is the server, and in the sandbox of the agent what joins it."""
    table = """
[[phases]]
name = "b"
agents = ["caller"]
prompt = 'calculate {"expression":"6*7"}'
[cli.caller]
binary = "python3"
subcommand = ["agent.py"]
prompt_argv = ["--mcp", "{mcp_config}", "--task", "{prompt}"]
"""
    (project / "mathchain.toml").write_text(CONFIG + table)
    (project / "agent.py").write_text((ROOT / "examples" / "pipeline" / "agent.py").read_text())
    subprocess.run([COMMAND, "trust", "--yes"], check=True, capture_output=True, timeout=60)
    with mathchain.Toolkit(role="operator") as toolkit:
        record = toolkit.run_pipeline(only="b")
    assert record["state"] == "succeeded", record
    assert "calculate: ok" in (project / "outputs" / "b" / "caller.md").read_text()
