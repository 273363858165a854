"""The peer of `mathchain serve`: one function, `calculate`, served by FastMCP.

    servers_peer.py            over stdin and stdout
    servers_peer.py PORT       over HTTP
"""

import math
import sys

from fastmcp import FastMCP

NAMES = {name: getattr(math, name) for name in dir(math) if not name.startswith("_")}
server = FastMCP("peer")


@server.tool
def calculate(expression: str) -> dict[str, float]:
    """Evaluates an expression."""
    return {"value": eval(expression, {"__builtins__": {}}, NAMES)}


if len(sys.argv) > 1:
    server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False, log_level="error", json_response=True, stateless_http=True)
else:
    server.run(transport="stdio", show_banner=False, log_level="error")
