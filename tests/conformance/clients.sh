#!/bin/sh
# Clients of the Model Context Protocol, as their users have them, against `mathchain serve --mcp`: the SDK for Python in both versions of the
# protocol, FastMCP, LangChain's adapters (on the older SDK), and the command line of the inspector in both versions.
#
#   tests/conformance/clients.sh [--bin target/debug/mathchain] [--fixtures target/debug/examples/mcp-fixtures] [--scratch target/conformance]
#
# `mcp-fixtures` is the program with tools that ask the client (mcp.sh).
# Needs python3 with venv, and the registries of pip and npm for the first run.
set -eu
cd "$(dirname "$0")/../.."
bin=target/debug/mathchain
fixtures=target/debug/examples/mcp-fixtures
scratch=target/conformance
while [ $# -gt 0 ]; do
    case $1 in
        --bin) bin=$2 ;;
        --fixtures) fixtures=$2 ;;
        --scratch) scratch=$2 ;;
        *) echo "unknown option $1; usage: $0 [--bin FILE] [--fixtures FILE] [--scratch FOLDER]" >&2; exit 2 ;;
    esac
    shift 2
done
. tests/conformance/node.sh

[ -x "$bin" ] || fail "no program $bin" "cargo build --workspace --bins"
[ -x "$fixtures" ] || fail "no program $fixtures" "cargo build --workspace --example mcp-fixtures"
mkdir -p "$scratch"
bin=$(realpath "$bin")
fixtures=$(realpath "$fixtures")
scratch=$(realpath "$scratch")

environment "$scratch/clients" fastmcp mcp==2.3.0 fastmcp==4.2.3
environment "$scratch/langchain" langchain_mcp_adapters langchain-mcp-adapters==0.3.2
node_environment
npm @modelcontextprotocol/inspector@2.12.0

"$scratch/clients/bin/python" tests/conformance/clients.py mcp "$bin"
"$scratch/clients/bin/python" tests/conformance/clients.py asking "$fixtures"
"$scratch/clients/bin/python" tests/conformance/clients.py fastmcp "$bin"
"$scratch/langchain/bin/python" tests/conformance/clients.py langchain "$bin"

# The inspector: the schemas of every tool as providers take them, and a call, in each version.
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT INT TERM
mkdir "$world/work"
inspect() {
    (cd "$world/work" && env HOME="$world" XDG_CONFIG_HOME="$world/config" XDG_STATE_HOME="$world/state" \
        "$node" "$modules/.bin/mcp-inspector" --cli "$@" > "$world/out" 2> "$world/err") || {
        code=$?
        cat "$world/out" "$world/err" >&2
        fail "the inspector ended with $code: $*" "6 is a schema that a provider refuses; the lines above name it"
    }
}
# Its own options are not told from those of the server.
for catalog in core full; do
    printf '#!/bin/sh\nexec "%s" serve --mcp --catalog %s\n' "$bin" "$catalog" > "$world/$catalog"
    chmod +x "$world/$catalog"
done
for era in legacy modern; do
    for catalog in core full; do
        inspect "$world/$catalog" --method tools/list --strict --protocol-era $era
        echo "inspector $era: $(grep -o '"inputSchema"' "$world/out" | wc -l) tools of the catalogue $catalog, portable"
    done
    inspect "$world/core" --method tools/call --tool-name matrix_solve \
        --tool-args-json '{"A": [[3, 1], [1, 2]], "b": [9, 8]}' --protocol-era $era --format json
    grep -q '"x"' "$world/out" || fail "the inspector shows no result: $(cat "$world/out")" "call the tool by hand"
    echo "inspector $era: called matrix_solve"
done
