#!/usr/bin/env python3
"""Ten thousand calls at the same time, of which none is lost.

    tests/load/calls.py [--bin target/debug/mathchain] [--count 10000] [--seconds 120]

Every client opens a connection of its own before the first is answered, as far as the server accepts them, and sends one call. Each must be
answered: with its result, or refused with 429 or 503, a code, a reason and `Retry-After`. Fails for a lost, a wrong and an unanswered call.
"""

import argparse
import asyncio
import collections
import json
import resource
import time

from server import Server


async def call(server, number, started):
    """Status of one call; what is wrong with its answer is an assertion."""
    await started.wait()
    reader, writer = await asyncio.open_connection(server.host, server.port)
    body = json.dumps({"id": number, "tool": "calculate", "args": {"expression": f"{number}+1"}})
    head = f"POST /v1/call HTTP/1.1\r\nHost: {server.host}:{server.port}\r\nContent-Type: application/json\r\nAuthorization: Bearer {server.key}\r\nConnection: close\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
    await writer.drain()
    answer = await reader.read()
    writer.close()
    head, _, body = answer.decode().partition("\r\n\r\n")
    status = int(head.split(" ")[1]) if head else 0
    answer = json.loads(body or "null")
    if status == 200:
        assert answer["id"] == number and answer["output"]["value"] == number + 1, answer
    else:
        assert status in (429, 503) and answer["error"]["code"] and answer["error"]["reason"], (status, answer)
        assert "retry-after: " in head.lower(), head
    return status


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="target/debug/mathchain")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seconds", type=int, default=120, help="time in which all are answered")
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < options.count + 100:
        raise SystemExit(f"{most} open files are allowed, expected {options.count + 100}: ulimit -Hn {options.count + 100}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (options.count + 100, most))
    with Server(options.bin) as server:
        started = asyncio.Event()
        calls = [asyncio.create_task(call(server, number, started)) for number in range(options.count)]
        began = time.perf_counter()
        started.set()
        _, hanging = await asyncio.wait(calls, timeout=options.seconds)
        took = time.perf_counter() - began
        if hanging:
            raise SystemExit(f"{len(hanging)} of {options.count} calls are not answered after {took:.0f} s")
        failed = [task.exception() for task in calls if task.exception()]
        if failed:
            raise SystemExit(f"{len(failed)} of {options.count} calls are lost or wrong, the first: {failed[0]!r}")
        counts = collections.Counter(task.result() for task in calls)
        assert counts[200], "no call was answered with its result"
        # It answers as before.
        assert await call(server, 1, started) == 200
        print(f"{options.count} calls at once, all answered in {took:.1f} s: {dict(sorted(counts.items()))}")


asyncio.run(main())
