"""Tickets of runs of other processes, as a worker of Ray computes them."""

import subprocess
import sys

import pytest

import mathchain
from mathchain import _mathchain


def compute(body, tool="calculate", digest="0", head=None):
    return _mathchain.compute_ticket(body, tool, digest, head or _mathchain.build_identity())


def test_the_identity_is_that_of_the_module():
    build, profile = _mathchain.build_identity()
    assert _mathchain.build_identity() == (build, profile)
    assert build and profile


def test_what_the_head_did_not_write_is_refused():
    with pytest.raises(mathchain.InvalidRequest, match="damaged"):
        compute(b"{}")
    with pytest.raises(mathchain.InvalidRequest, match="damaged"):
        compute(b"\xff")
    with pytest.raises(mathchain.PreconditionFailed, match="its build is"):
        compute(b"{}", head=("another", _mathchain.build_identity()[1]))
    with pytest.raises(mathchain.PreconditionFailed, match="its processor is"):
        compute(b"{}", head=(_mathchain.build_identity()[0], "another"))


def test_slurm_starts_workers_of_this_package(folder, monkeypatch):
    programs = folder / "bin"
    programs.mkdir()
    noted = folder / "noted"
    for name, says in (("sbatch", f"cat > {noted}; echo 4711"), ("scancel", "true")):
        (programs / name).write_text(f"#!/bin/sh\n{says}\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    (folder / "mathchain.toml").write_text('version = 1\n[cluster]\ndir = "tickets"\nwait = "1s"\n')
    (folder / "plan.yaml").write_text(
        "version: 1\nid: p\nsteps:\n  - {id: a, tool: calculate, place: prefer, args: {expression: 6*7}}\noutputs: {a: {$ref: a.value}}\n"
    )
    program = [sys.executable, "-m", "mathchain"]
    subprocess.run([*program, "trust", "--yes"], check=True, capture_output=True, timeout=60)
    subprocess.run([*program, "run", "plan.yaml", "--engine", "slurm"], check=True, capture_output=True, timeout=120)
    assert f"{sys.executable} -m mathchain worker " in noted.read_text()
