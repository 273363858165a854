"""Plans as JSON Canvas (jsoncanvas.org, version 1.0) and back.

A step is a card whose text has the step's name, its tool, and one block of JSON with everything else; the arrows of `after`
are labelled so, those of references are drawn for the reader only. What stands below the block is the result.
"""

import json
import re

CARD_WIDTH, CARD_HEIGHT, COLUMN, ROW = 380, 240, 460, 300
GREEN, RED, YELLOW = "4", "1", "3"
STEP = re.compile(r"\A## (?P<id>[^\n]+)\ntool: `(?P<tool>[^`\n]*)`\n+```json\n(?P<rest>.*?)\n```", re.DOTALL)
PLAN = re.compile(r"\A# Plan\n+```json\n(?P<rest>.*?)\n```", re.DOTALL)


class Fault(Exception):
    """Something wrong with what was given; `path` is a JSON pointer into the arguments."""

    def __init__(self, message, path=None, hint=None):
        super().__init__(message)
        self.path, self.hint = path, hint


def references(value):
    """The roots of all `{"$ref": ...}` in a value."""
    waiting, found = [value], []
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            reference = value.get("$ref")
            if isinstance(reference, str):
                found.append(re.split(r"[.\[]", reference, maxsplit=1)[0])
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return found


def steps_of(plan):
    steps = plan.get("steps")
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise Fault("expected `steps`, a list of steps", "/plan/steps")
    seen = set()
    for index, step in enumerate(steps):
        name = step.get("id")
        if not isinstance(name, str) or not name or "\n" in name:
            raise Fault("expected a step with an `id`", f"/plan/steps/{index}/id")
        if name in seen:
            raise Fault(f"two steps are named `{name}`", f"/plan/steps/{index}/id")
        if not isinstance(step.get("tool"), str) or "`" in step["tool"] or "\n" in step["tool"]:
            raise Fault("expected the name of a tool", f"/plan/steps/{index}/tool")
        seen.add(name)
    return steps


def after(step):
    names = step.get("after", [])
    names = [names] if isinstance(names, str) else names
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def columns(steps):
    """How many steps each one waits for, one after another; a circle ends where it began."""
    known = {step["id"]: step for step in steps}
    depth = {}
    for start in known:
        path = [(start, None)]
        while path:
            name, waits = path[-1]
            if waits is None:
                if name in depth:
                    path.pop()
                    continue
                depth[name] = 0
                step = known[name]
                waits = [other for other in references(step) + after(step) if other in known and other != name]
                path[-1] = (name, waits)
            missing = [other for other in waits if other not in depth]
            if missing:
                path.append((missing[0], None))
            else:
                depth[name] = max((depth[other] + 1 for other in waits), default=0)
                path.pop()
    return depth


def results_of(result):
    """Status and a few words for each step, from an envelope of `run` or its output."""
    if not isinstance(result, dict):
        return {}
    error = result.get("error")
    failed = error.get("evidence") if isinstance(error, dict) else None
    output = next((found for found in (result.get("output"), failed, result) if isinstance(found, dict)))
    steps = output.get("steps")
    found = {}
    for step in steps if isinstance(steps, list) else []:
        name = step.get("id") or step.get("step") if isinstance(step, dict) else None
        if isinstance(name, str):
            error = step.get("error")
            words = error.get("message", "") if isinstance(error, dict) else ""
            found[name] = (str(step.get("status", "")), words)
    return found


def pretty(value):
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)


