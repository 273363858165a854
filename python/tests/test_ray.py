"""Plans on a real Ray of this machine: the bytes of a local run, whatever dies."""

import contextlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from mathchain import _mathchain

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc"),
    pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="no package `ray`: pip install 'mathchain[ray]'"),
]

PROGRAM = [sys.executable, "-m", "mathchain"]
DRIVER = [sys.executable, "-m", "mathchain.ray"]


def study(elements, samples, place=""):
    over = ", ".join(str(one + 1) for one in range(elements))
    return f"""version: 1
id: study
seed: 7
steps:
  - id: draws
    tool: monte_carlo
    {place}
    map: {{over: [{over}]}}
    args: {{expression: "exp(x0/s)", parameters: {{s: {{$ref: item}}}}, distribution: normal, samples: {samples}}}
outputs: {{draws: {{$ref: draws}}}}
"""


@pytest.fixture(scope="module")
def ray_folder():
    """A local Ray of these tests alone. The paths of its sockets must be short."""
    folder = tempfile.mkdtemp(prefix="mr", dir="/tmp")
    yield folder
    subprocess.run([*DRIVER, "down"], env={**os.environ, "TMPDIR": folder}, check=True, timeout=60)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def engine(ray_folder, monkeypatch, folder):
    monkeypatch.setenv("TMPDIR", ray_folder)
    (folder / "mathchain.toml").write_text('version = 1\n[cluster]\nwait = "120s"\n[cluster.ray]\nslots = 2\n')
    (folder / "study.yaml").write_text(study(40, 20_000))
    subprocess.run([*PROGRAM, "trust", "--yes"], check=True, capture_output=True, timeout=60)
    return folder


def start(*words):
    command = [*PROGRAM, "run", "study.yaml", "--json", "--no-cache", *words]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(head):
    stdout, stderr = head.communicate(timeout=300)
    return head.returncode, json.loads(stdout), stderr


def run(*words):
    code, answer, stderr = finish(start(*words))
    assert code == 0, (answer, stderr)
    return answer["output"]


def records(output):
    shown = subprocess.run([*PROGRAM, "runs", "show", output["chain_id"], "--json"], capture_output=True, check=True, timeout=60)
    return json.loads(shown.stdout)["records"]


def digest(output):
    return next(one["result_digest"] for one in records(output) if "result_digest" in one)


