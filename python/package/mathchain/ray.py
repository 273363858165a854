"""The driver of the engine `ray`: `python -m mathchain.ray` computes tickets of one run on a Ray cluster (docs/cluster.md).

The head, which is the process that runs the plan, starts it and speaks JSON lines with it: commands on standard input, events on standard
output. It decides nothing about tickets: the head packs, verifies, counts time and submits again. A slot is an actor of Ray on one node,
which computes one ticket at a time with the native module. A ticket and its result travel as bytes, never as pickled objects of a plan.

Without an address it starts a Ray on this machine, which later runs use again: `python -m mathchain.ray up`, `status` and `down`.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import json
import os
import queue
import secrets
import signal
import socket
import sys
import threading
import time
from collections import deque
from typing import Any

from . import _mathchain
from ._local_ray import EngineError, local_address, local_folder, start_local, stop_local

#: Version of the lines between head and driver.
PROTOCOL = 1
#: Bodies above this size travel by reference, and are fetched once they are wanted.
INLINE_BYTES_MAX = 1 << 20
#: Workers that one ticket may lose, and that a node may lose before they begin, until it is given up.
LOSSES_MAX = 3
#: Seconds between two looks at the nodes.
LOOK_SECONDS = 2.0

#: A node that is silent counts as lost after seconds, where Ray's own defaults take minutes. Those of the user go before.
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_grpc_client_keepalive_time_ms": "5000",
    "RAY_grpc_client_keepalive_timeout_ms": "5000",
    "RAY_grpc_keepalive_time_ms": "5000",
    "RAY_grpc_keepalive_timeout_ms": "5000",
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_timeout_ms": "2000",
    "RAY_health_check_failure_threshold": "3",
}


class TicketWorker:
    """A slot: runs in a worker process of Ray, on any node."""

    def __init__(self) -> None:
        self._stops: dict[str, _mathchain.Stop] = {}

    def identity(self) -> tuple[str, str]:
        """Build and processor of this node."""
        return _mathchain.build_identity()

    def compute(
        self, ticket: str, tool: str, digest: str, body: bytes, head: tuple[str, str]
    ) -> tuple[dict[str, Any], bytes]:
        """The ends of the calls of a ticket, or why they are not computed; large ones beside the answer."""
        stop = self._stops.setdefault(ticket, _mathchain.Stop())
        try:
            result, stated, elapsed_ms, is_whole = _mathchain.compute_ticket(body, tool, digest, head, stop)
        except Exception as error:  # of the module: each is a refusal with its reason
            return {"why": str(error)}, b""
        finally:
            self._stops.pop(ticket, None)
        answer: dict[str, Any] = {"digest": stated, "elapsed_ms": elapsed_ms, "whole": is_whole}
        if len(result) > INLINE_BYTES_MAX:
            return answer, result
        return {**answer, "body": result}, b""

    def stop(self, ticket: str) -> None:
        """Stops a ticket that is no longer wanted."""
        # It may come before the ticket.
        self._stops.setdefault(ticket, _mathchain.Stop()).cancel()


class Slot:
    """A worker as the driver sees it."""

    def __init__(self, actor: Any, node_id: str, node: str) -> None:
        self.actor = actor
        self.node_id = node_id
        self.node = node
        self.is_ready = False
        self.ticket: str | None = None


class Driver:
    """Tickets and slots: one thread, one queue of what happens. Commands of the head and the ends of Ray's calls arrive in it."""

    def __init__(self, ray: Any, head: tuple[str, str], slots_max: int | None, say: Any) -> None:
        self._ray = ray
        self._head = head
        self._slots_max = slots_max
        self._say = say
        self.inbox: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
        self._slots: list[Slot] = []
        self._tickets: dict[str, dict[str, Any]] = {}
        self._waiting: deque[str] = deque()
        self._losses: dict[str, int] = {}
        #: Bytes of large bodies in the object store: one for all copies of a ticket.
        self._stored: dict[str, Any] = {}
        self._left_out: dict[str, str] = {}
        self._proven: set[str] = set()
        self._counted = -1
        self._worker = ray.remote(concurrency_groups={"control": 1})(TicketWorker)
        self._affinity = importlib.import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy

    def serve(self) -> None:
        """Works until the head closes."""
        looked = 0.0
        while True:
            if time.monotonic() - looked >= LOOK_SECONDS:
                self._look_at_nodes()
                looked = time.monotonic()
            with contextlib.suppress(queue.Empty):
                kind, *words = self.inbox.get(timeout=LOOK_SECONDS)
                if kind == "close":
                    return
                getattr(self, f"_{kind}")(*words)
            self._hand_out()

    def _event(self, event: str, **members: Any) -> None:
        self._say({"event": event, **members})

    # Commands of the head.

    def _submit(self, command: dict[str, Any]) -> None:
        ticket = command["ticket"]
        self._tickets[ticket] = command
        self._waiting.append(ticket)

    def _withdraw(self, command: dict[str, Any]) -> None:
        ticket = command["ticket"]
        self._forget(ticket)
        for slot in self._slots:
            if slot.ticket == ticket:
                slot.actor.stop.options(concurrency_group="control").remote(ticket)

    # Nodes and slots.

    def _look_at_nodes(self) -> None:
        nodes = {node["NodeID"]: node for node in self._ray.nodes() if node["Alive"]}
        names = [node["NodeManagerHostname"] for node in nodes.values()]
        for slot in [slot for slot in self._slots if slot.node_id not in nodes]:
            self._lose(slot, f"the node `{slot.node}` is gone")
        for node_id, node in sorted(nodes.items()):
            if node_id in self._left_out:
                continue
            name = node["NodeManagerHostname"]
            name = name if names.count(name) == 1 else f"{name}-{node_id[:6]}"
            # One worker first: it says whether the node may compute.
            wanted = int(node["Resources"].get("CPU", 0)) if node_id in self._proven else 1
            wanted = min(wanted, int(node["Resources"].get("CPU", 0)))
            have = sum(slot.node_id == node_id for slot in self._slots)
            for _ in range(wanted - have):
                if self._slots_max is None or len(self._slots) < self._slots_max:
                    self._start_slot(node_id, name)
        self._count_slots()

    def _start_slot(self, node_id: str, name: str) -> None:
        options = self._worker.options(
            num_cpus=1,
            max_restarts=0,
            max_task_retries=0,
            scheduling_strategy=self._affinity(node_id=node_id, soft=False),
        )
        slot = Slot(options.remote(), node_id, name)
        self._slots.append(slot)
        self._await(slot.actor.identity.remote(), "hello", slot)

    def _await(self, reference: Any, kind: str, *words: Any) -> None:
        """Puts the end of a call of Ray into the inbox."""
        reference.future().add_done_callback(lambda future: self.inbox.put((kind, *words, future)))

    def _hello(self, slot: Slot, future: Any) -> None:
        if slot not in self._slots:
            return
        try:
            identity = tuple(future.result())
        except Exception as error:  # of Ray: the worker is lost, whatever the reason
            self._lose(slot, first_line(error))
            return
        for what, own, theirs in zip(("build", "processor"), identity, self._head, strict=True):
            if own != theirs:
                self._leave_out(slot, f"its {what} is `{own}`, that of the run `{theirs}`")
                return
        slot.is_ready = True
        self._losses.pop(slot.node_id, None)
        if slot.node_id not in self._proven:
            self._proven.add(slot.node_id)
            self._look_at_nodes()
        self._count_slots()

    def _leave_out(self, slot: Slot, why: str) -> None:
        """Uses a node no longer, and says so once."""
        if slot.node_id not in self._left_out:
            self._left_out[slot.node_id] = why
            self._event("warning", text=f"the node `{slot.node}` may not compute for this run: {why}")
        for one in [one for one in self._slots if one.node_id == slot.node_id and not one.is_ready]:
            self._drop(one)
        self._count_slots()

    def _lose(self, slot: Slot, why: str) -> None:
        """Gives the ticket of a lost worker to another."""
        ticket, was_ready = slot.ticket, slot.is_ready
        self._drop(slot)
        if not was_ready:
            self._losses[slot.node_id] = self._losses.get(slot.node_id, 0) + 1
            if self._losses[slot.node_id] >= LOSSES_MAX:
                self._leave_out(slot, f"its workers do not begin: {why}")
        else:
            self._event("warning", text=f"a worker on `{slot.node}` is lost: {why}")
        if ticket in self._tickets:
            self._losses[ticket] = self._losses.get(ticket, 0) + 1
            if self._losses[ticket] >= LOSSES_MAX:
                self._forget(ticket)
                lost = f"it lost its worker {LOSSES_MAX} times, the last: {why}"
                self._event("refused", ticket=ticket, node=slot.node, why=lost)
            else:
                self._waiting.appendleft(ticket)
                self._event("returned", ticket=ticket)
        self._look_at_nodes()

    def _drop(self, slot: Slot) -> None:
        if slot in self._slots:
            self._slots.remove(slot)
        with contextlib.suppress(Exception):  # it is gone already
            self._ray.kill(slot.actor)

    def _count_slots(self) -> None:
        count = sum(slot.is_ready for slot in self._slots)
        if count != self._counted:
            self._counted = count
            self._event("slots", count=count)

    # Tickets.

    def _hand_out(self) -> None:
        free = deque(slot for slot in self._slots if slot.is_ready and slot.ticket is None)
        while free and self._waiting:
            ticket = self._waiting.popleft()
            if command := self._tickets.get(ticket):
                slot = free.popleft()
                slot.ticket = ticket
                compute = slot.actor.compute.options(num_returns=2)
                body = self._body(ticket, command)
                answer, large = compute.remote(ticket, command["tool"], command["digest"], body, self._head)
                self._await(answer, "answered", slot, ticket, large)
                self._event("started", ticket=ticket, node=slot.node)

    def _body(self, ticket: str, command: dict[str, Any]) -> Any:
        """The bytes of a ticket; large ones as a reference, put into the store once."""
        if isinstance(command["body"], str):
            command["body"] = command["body"].encode()
        if len(command["body"]) <= INLINE_BYTES_MAX:
            return command["body"]
        number = ticket.split("-")[0]
        if number not in self._stored:
            self._stored[number] = self._ray.put(command["body"])
        return self._stored[number]

    def _answered(self, slot: Slot, ticket: str, large: Any, future: Any) -> None:
        try:
            answer = future.result()
        except Exception as error:  # of Ray: the worker is lost, whatever the reason
            if slot in self._slots:
                self._lose(slot, first_line(error))
            return
        if slot.ticket == ticket:
            slot.ticket = None
        if ticket not in self._tickets:
            return
        if "why" in answer:
            self._forget(ticket)
            self._event("refused", ticket=ticket, node=slot.node, why=answer["why"])
        elif "body" in answer:
            self._finish(slot.node, ticket, answer, answer["body"])
        else:
            self._await(large, "fetched", slot, ticket, answer)

    def _fetched(self, slot: Slot, ticket: str, answer: dict[str, Any], future: Any) -> None:
        if ticket not in self._tickets:
            return
        try:
            body = future.result()
        except Exception:  # of Ray: the node that had it is lost
            self._waiting.appendleft(ticket)
            self._event("returned", ticket=ticket)
            return
        self._finish(slot.node, ticket, answer, body)

    def _finish(self, node: str, ticket: str, answer: dict[str, Any], body: bytes) -> None:
        self._forget(ticket)
        members = {key: answer[key] for key in ("digest", "elapsed_ms", "whole")}
        self._event("done", ticket=ticket, node=node, **members, body=body.decode())

    def _forget(self, ticket: str) -> None:
        self._tickets.pop(ticket, None)
        self._losses.pop(ticket, None)
        number = ticket.split("-")[0]
        if not any(other.split("-")[0] == number for other in self._tickets):
            self._stored.pop(number, None)


