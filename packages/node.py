"""The npm packages: packs them, and tries them in a clean folder with a client's first messages."""

import json
import shutil
import signal
import subprocess

import client


def pack(sources, stage, output, platform, program, papers):
    """Packs the launcher and the package of the platform; their archives."""
    shutil.rmtree(stage, ignore_errors=True)
    archives = []
    for name in ["mathchain", platform]:
        folder = stage / name
        shutil.copytree(sources / name, folder)
        wanted = set(json.loads((folder / "package.json").read_text())["files"])
        for paper in papers:
            if paper.name in wanted:
                shutil.copy(paper, folder / paper.name)
        if name == platform:
            (folder / "bin").mkdir()
            shutil.copy(program, folder / "bin" / "mathchain")
        command = ["npm", "pack", "--json", "--pack-destination", str(output)]
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
        archives.append(output / json.loads(done.stdout)[0]["filename"])
        missing = wanted - {path.name for path in folder.iterdir()}
        if missing:
            raise ValueError(f"the package {name} lacks {', '.join(sorted(missing))}")
    return archives


def trial(archives, folder, version, platform):
    """What is wrong with the packages once they are installed in a clean folder, or nothing."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "home").mkdir(parents=True)
    (folder / "package.json").write_text('{"name": "trial", "private": true}')
    install = ["npm", "install", "--offline", "--no-audit", "--no-fund", *map(str, archives)]
    done = subprocess.run(install, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        return f"npm install: {done.stderr}"
    command = ["npx", "--no-install", "mathchain", "serve", "--mcp", "--workspace", str(folder)]
    if problem := client.trial(command, folder, version):
        return problem
    launcher, program = folder / "node_modules/.bin/mathchain", folder / "node_modules" / platform / "bin" / "mathchain"
    for one in [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]:
        wanted, found = (client.ends_after(one, [path, "serve", "--mcp"], folder) for path in [program, launcher])
        if wanted != found:
            return f"after {one.name} the program ends with {wanted}, and its launcher with {found}"
    done = subprocess.run([launcher, "call", "no_such_tool"], cwd=folder, capture_output=True, text=True)
    return None if done.returncode == 2 else f"expected exit code 2 of a call that is wrong, found {done.returncode}: {done.stdout}"