def processes(part, parent=None):
    """The processes whose command line has a part."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            above = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            if part in line and entry.name.isdigit() and parent in (None, above):
                found.append(int(entry.name))
    return found


def wait_for(look, what):
    until = time.monotonic() + 120
    while time.monotonic() < until:
        if found := look():
            return found
        time.sleep(0.02)
    raise AssertionError(f"no {what}")


def test_a_plan_has_the_bytes_of_a_local_run_and_replays(engine, ray_folder, monkeypatch):
    local = run()
    there = run("--engine", "ray")
    assert there["outputs"] == local["outputs"]
    assert digest(there) == digest(local)
    nodes = [one["node"] for one in records(there) if "node" in one]
    assert len(nodes) == 40
    assert not any("placement_fallback" in one for one in records(there))
    subprocess.run([*PROGRAM, "replay", there["chain_id"]], check=True, capture_output=True, timeout=120)
    # A later run uses the same Ray, also by its address: the token is that of the user.
    address = status()
    assert digest(run("--engine", "ray")) == digest(local)
    assert status() == address
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(Path(ray_folder, f"mathchain-ray-{os.getuid()}", "token")))
    assert digest(run("--engine", f"ray://{address}")) == digest(local)
    monkeypatch.setenv("RAY_AUTH_TOKEN", "a" * 64)
    code, answer, _ = finish(start("--engine", f"ray://{address}"))
    assert code != 0 and answer["error"]["reason"] == "ray"


def status():
    return subprocess.run([*DRIVER, "status"], capture_output=True, text=True, check=True, timeout=60).stdout.strip()


def test_a_worker_that_is_killed_changes_nothing(engine):
    (engine / "study.yaml").write_text(study(24, 400_000))
    local = run()
    head = start("--engine", "ray")
    busy = wait_for(lambda: processes("ray::TicketWorker.compute"), "worker that computes")
    os.kill(busy[0], signal.SIGKILL)
    code, answer, stderr = finish(head)
    assert code == 0, (answer, stderr)
    assert digest(answer["output"]) == digest(local)
    assert "is lost" in json.dumps(answer["warnings"])


def test_a_driver_that_is_killed_changes_nothing(engine):
    (engine / "study.yaml").write_text(study(24, 400_000))
    local = run()
    head = start("--engine", "ray")
    wait_for(lambda: processes("ray::TicketWorker.compute"), "worker that computes")
    (driver,) = processes("mathchain.ray", head.pid)
    os.kill(driver, signal.SIGKILL)
    code, answer, stderr = finish(head)
    assert code == 0, (answer, stderr)
    assert digest(answer["output"]) == digest(local)
    assert "another one is started" in json.dumps(answer["warnings"])


def test_nothing_computes_after_a_run(engine):
    run("--engine", "ray")
    wait_for(lambda: not processes("ray::TicketWorker"), "end of the workers")


def test_a_cluster_that_does_not_answer_is_a_clear_error(engine):
    code, answer, _ = finish(start("--engine", "ray://127.0.0.1:1"))
    assert code != 0
    assert answer["error"]["reason"] == "ray"
    assert "no Ray answers at 127.0.0.1:1" in answer["error"]["message"]


def driver_says(hello, ray_folder):
    done = subprocess.run(
        DRIVER, input=json.dumps(hello) + "\n", capture_output=True, text=True, env={**os.environ, "TMPDIR": ray_folder}, timeout=60
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    return lines


def test_another_build_or_protocol_is_refused(ray_folder):
    build, profile = _mathchain.build_identity()
    (event,) = driver_says({"protocol": 1, "build": "another", "profile": profile}, ray_folder)
    assert event["event"] == "failed"
    assert f"`{build}`" in event["text"]
    assert "command of the wheel" in event["hint"]
    (event,) = driver_says({"protocol": 2, "build": build, "profile": profile}, ray_folder)
    assert "different versions" in event["text"]


def test_a_folder_of_the_local_ray_that_others_may_write_is_refused(engine, tmp_path, monkeypatch):
    open_folder = tmp_path / f"mathchain-ray-{os.getuid()}"
    open_folder.mkdir()
    open_folder.chmod(0o777)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    code, answer, _ = finish(start("--engine", "ray"))
    assert code != 0
    assert "not a folder of this user alone" in answer["error"]["message"]


def cluster(*words):
    """What a command of `mathchain cluster` says."""
    ended = subprocess.run([*PROGRAM, "cluster", *words, "--json"], capture_output=True, timeout=120, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return json.loads(ended.stdout)


def test_a_driver_that_stays_serves_runs_and_ends_with_its_ray(engine, ray_folder):
    assert cluster("up", "--slots", "2")["address"]
    (staying,) = wait_for(lambda: processes("mathchain.ray stay"), "driver that stays")
    folder = Path(ray_folder, f"mathchain-ray-{os.getuid()}")
    assert folder.stat().st_mode & 0o077 == 0
    local = digest(run())
    for _ in range(2):
        assert digest(run("--engine", "ray")) == local
    # Its workers wait for the next run.
    assert processes("ray::TicketWorker")
    (node,) = cluster("status")["nodes"]
    assert node["usable"] and node["slots"] == 2
    assert node["build"] == _mathchain.build_identity()[0]
    # It dies in the middle: the run starts a driver of its own.
    (engine / "study.yaml").write_text(study(40, 200_000))
    local = digest(run())
    head = start("--engine", "ray")
    wait_for(lambda: processes("ray::TicketWorker.compute"), "worker that computes")
    os.kill(staying, signal.SIGKILL)
    code, answer, _ = finish(head)
    assert code == 0 and digest(answer["output"]) == local
    # Another one takes its place, and `down` ends it with its Ray.
    cluster("up", "--slots", "2")
    wait_for(lambda: processes("mathchain.ray stay"), "driver that stays")
    assert cluster("down") == {"ended": True}
    wait_for(lambda: not processes("mathchain.ray stay"), "end of the driver")
    assert cluster("status") == {"address": None, "nodes": []}
    assert cluster("down") == {"ended": False}
