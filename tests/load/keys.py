#!/usr/bin/env python3
"""Times of answers to wrong keys: whether they tell how much of a key is right.

    tests/load/keys.py [--bin target/debug/mathchain] [--count 1000]

Keys that are wrong at their first byte and keys that are wrong at their last byte alone are sent in random order over one connection. The
distributions of the two are printed with the Kolmogorov-Smirnov distance between them, and the share of random divisions of the same times that
are as far apart: a share above 1 % is what equal distributions give. Fails when a wrong key gets another answer than 401.
"""

import argparse
import http.client
import random
import statistics
import time

from server import Server

CONFIG = "version = 1\n[server]\nrate_per_second = 1000000\n"


def changed(key, at):
    letter = "0" if key[at] != "0" else "1"
    return key[:at] + letter + key[at + 1 :]


def distance(some, others):
    """The largest difference between the two shares of times below a bound."""
    merged = sorted([(time, 0) for time in some] + [(time, 1) for time in others])
    seen, largest = [0, 0], 0.0
    for _, side in merged:
        seen[side] += 1
        largest = max(largest, abs(seen[0] / len(some) - seen[1] / len(others)))
    return largest


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="target/debug/mathchain")
    parser.add_argument("--count", type=int, default=1000)
    options = parser.parse_args()
    draw = random.Random(1)
    with Server(options.bin, CONFIG, "worker_math") as server:
        prefix = server.key.index("_") + 1
        keys = {"first": changed(server.key, prefix), "last": changed(server.key, len(server.key) - 1)}
        connection = http.client.HTTPConnection(server.host, server.port)

        def ask(key):
            began = time.perf_counter()
            connection.request("GET", "/v1/tools/calculate", headers={"Authorization": f"Bearer {key}"})
            answer = connection.getresponse()
            answer.read()
            return answer.status, (time.perf_counter() - began) * 1e6

        assert ask(server.key)[0] == 200, "the right key is refused"
        order = [name for name in keys for _ in range(options.count)]
        draw.shuffle(order)
        times = {name: [] for name in keys}
        for name in ["first", "last"] * 50:  # unmeasured, until the server is warm
            ask(keys[name])
        for name in order:
            status, took = ask(keys[name])
            if status != 401:
                raise SystemExit(f"a key wrong at its {name} byte was answered with {status}")
            times[name].append(took)
    print("| wrong at | answers | quartiles, median, 99 % in us |\n|---|---|---|")
    for name, found in times.items():
        parts = statistics.quantiles(found, n=100)
        print(f"| its {name} byte | {len(found)} times 401 | {parts[24]:.1f}, {parts[49]:.1f}, {parts[74]:.1f}, {parts[98]:.1f} |")
    found, together = distance(*times.values()), times["first"] + times["last"]
    rounds, further = 400, 0
    for _ in range(rounds):
        draw.shuffle(together)
        further += distance(together[: options.count], together[options.count :]) >= found
    print(f"\ndistance {found:.3f}; {100 * further / rounds:.0f} % of random divisions are as far apart")


main()