def first_line(error: BaseException) -> str:
    """What an exception of Ray says, without the traces of other processes."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def connect(address: str | None, slots: int | None) -> tuple[Any, str]:
    """Ray, connected to a cluster, and its address."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    install = "`pip install 'mathchain[ray]'`"
    if importlib.util.find_spec("ray") is None:
        raise EngineError(f"{sys.executable} has no package `ray`", install)
    hint = "this machine must be a node of the cluster: `ray start --address=HOST:PORT --num-cpus=0`, with its token"
    # Before the import, at which Ray reads its settings.
    address = address or start_local(slots)
    ray = importlib.import_module("ray")
    if tuple(int(part) for part in ray.__version__.split(".")[:2]) < (2, 54):
        raise EngineError(f"Ray {ray.__version__} has known security holes", install)
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
        name = f"mathchain-{secrets.token_hex(8)}"
        ray.init(address=address, namespace=name, log_to_driver=False, logging_level="ERROR")
    except Exception as error:  # of Ray: whatever the reason, there is no engine
        raise EngineError(f"no Ray answers at {address}: {first_line(error)}", hint) from None
    return ray, address


def read_commands(inbox: queue.SimpleQueue[tuple[Any, ...]]) -> None:
    """Puts the lines of the head into the inbox; its end ends the driver."""
    with contextlib.suppress(ValueError):
        for line in sys.stdin.buffer:
            command = json.loads(line)
            inbox.put((command["do"], command))
    inbox.put(("close",))


