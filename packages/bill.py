"""What the program is made of: a bill of materials (CycloneDX 1.5) and the licence texts of its packages."""

import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import tomllib

LICENCE_FILE = re.compile(r"^(licen[cs]e|copying|copyright|notice|unlicense)", re.I)


def tree(root, triple):
    """The packages that the program links, with their licences, and which needs which; the program first."""
    command = ["cargo", "tree", "--locked", "-p", "mathchain", "-e", "normal", "--target", triple, "--prefix", "depth"]
    lines = subprocess.run([*command, "--format", " {p}|{l}"], cwd=root, check=True, capture_output=True, text=True).stdout
    licences, needs, above = {}, {}, []
    for line in filter(None, lines.splitlines()):
        depth, name, version, licence = re.fullmatch(r"(\d+) (\S+) v(\S+)(?: [^|]*)?\|(.*?)(?: \(\*\))?", line).groups()
        package = (name, version)
        licences[package] = licence.replace("/", " OR ")
        needs.setdefault(package, set())
        del above[int(depth) :]
        if above:
            needs[above[-1]].add(package)
        above.append(package)
    return licences, needs


def reference(package, own):
    return f"pkg:cargo/{package[0]}@{package[1]}" if package not in own else f"mathchain:{package[0]}@{package[1]}"


def moment(root):
    """The time of the commit, or SOURCE_DATE_EPOCH, so that the same source gives the same files."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    if not seconds:
        done = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=root, capture_output=True, text=True)
        seconds = done.stdout.strip() or "0"
    return int(seconds)


def bill(root, triple):
    """The bill of materials as a document."""
    licences, needs = tree(root, triple)
    locked = tomllib.loads((root / "Cargo.lock").read_text())["package"]
    sums = {(one["name"], one["version"]): one.get("checksum") for one in locked}
    own = {package for package in licences if sums[package] is None}
    program = next(iter(licences))
    components = []
    for package in sorted(licences):
        one = {"type": "library", "bom-ref": reference(package, own), "name": package[0], "version": package[1]}
        if licences[package]:
            one["licenses"] = [{"expression": licences[package]}]
        if package not in own:
            one |= {"purl": reference(package, own), "hashes": [{"alg": "SHA-256", "content": sums[package]}]}
        if package == program:
            described = one | {"type": "application"}
        else:
            components.append(one)
    edges = [
        {"ref": reference(package, own), "dependsOn": sorted(reference(one, own) for one in needs[package])}
        for package in sorted(licences)
    ]
    time = datetime.datetime.fromtimestamp(moment(root), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    head = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1}
    return head | {"metadata": {"timestamp": time, "component": described}, "components": components, "dependencies": edges}


def notices(root, triple):
    """The licence texts of all packages, each text once, with the packages it is of."""
    licences, _ = tree(root, triple)
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", triple]
    packages = json.loads(subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout)["packages"]
    texts = {}
    for one in packages:
        package = (one["name"], one["version"])
        if package not in licences or one["source"] is None:
            continue
        folder = pathlib.Path(one["manifest_path"]).parent
        files = sorted(path for path in folder.iterdir() if path.is_file() and LICENCE_FILE.match(path.name))
        found = [path.read_text(errors="replace").strip() for path in files]
        for text in found or [f"No text in the package; its licence is: {licences[package]}"]:
            named = texts.setdefault(hashlib.sha256(re.sub(r"\s+", " ", text).encode()).hexdigest(), (text, set()))[1]
            named.add(f"{package[0]} {package[1]}")
    # The font of plots is part of the program, and no package.
    font = (root / "plots/assets/LICENSE-DEJAVU.txt").read_text().strip()
    texts["font"] = (font, {"DejaVu Sans 2.37 (a subset, in plots)"})
    parts = [f"{', '.join(sorted(named))}\n\n{text}\n" for text, named in sorted(texts.values(), key=lambda one: sorted(one[1]))]
    return f"\n{'=' * 100}\n\n".join(["Packages that are part of this program, and their licences\n", *parts])
