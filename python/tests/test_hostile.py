"""Threads, forks, signals, and exceptions where they hurt."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import mathchain
from test_calls import LONG


def run(code, *, timeout=60, **options):
    """Runs a program of its own."""
    words = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.run(words, capture_output=True, text=True, timeout=timeout, **options)


def test_threads_call_at_once(toolkit):
    def work(seed):
        draw = np.random.default_rng(seed)
        a, b = draw.normal(size=(60, 60)), draw.normal(size=60)
        for _ in range(20):
            found = toolkit.call("matrix_solve", A=a, b=b)["x"]
            np.testing.assert_allclose(a @ found, b, atol=1e-8)
        return True

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(work, range(64)))


def test_the_lock_of_the_interpreter_is_released(toolkit):
    ticks = []
    done = threading.Event()

    def tick():
        while not done.wait(0.005):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    draw = np.random.default_rng(1)
    toolkit.call("matrix_svd", A=draw.normal(size=(400, 400)))
    done.set()
    thread.join()
    assert ticks


def test_a_thread_with_a_small_stack_calls(toolkit):
    before = threading.stack_size(256 << 10)
    try:
        found = []
        call = lambda: found.append(toolkit.call("calculate", expression="(" * 50 + "1" + ")" * 50))  # noqa: E731
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert len(found) == 1


def test_ctrl_c_cancels_a_kernel(toolkit):
    handler = signal.getsignal(signal.SIGINT)
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        toolkit.call(*LONG)
    assert time.monotonic() - began < 20
    assert signal.getsignal(signal.SIGINT) is handler
    # The next call is a call like others, and so is the next Ctrl-C.
    assert toolkit.call("statistics", data=[1, 3])["mean"] == 2
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        toolkit.call(*LONG)


def test_ctrl_c_cancels_a_run(toolkit):
    tool, args = LONG
    plan = {"version": 1, "id": "long", "steps": [{"id": "a", "tool": tool, "args": args}]}
    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        toolkit.run(plan)


def test_ctrl_c_under_asyncio_cancels_the_task():
    done = run(
        f"""
        import asyncio, os, signal, threading, mathchain
        toolkit = mathchain.Toolkit(state=False)
        async def main():
            threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            await toolkit.acall(*{LONG!r})
        try:
            asyncio.run(main())
        except KeyboardInterrupt:
            print("interrupted")
        """
    )
    assert done.stdout == "interrupted\n", done.stderr


def test_a_handler_of_the_program_is_called_and_kept(toolkit):
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append(1))
    try:
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(mathchain.Cancelled):
            toolkit.call(*LONG)
        assert seen == [1]
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)
        assert seen == [1, 1]
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_ignored_signal_stays_ignored():
    done = run(
        """
        import os, signal, threading, mathchain
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        toolkit = mathchain.Toolkit(state=False, timeout_ms=800)
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            toolkit.call("mcmc", log_density="-x^2/2", x0=[0], n_samples=1000, thin=1_000_000, return_samples=False)
        except mathchain.Timeout:
            print("timeout")
        """
    )
    assert done.stdout == "timeout\n", done.stderr


def test_an_exception_of_the_callback_cancels_and_is_raised(toolkit):
    class Enough(Exception):
        pass

    def progress(fraction, words):
        raise Enough(words)

    began = time.monotonic()
    with pytest.raises(Enough):
        toolkit.call(*LONG, progress=progress)
    assert time.monotonic() - began < 20
    with pytest.raises(TypeError):
        toolkit.call(*LONG, progress=lambda: None)
    with pytest.raises(TypeError):
        toolkit.call(*LONG, progress=3)


def test_progress_is_told(toolkit):
    told = []
    args = {**LONG[1], "n_samples": 100_000, "thin": 1}
    toolkit.call("mcmc", args, progress=lambda fraction, words: told.append((fraction, words)))
    assert told and all(fraction is None or 0 <= fraction <= 1 for fraction, _ in told)
    assert all(isinstance(words, str) for _, words in told)


def in_child(work):
    """The exit code of a forked child that does this."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if work() else 1)
        except BaseException:
            os._exit(2)
    for _ in range(200):
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hung"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_after_a_call_is_refused_and_does_not_hang(toolkit):
    big = np.eye(600)
    toolkit.call("matrix_solve", A=big, b=np.ones(600))

    def refused():
        for work in (
            lambda: toolkit.call("matrix_solve", A=big, b=np.ones(600)),
            lambda: toolkit.run({"version": 1, "id": "a", "steps": []}),
            lambda: mathchain.Toolkit(state=False),
        ):
            try:
                work()
                return False
            except mathchain.PreconditionFailed as error:
                if error.reason != "forked":
                    return False
        return True

    assert in_child(refused) == 0
    assert toolkit.call("statistics", data=[1, 3])["mean"] == 2


def test_a_forked_process_ends(folder):
    (folder / "mathchain.toml").write_text("version = 1\n")
    done = run(
        """
        import os, sys, mathchain
        mathchain.call("statistics", data=[1, 2])
        child = os.fork()
        if child == 0:
            sys.exit(3)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    )
    assert done.stdout == "3\n", done.stderr


def work_of_a_pool(data):
    return mathchain.Toolkit(state=False).call("statistics", data=data)["mean"]


def test_processes_that_are_spawned_call():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(work_of_a_pool, [[1, 3], [2, 4]]) == [2, 3]


def test_records_are_written_when_the_interpreter_ends(folder):
    (folder / "mathchain.toml").write_text("version = 1\n")
    done = run("import mathchain; mathchain.call('statistics', data=[1, 2])")
    assert done.returncode == 0, done.stderr
    found = subprocess.run([sys.executable, "-m", "mathchain", "audit", "list", "--json"], capture_output=True, text=True)
    assert "statistics" in found.stdout, found.stderr


def test_an_interpreter_that_ends_during_a_call_does_not_crash():
    done = run(
        f"""
        import threading, time, mathchain
        toolkit = mathchain.Toolkit(state=False)
        threading.Thread(target=lambda: toolkit.call(*{LONG!r}, progress=lambda *_: None), daemon=True).start()
        time.sleep(0.3)
        """
    )
    assert done.returncode == 0, done.stderr


def test_memory_stays_flat_over_many_calls(toolkit):
    resource = pytest.importorskip("resource")

    def calls(count):
        for _ in range(count):
            toolkit.call("statistics", data=[1.0, 2.0, 3.0])
            toolkit.answer("matrix_solve", A=[[1]], b="x")
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = calls(1_000)
    assert calls(5_000) - before < 4_000