def drive(address: str | None) -> int:
    """Serves one head to its end."""
    # What Ray or a library prints is no line of ours.
    lines = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the head is asked, and closes

    def say(event: dict[str, Any]) -> None:
        lines.write(json.dumps(event, separators=(",", ":")).encode() + b"\n")
        lines.flush()

    try:
        hello = json.loads(sys.stdin.buffer.readline() or b"{}")
        if hello.get("protocol") != PROTOCOL:
            raise EngineError("head and driver are of different versions", "install one version of mathchain")
        head = (hello["build"], hello["profile"])
        if _mathchain.build_identity()[0] != head[0]:
            raise EngineError(
                f"the build of the module in {sys.executable} is `{_mathchain.build_identity()[0]}`, that of the run `{head[0]}`",
                "run the `mathchain` command of the wheel: workers of Ray compute with its module, and builds must be the same",
            )
        ray, found = connect(address, hello.get("slots"))
        driver = Driver(ray, head, hello.get("slots"), say)
        say({"event": "ready", "ray": ray.__version__, "address": found})
        threading.Thread(target=read_commands, args=(driver.inbox,), daemon=True).start()
        driver.serve()
        ray.shutdown()
    except EngineError as error:
        say({"event": "failed", "text": str(error), "hint": error.hint})
        return 1
    except BrokenPipeError:
        return 1  # the head is gone
    return 0


def main() -> int:
    """Runs the driver, or starts, shows or ends the Ray of this machine."""
    parser = argparse.ArgumentParser(prog="python -m mathchain.ray", description="The driver of the engine `ray`, and the Ray of this machine.")
    parser.add_argument("command", nargs="?", choices=("drive", "up", "status", "down"), default="drive")
    parser.add_argument("--address", help="HOST:PORT of the head of a cluster; a Ray of this machine by default")
    parser.add_argument("--slots", type=int, help="tickets at a time, for `up`")
    words = parser.parse_args()
    try:
        if words.command == "drive":
            return drive(words.address)
        if words.command == "up":
            print(connect(None, words.slots)[1])
        elif words.command == "down":
            print("ended" if stop_local() else "none runs")
        else:
            print(local_address(local_folder()) or "none runs")
    except EngineError as error:
        print(f"{error}\n{error.hint}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    # The class of workers is known by the name of this module, in every process.
    from mathchain.ray import main as imported

    sys.exit(imported())
