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
from ._local_ray import (
    EngineError,
    local_address,
    local_folder,
    socket_of,
    start_local,
    start_staying,
    stop_local,
    use_token,
)

#: Build and processor of this module, as it was when it was imported.
BUILD = _mathchain.build_identity()
#: Version of the lines between head and driver.
PROTOCOL = 1
#: Bodies above this size travel by reference, and are fetched once they are wanted.
INLINE_BYTES_MAX = 1 << 20
#: Workers that one ticket may lose, and that a node may lose before they begin, until it is given up.
LOSSES_MAX = 3
#: Seconds that nodes have to say what they are.
STATUS_SECONDS = 30.0
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


class SpareSlots:
    """Workers that wait for the next run, with their processes warm."""

    def __init__(self) -> None:
        self._slots: queue.SimpleQueue[Slot] = queue.SimpleQueue()

    def add(self, slot: Slot) -> None:
        self._slots.put(slot)

    def take(self) -> Slot | None:
        with contextlib.suppress(queue.Empty):
            return self._slots.get_nowait()
        return None


class Driver:
    """Tickets and slots: one thread, one queue of what happens. Commands of the head and the ends of Ray's calls arrive in it."""

    def __init__(self, ray: Any, head: tuple[str, str], slots_max: int | None, say: Any, spare: SpareSlots | None = None) -> None:
        self._ray = ray
        self._spare = spare
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
        self._looked = 0.0
        self._worker = ray.remote(concurrency_groups={"control": 1})(TicketWorker)
        self._affinity = importlib.import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy

    def serve(self) -> None:
        """Works until the head closes."""
        while self.turn():
            pass

    def turn(self) -> bool:
        """Handles the next event; whether the head has not closed."""
        if time.monotonic() - self._looked >= LOOK_SECONDS:
            self._look_at_nodes()
            self._looked = time.monotonic()
        with contextlib.suppress(queue.Empty):
            kind, *words = self.inbox.get(timeout=LOOK_SECONDS)
            if kind == "close":
                return False
            getattr(self, f"_{kind}")(*words)
        self._hand_out()
        return True

    def ready(self) -> int:
        """Number of workers that can compute."""
        return sum(slot.is_ready for slot in self._slots)

    def _look(self) -> None:
        """Looks at the nodes at the next turn."""
        self._looked = 0.0

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
        self._take_spare()
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

    def _take_spare(self) -> None:
        """Takes workers that an earlier run left."""
        while self._spare and (self._slots_max is None or len(self._slots) < self._slots_max):
            slot = self._spare.take()
            if slot is None:
                return
            self._slots.append(slot)
            self._proven.add(slot.node_id)

    def leave(self) -> None:
        """Leaves the workers that compute nothing to the next run, and ends the others."""
        for slot in list(self._slots):
            if self._spare and slot.is_ready and slot.ticket is None:
                self._slots.remove(slot)
                self._spare.add(slot)
            else:
                self._drop(slot)

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
        count = self.ready()
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


def read_commands(lines: Any, inbox: queue.SimpleQueue[tuple[Any, ...]]) -> None:
    """Puts the lines of the head into the inbox; their end ends the driver."""
    with contextlib.suppress(ValueError, OSError):
        for line in lines:
            command = json.loads(line)
            inbox.put((command["do"], command))
    inbox.put(("close",))


def head_of(hello: dict[str, Any]) -> tuple[str, str]:
    """Build and processor of the head, which must be of the build of this module."""
    if hello.get("protocol") != PROTOCOL:
        raise EngineError("head and driver are of different versions", "install one version of mathchain")
    if BUILD[0] != hello["build"]:
        raise EngineError(
            f"the build of the module in {sys.executable} is `{BUILD[0]}`, that of the run `{hello['build']}`",
            "run the `mathchain` command of the wheel: workers of Ray compute with its module, and builds must be the same",
        )
    return (hello["build"], hello["profile"])


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
        head = head_of(hello)
        ray, found = connect(address, hello.get("slots"))
        driver = Driver(ray, head, hello.get("slots"), say)
        say({"event": "ready", "ray": ray.__version__, "address": found})
        threading.Thread(target=read_commands, args=(sys.stdin.buffer, driver.inbox), daemon=True).start()
        driver.serve()
        ray.shutdown()
    except EngineError as error:
        say({"event": "failed", "text": str(error), "hint": error.hint})
        return 1
    except BrokenPipeError:
        return 1  # the head is gone
    return 0


