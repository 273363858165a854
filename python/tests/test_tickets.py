"""Tickets of runs of other processes, as a worker of Ray computes them."""

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
