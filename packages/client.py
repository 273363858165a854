"""A client of the Model Context Protocol that tries a server with its first messages."""

import json
import os
import subprocess

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "packages", "version": "1"}},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
CALL = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "calculate", "arguments": {"expression": "2**60"}}}


def trial(command, folder, version):
    """What is wrong with the answers of a server that this command starts, or nothing."""
    lines = "".join(json.dumps(one) + "\n" for one in [INITIALIZE, INITIALIZED, CALL])
    home = {name: str(folder / "home") for name in ["HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"]}
    environment = {**os.environ, **home, "npm_config_offline": "true"}
    done = subprocess.run(command, cwd=folder, env=environment, input=lines, capture_output=True, text=True, timeout=60)
    try:
        by_id = {answer.get("id"): answer.get("result", {}) for answer in map(json.loads, done.stdout.splitlines())}
    except ValueError as error:
        return f"expected lines of JSON, found {done.stdout!r}: {error}"
    if by_id.get(1, {}).get("serverInfo", {}).get("version") != version or done.returncode:
        return f"expected version {version} of a server that ends with 0, found {done.stdout!r} and {done.returncode}: {done.stderr}"
    if by_id.get(2, {}).get("structuredContent", {}).get("value") != str(2**60):
        return f"expected {2**60}, found {done.stdout!r}"
    return None


def ends_after(signal, command, folder):
    """The exit code of a server that gets a signal after its first answer."""
    options = {"cwd": folder, "stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(command, start_new_session=True, **options) as process:
        try:
            process.stdin.write(json.dumps(INITIALIZE) + "\n")
            process.stdin.flush()
            process.stdout.readline()
            process.send_signal(signal)
            return process.wait(timeout=30)
        finally:
            process.kill()
