"""A server of its own for the programs of this folder: `mathchain serve --http` in an empty world, at a free port, ended with the program."""

import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import tempfile


class Server:
    """A running server with a key for it: one of a role that approves where that is wanted, else the token that the server prints."""

    def __init__(self, binary, config="version = 1\n", key_of_role=None, flags=()):
        self.world = pathlib.Path(tempfile.mkdtemp())
        (self.world / "work").mkdir()
        (self.world / "work" / "mathchain.toml").write_text(config)
        names = {"HOME": "", "XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "state"}
        self.environment = {**os.environ, **{name: str(self.world / part) for name, part in names.items()}}
        self.binary = str(pathlib.Path(binary).resolve())
        self.key = self._key(key_of_role) if key_of_role else None
        command = [self.binary, "serve", "--http", "127.0.0.1:0", *flags]
        places = {"cwd": self.world / "work", "env": self.environment}
        self.process = subprocess.Popen(command, **places, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = self.process.stderr.readline()
        while said and not said.startswith("listening on "):
            token = re.search(r"Bearer (mathchain_[0-9a-f]+)", said)
            self.key = token.group(1) if token else self.key
            said = self.process.stderr.readline()
        if not said.startswith("listening on "):
            raise SystemExit(f"the server does not start: {said}{self.process.stderr.read()}")
        self.url = said.split()[-1]
        self.host, port = self.url.split("//")[1].rsplit(":", 1)
        self.port = int(port)

    def _key(self, role):
        """A key of a role that approves, which is created at a terminal only."""
        words = [self.binary, "keys", "create", "load", "--role", role, "--approve", "--json"]
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.world / "work")
            os.execve(self.binary, words, self.environment)
        printed = b""
        while True:
            try:
                part = os.read(terminal, 4096)
            except OSError:
                break
            if not part:
                break
            printed += part
        os.waitpid(process, 0)
        lines = [line for line in printed.decode().splitlines() if line.startswith("{")]
        if not lines:
            raise SystemExit(f"no key was created: {printed.decode()}")
        return json.loads(lines[-1])["key"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        finally:
            self.process.kill()
            shutil.rmtree(self.world, ignore_errors=True)
