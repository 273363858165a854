"""The container image: lints the Dockerfile, and builds the image where an engine runs."""

import os
import shutil
import subprocess

import client


def lint(hadolint, dockerfile):
    """Every rule counts, down to style."""
    done = subprocess.run([hadolint, "--failure-threshold", "style", dockerfile], capture_output=True, text=True)
    return (done.stdout + done.stderr).strip() if done.returncode else None


def engine():
    """The first engine that runs here, or nothing."""
    for name in ["docker", "podman", "buildah"]:
        if shutil.which(name) and subprocess.run([name, "info"], capture_output=True).returncode == 0:
            return name
    return None


def stage(folder, dockerfile, program):
    """The folder that an engine builds from."""
    shutil.rmtree(folder, ignore_errors=True)
    root = folder / "rootfs"
    (root / "usr" / "local" / "bin").mkdir(parents=True)
    shutil.copy(dockerfile, folder / "Dockerfile")
    shutil.copy(program, root / "usr" / "local" / "bin" / "mathchain")
    for name, mode in [("work", 0o1777), ("tmp", 0o1777), ("home/mathchain", 0o1777)]:
        (root / name).mkdir(parents=True)
        os.chmod(root / name, mode)


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout.strip()


def image(name, folder, version, archive):
    """Builds the image, tries it as a server, and saves it as an archive that `docker load` and `podman load` read."""
    tag = f"mathchain:{version}"
    archive.unlink(missing_ok=True)
    if name == "buildah":
        run(["buildah", "bud", "-t", tag, str(folder)])
        one = run(["buildah", "from", tag])
        command = ["buildah", "run", "--isolation", "chroot", one, "--", "/usr/local/bin/mathchain", "serve", "--mcp"]
        problem = client.trial(command, folder, version)
        run(["buildah", "rm", one])
        save = ["buildah", "push", tag, f"docker-archive:{archive}:{tag}"]
    else:
        run([name, "build", "-t", tag, str(folder)])
        problem = client.trial([name, "run", "-i", "--rm", tag], folder, version)
        save = [name, "save", "-o", str(archive), tag]
    if problem:
        raise ValueError(problem)
    run(save)