def export(plan, result):
    """The canvas of a plan: nodes and edges."""
    steps, results = steps_of(plan), results_of(result)
    depth, rows = columns(steps), {}
    head = {key: value for key, value in plan.items() if key != "steps"}
    nodes = [
        {"id": "plan", "type": "text", "x": -COLUMN, "y": 0, "width": CARD_WIDTH, "height": CARD_HEIGHT, "text": f"# Plan\n\n```json\n{pretty(head)}\n```"}
    ]
    edges = []
    known = {step["id"] for step in steps}
    for step in steps:
        name, column = step["id"], depth[step["id"]]
        row = rows[column] = rows.get(column, -1) + 1
        rest = {key: value for key, value in step.items() if key not in ("id", "tool", "after")}
        # What is not a list of known steps cannot be drawn.
        drawn = isinstance(step.get("after"), list) and all(other in known for other in step["after"]) and step["after"]
        if "after" in step and not drawn:
            rest["after"] = step["after"]
        text = f"## {name}\ntool: `{step['tool']}`\n\n```json\n{pretty(rest)}\n```"
        node = {"id": f"step-{name}", "type": "text", "x": column * COLUMN, "y": row * ROW, "width": CARD_WIDTH, "height": CARD_HEIGHT}
        if name in results:
            status, words = results[name]
            text += f"\n\nstatus: {status}" + (f"\n\n> {words}" if words else "")
            node["color"] = GREEN if status == "success" else RED if status in ("error", "failed") else YELLOW
        nodes.append({**node, "text": text})
        labelled = [(other, "after") for other in step["after"]] if drawn else []
        labelled += [(other, "data") for other in dict.fromkeys(references(step)) if other in known and other != name]
        for other, label in labelled:
            edges.append(
                {"id": f"{label}-{other}-{name}", "fromNode": f"step-{other}", "fromSide": "right", "toNode": f"step-{name}", "toSide": "left", "label": label}
            )
    return {"nodes": nodes, "edges": edges}


def read(text, where):
    """A canvas, as far as it is one."""
    try:
        canvas = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Fault(f"`{where}` is no JSON: {error}", "/path") from None
    if not isinstance(canvas, dict):
        raise Fault(f"`{where}` is no canvas: expected an object", "/path")
    nodes, edges = canvas.get("nodes", []), canvas.get("edges", [])
    for name, items, needed in (("nodes", nodes, ("id", "type")), ("edges", edges, ("id", "fromNode", "toNode"))):
        if not isinstance(items, list):
            raise Fault(f"`{where}` is no canvas: expected `{name}` as a list", "/path")
        for index, item in enumerate(items):
            if not isinstance(item, dict) or not all(isinstance(item.get(key), str) for key in needed):
                raise Fault(f"`{where}` is no canvas: `{name}/{index}` needs {', '.join(needed)}", "/path")
    return nodes, edges


def block(text, name):
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Fault(f"the card `{name}` holds no JSON: {error}", "/path", "mend the block between the fences") from None
    if not isinstance(value, dict):
        raise Fault(f"the card `{name}` holds no object between its fences", "/path")
    return value


def step_count(nodes):
    return sum(1 for node in nodes if STEP.match(str(node.get("text", ""))))


def load(nodes, edges):
    """The plan of a canvas, and the texts of the cards that are no steps."""
    head, steps, notes, names = {"version": 1}, [], [], {}
    for node in nodes:
        text = node.get("text")
        if node["type"] != "text" or not isinstance(text, str):
            continue
        text = text.replace("\r\n", "\n")
        plan, step = PLAN.match(text), STEP.match(text)
        if plan:
            head = block(plan["rest"], "Plan")
        elif step:
            name = step["id"].strip()
            if name in names.values():
                raise Fault(f"two cards are the step `{name}`", "/path", "give one of them another name")
            names[node["id"]] = name
            steps.append({"id": name, "tool": step["tool"], **block(step["rest"], name)})
        elif text.strip():
            notes.append(text)
    for step in steps:
        used = set(references(step))
        node = next(key for key, name in names.items() if name == step["id"])
        waits = []
        for edge in edges:
            other = names.get(edge["fromNode"])
            if edge["toNode"] != node or other is None or edge.get("label") == "data":
                continue
            # An arrow without a label says no more than a reference that is there.
            if other not in waits and (edge.get("label") == "after" or other not in used):
                waits.append(other)
        if waits:
            kept = after(step)
            step["after"] = kept + [other for other in waits if other not in kept]
    return {**head, "steps": steps}, notes


def differences(old, new):
    before = {step["id"]: step for step in steps_of(old)}
    now = {step["id"]: step for step in new["steps"]}
    return {
        "added": [name for name in now if name not in before],
        "removed": [name for name in before if name not in now],
        "changed": [name for name, step in now.items() if name in before and before[name] != step],
    }
