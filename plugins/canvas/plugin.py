"""The process of the plugin `canvas`: three tools over JSON Lines."""

import json
import os
import sys

from canvas import Fault, differences, export, load, pretty, read, step_count

BYTES_MAX = 8 << 20
FILES_MAX = 20_000


def inside(path):
    """The path, when it stays in the workspace, which is the working folder."""
    root = os.path.realpath(".")
    real = os.path.realpath(path)
    if os.path.isabs(path) or os.path.commonpath([root, real]) != root:
        raise Fault(f"`{path}` leads out of the workspace")
    return real


def text_of(path):
    try:
        with open(inside(path), encoding="utf-8") as file:
            text = file.read(BYTES_MAX + 1)
    except OSError as error:
        raise Fault(f"cannot read `{path}`: {error.strerror}", "/path") from None
    except UnicodeDecodeError:
        raise Fault(f"`{path}` is not UTF-8", "/path") from None
    if len(text) > BYTES_MAX:
        raise Fault(f"`{path}` is longer than {BYTES_MAX} bytes", "/path")
    return text


def export_reasoning_canvas(plan, path, result=None):
    drawn = export(plan, result)
    file = {"path": path, "content": pretty(drawn) + "\n"}
    return {"nodes": len(drawn["nodes"]), "edges": len(drawn["edges"]), "files": [file]}


def import_canvas_edits(path, plan=None):
    found, notes = load(*read(text_of(path), path))
    compared = differences(plan, found) if plan is not None else {"added": [], "removed": [], "changed": []}
    return {"plan": found, **compared, "notes": notes}


def list_canvases(folder):
    if not os.path.isdir(inside(folder)):
        raise Fault(f"no folder `{folder}`", "/folder")
    canvases, seen = [], 0
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            seen += 1
            if seen > FILES_MAX:
                break
            if name.endswith(".canvas"):
                canvases.append(one(os.path.normpath(os.path.join(here, name))))
    return {"canvases": sorted(canvases, key=lambda canvas: canvas["path"]), "truncated": seen > FILES_MAX}


def one(path):
    try:
        nodes, edges = read(text_of(path), path)
    except Fault as fault:
        return {"path": path, "nodes": 0, "edges": 0, "steps": 0, "fault": str(fault)}
    return {"path": path, "nodes": len(nodes), "edges": len(edges), "steps": step_count(nodes)}


TOOLS = {tool.__name__: tool for tool in (export_reasoning_canvas, import_canvas_edits, list_canvases)}


def answer(message):
    try:
        return {"output": TOOLS[message["tool"]](**message["args"])}
    except Fault as fault:
        error = {"message": str(fault), "code": "invalid_args", "path": fault.path, "hint": fault.hint}
        return {"error": {key: value for key, value in error.items() if value is not None}}
    except Exception as error:
        return {"error": {"message": f"{type(error).__name__}: {error}"}}


def say(message):
    print(json.dumps(message, ensure_ascii=False), flush=True)


def main():
    sys.stdin.reconfigure(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8")
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            say({"type": "hello", "protocol": 1, "version": message["version"]})
        elif message["type"] == "call":
            say({"type": "result", "id": message["id"], **answer(message)})


main()
