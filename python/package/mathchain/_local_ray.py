"""The Ray of this machine that runs of the engine `ray` use where no cluster is named: started once, for this user alone."""

from __future__ import annotations

import contextlib
import importlib
import os
import secrets
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path


class EngineError(Exception):
    """Why there is no engine, and the next step."""

    def __init__(self, text: str, hint: str) -> None:
        super().__init__(text)
        self.hint = hint


def local_folder() -> Path:
    """The folder of this user's local Ray. Ray lets everyone write in its own folders, so they lie within one that is closed to others."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir()) / f"mathchain-ray-{user}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or (os.name == "posix" and (found.st_uid != user or found.st_mode & 0o077)):
        raise EngineError(f"`{folder}` is not a folder of this user alone", "remove it, or set TMPDIR")
    return folder


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Two runs start one Ray."""
    with open(folder / "lock", "w") as file:
        if os.name == "posix":
            importlib.import_module("fcntl").flock(file, 2)
        yield


def local_address(folder: Path) -> str | None:
    """The address of the local Ray, if it lives."""
    try:
        os.killpg(int((folder / "group").read_text()), 0)
        address = (folder / "t" / "ray_current_cluster").read_text().strip()
        host, port = address.rsplit(":", 1)
        socket.create_connection((host, int(port)), timeout=2).close()
    except (OSError, ValueError):
        return None
    return address


def use_token(folder: Path) -> None:
    """Only who has the token of the local Ray may use it: it listens on all addresses of the machine."""
    token = folder / "token"
    if not token.exists():
        token.touch(mode=0o600)
        token.write_text(secrets.token_hex(32))
    os.environ.pop("RAY_AUTH_TOKEN", None)
    os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN_PATH=str(token))


def start_local(slots: int | None) -> str:
    """The address of the local Ray, which is started where none lives."""
    folder = local_folder()
    with locked(folder):
        use_token(folder)
        if address := local_address(folder):
            return address
        words = [sys.executable, "-c", "from ray.scripts.scripts import main; main()", "start", "--head", "--port=0"]
        words += ["--include-dashboard=false", "--disable-usage-stats", f"--temp-dir={folder / 't'}"]
        words += [f"--num-cpus={slots}"] if slots else []
        started = subprocess.Popen(
            words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
        )
        (folder / "group").write_text(str(started.pid))
        said = started.communicate()[0].decode(errors="replace")
        address = local_address(folder)
        if started.returncode or not address:
            raise EngineError(f"Ray does not start: {said.strip()[-400:]}", f"the logs are in `{folder / 't'}`")
        return address


def socket_of(folder: Path) -> str:
    """The socket of the driver that stays."""
    return str(folder / "driver")


def connect_staying(folder: Path) -> socket.socket | None:
    """A connection to the driver that stays, if one does."""
    if os.name != "posix":
        return None
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(2)
    try:
        connection.connect(socket_of(folder))
    except OSError:
        connection.close()
        return None
    return connection


def start_staying() -> None:
    """Starts a driver that stays, so that later runs begin at once. Without one they start their own."""
    if os.name != "posix":
        return
    folder = local_folder()
    with locked(folder):
        if connection := connect_staying(folder):
            connection.close()
            return
        with open(folder / "driver.log", "w") as log:
            started = subprocess.Popen(
                [sys.executable, "-m", "mathchain.ray", "stay"],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        until = time.monotonic() + 30
        while time.monotonic() < until and started.poll() is None:
            if connection := connect_staying(folder):
                connection.close()
                return
            time.sleep(0.05)


def stop_staying(folder: Path) -> None:
    """Tells the driver that stays to end, and waits for it."""
    if connection := connect_staying(folder):
        with connection, contextlib.suppress(OSError):
            connection.sendall(b'{"do":"end"}\n')
    until = time.monotonic() + 10
    while time.monotonic() < until and Path(socket_of(folder)).exists():
        if (connection := connect_staying(folder)) is None:
            return
        connection.close()
        time.sleep(0.05)


def stop_local() -> bool:
    """Ends the local Ray, and nothing else; whether there was one."""
    folder = local_folder()
    with locked(folder):
        stop_staying(folder)
        if local_address(folder) is None:
            return False
        group = int((folder / "group").read_text())
        for number in (signal.SIGTERM, signal.SIGKILL):
            until = time.monotonic() + 3
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, number)
                while time.monotonic() < until:
                    os.killpg(group, 0)
                    time.sleep(0.05)
        (folder / "group").unlink()
        return True