class StayingDriver:
    """A driver of the Ray of this machine that serves one run after another over a socket, with workers that stay warm.

    The socket lies in the folder of this user alone. It ends with its Ray, or when `down` tells it to.
    """

    def __init__(self, ray: Any, place: str) -> None:
        self._ray = ray
        self._spare = SpareSlots()
        self._is_ending = threading.Event()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(place)
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(place)
        self._socket.listen(16)
        self._socket.settimeout(LOOK_SECONDS)

    def serve(self) -> None:
        """Serves until it is told to end, or its Ray has ended."""
        while not self._is_ending.is_set():
            try:
                connection, _ = self._socket.accept()
            except TimeoutError:
                if local_address(local_folder()) is None:
                    return
                continue
            connection.settimeout(None)
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        lines = connection.makefile("rb")

        def say(event: dict[str, Any]) -> None:
            with contextlib.suppress(OSError):  # the head is gone, and its end is read
                connection.sendall(json.dumps(event, separators=(",", ":")).encode() + b"\n")

        with connection, lines, contextlib.suppress(OSError, ValueError, KeyError):
            line = lines.readline()
            if not line:
                return  # a look whether one is here
            hello = json.loads(line)
            if hello.get("do") == "end":
                self._is_ending.set()
                return
            try:
                head = head_of(hello)
                if head != BUILD:
                    raise EngineError(f"the processor is `{BUILD[1]}`, that of the run `{head[1]}`", "run on this machine")
            except EngineError as error:
                # Another build starts a driver of its own, and needs the processors.
                self.end_spare()
                say({"event": "failed", "text": str(error), "hint": error.hint})
                return
            driver = Driver(self._ray, head, hello.get("slots"), say, self._spare)
            say({"event": "ready", "ray": self._ray.__version__, "address": "here"})
            threading.Thread(target=read_commands, args=(lines, driver.inbox), daemon=True).start()
            try:
                driver.serve()
            finally:
                driver.leave()

    def end_spare(self) -> None:
        """Ends the workers that wait."""
        while slot := self._spare.take():
            with contextlib.suppress(Exception):  # it is gone already
                self._ray.kill(slot.actor)

    def warm(self) -> None:
        """Starts the workers before the first run."""
        driver = Driver(self._ray, BUILD, None, lambda event: None, self._spare)
        wanted = int(self._ray.cluster_resources().get("CPU", 0))
        until = time.monotonic() + STATUS_SECONDS
        driver.inbox.put(("look",))
        while driver.ready() < wanted and time.monotonic() < until:
            driver.turn()
        driver.leave()


def stay() -> int:
    """Serves runs over the socket of the local Ray until that ends."""
    folder = local_folder()
    address = local_address(folder)
    if address is None:
        return 1
    use_token(folder)
    ray, _ = connect(address, None)
    staying = StayingDriver(ray, socket_of(folder))
    threading.Thread(target=staying.warm, daemon=True).start()
    staying.serve()
    with contextlib.suppress(FileNotFoundError):
        os.unlink(socket_of(folder))
    ray.shutdown()
    return 0


def node_identity() -> tuple[str, str]:
    """Build and processor of the node on which it runs."""
    return _mathchain.build_identity()


