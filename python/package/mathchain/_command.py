"""The command `mathchain` of the package, and the launcher of sandboxed programs."""

from __future__ import annotations

import sys

from . import _mathchain

#: Run by the launcher's interpreter, without site packages: loads the native part alone.
LAUNCH = """\
import _signal, sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
_signal.signal(_signal.SIGXFSZ, _signal.SIG_DFL)
loader = ExtensionFileLoader("_mathchain", sys.argv[1])
module = module_from_spec(spec_from_loader("_mathchain", loader))
loader.exec_module(module)
module.launch()
"""

#: Run by the interpreter that is the MCP server of an agent: the command line, without site packages.
SERVE = f"""\
import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
loader = ExtensionFileLoader("_mathchain", sys.argv[1])
module = module_from_spec(spec_from_loader("_mathchain", loader))
loader.exec_module(module)
module.name_launcher("/proc/self/exe", [sys.executable, "-I", "-S", "-c", {LAUNCH!r}, sys.argv[1]])
sys.exit(module.main(["mathchain", *sys.argv[2:]], None))
"""


def agent_program() -> tuple[list[str], list[str]] | None:
    """The command that serves agents with this module, and what it reads; none where agents have no sandbox."""
    library = getattr(_mathchain, "__file__", None)
    if sys.platform != "linux" or not sys.executable or not library:
        return None
    return [sys.executable, "-I", "-S", "-c", SERVE, library], [sys.executable, sys.base_prefix, library]


def name_launcher() -> None:
    """Makes this interpreter the launcher of sandboxed programs; without one they are refused."""
    library = getattr(_mathchain, "__file__", None)
    if sys.platform == "linux" and sys.executable and library:
        words = [sys.executable, "-I", "-S", "-c", LAUNCH, library]
        _mathchain.name_launcher("/proc/self/exe", words)


def main() -> int:
    """Runs the command line of this process."""
    name_launcher()
    return _mathchain.main(["mathchain", *sys.argv[1:]], agent_program())
