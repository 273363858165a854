"""The part of `tests/conformance/openapi.sh` that runs once schemathesis is there: a server with a key, and one with the token that it made."""

import argparse
import pathlib
import re
import subprocess
import sys

from server import Server

CONFIG = "version = 1\n[limits]\ntimeout_ms = 5000\n[server]\nrate_per_second = 100000\nrequests_at_once = 1000\n"
#: What a schema cannot say, such as that a matrix is not singular, is answered with 422.
EXCLUDED = "positive_data_acceptance"


def run(options, name, server, seconds):
    """Requests made from the document of a server; its log is kept."""
    words = [
        str(pathlib.Path(sys.executable).with_name("schemathesis")), "run", f"{server.url}/v1/openapi.json",
        "--checks", "all", "--exclude-checks", EXCLUDED, "--phases", "coverage,fuzzing,stateful", "--max-examples", "40",
        "--max-time", str(seconds), "--seed", str(options.seed), "--suppress-health-check", "all", "--continue-on-failure",
        "--warnings", "off",
    ]  # fmt: skip
    words += ["-H", f"Authorization: Bearer {server.key}"] if server.key else []
    done = subprocess.run(words, capture_output=True, text=True, timeout=seconds * 4 + 60, cwd=options.scratch)
    log = pathlib.Path(options.scratch) / f"openapi-{name}.log"
    log.write_text(done.stdout + done.stderr)
    cases = re.search(r"(\d+) generated, (.*)", done.stdout)
    tested = re.search(r"Tested: *(\d+)", done.stdout)
    print(f"{name}: {tested.group(1) if tested else 0} operations, {cases.group(0) if cases else 'no requests'}", flush=True)
    if done.returncode != 0:
        raise SystemExit(f"{done.stdout}{done.stderr}\nthe log is {log}")
    if not cases or int(cases.group(1)) < 50:
        raise SystemExit(f"too few requests: see {log}")
    if server.process.poll() is not None:
        raise SystemExit(f"the server ended: {server.process.stderr.read()}")


def main():
    parser = argparse.ArgumentParser()
    for name in ["bin", "scratch"]:
        parser.add_argument(f"--{name}", required=True)
    for name in ["seconds", "seed"]:
        parser.add_argument(f"--{name}", required=True, type=int)
    options = parser.parse_args()
    with Server(options.bin, CONFIG, "worker_math") as server:
        run(options, "with a key", server, options.seconds * 2 // 3)
    with Server(options.bin, CONFIG, flags=["--role", "worker_math"]) as server:
        run(options, "with a token", server, options.seconds // 3)


main()