def show_status(address: str | None) -> dict[str, Any]:
    """The nodes of a cluster: slots, build and processor of each, and why one may not compute for runs of this build."""
    if address is None:
        folder = local_folder()
        address = local_address(folder)
        if address is None:
            return {"address": None, "nodes": []}
        use_token(folder)
    ray, address = connect(address, None)
    affinity = importlib.import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
    ask = ray.remote(num_cpus=0, max_retries=0)(node_identity)
    nodes = sorted((node for node in ray.nodes() if node["Alive"]), key=lambda node: (node["NodeManagerHostname"], node["NodeID"]))
    asked = [ask.options(scheduling_strategy=affinity(node_id=node["NodeID"], soft=False)).remote() for node in nodes]
    ray.wait(asked, num_returns=len(asked), timeout=STATUS_SECONDS)
    own = _mathchain.build_identity()
    shown = []
    for node, reference in zip(nodes, asked, strict=True):
        line: dict[str, Any] = {
            "node": node["NodeManagerHostname"],
            "address": node["NodeManagerAddress"],
            "slots": int(node["Resources"].get("CPU", 0)),
        }
        try:
            line["build"], line["processor"] = ray.get(reference, timeout=0)
            differing = [what for what, mine, theirs in zip(("build", "processor"), own, (line["build"], line["processor"]), strict=True) if mine != theirs]
            line["usable"] = not differing
            if differing:
                line["why"] = f"its {' and '.join(differing)} differ from {'that' if len(differing) == 1 else 'those'} of {sys.executable}"
        except Exception as error:  # of Ray: a node that cannot answer, or an environment without the package
            line |= {"usable": False, "why": first_line(error)}
        shown.append(line)
    ray.shutdown()
    return {"address": address, "nodes": shown}


def run_command(words: argparse.Namespace) -> dict[str, Any]:
    """Starts, shows or ends the Ray of this machine."""
    if words.command == "down":
        return {"ended": stop_local()}
    if words.command == "status":
        if not words.json and words.address is None:
            return {"address": local_address(local_folder()), "nodes": []}
        return show_status(words.address)
    before = local_address(local_folder())
    ray, address = connect(None, words.slots)
    slots = int(ray.cluster_resources().get("CPU", 0))
    ray.shutdown()
    start_staying()
    return {"address": address, "slots": slots, "started": before != address, "folder": str(local_folder())}


def command_text(command: str, answer: dict[str, Any]) -> str:
    """What a command of this module says to people."""
    if command == "up":
        return str(answer["address"])
    if command == "down":
        return "ended" if answer["ended"] else "none runs"
    lines = [f"{node['node']}: {node['slots']} slots, {node.get('build', node.get('why'))}" for node in answer["nodes"]]
    return "\n".join([answer["address"] or "none runs", *lines])


def main() -> int:
    """Runs the driver, or starts, shows or ends the Ray of this machine."""
    parser = argparse.ArgumentParser(prog="python -m mathchain.ray", description="The driver of the engine `ray`, and the Ray of this machine.")
    parser.add_argument("command", nargs="?", choices=("drive", "up", "status", "down", "stay"), default="drive")
    parser.add_argument("--address", help="HOST:PORT of the head of a cluster; a Ray of this machine by default")
    parser.add_argument("--slots", type=int, help="tickets at a time, for `up`")
    parser.add_argument("--json", action="store_true", help="one line of JSON, for `mathchain cluster`")
    words = parser.parse_args()
    if words.command == "drive":
        return drive(words.address)
    if words.command == "stay":
        return stay()
    try:
        answer = run_command(words)
    except EngineError as error:
        if words.json:
            print(json.dumps({"error": str(error), "hint": error.hint}))
        else:
            print(f"{error}\n{error.hint}", file=sys.stderr)
        return 1
    print(json.dumps(answer) if words.json else command_text(words.command, answer))
    return 0


if __name__ == "__main__":
    # The class of workers is known by the name of this module, in every process.
    from mathchain.ray import main as imported

    sys.exit(imported())
