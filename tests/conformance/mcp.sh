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

. tests/conformance/node.sh

[ -x "$bin" ] || fail "no program $bin" "cargo build --workspace --example mcp-fixtures"
mkdir -p "$scratch"
bin=$(realpath "$bin")
scratch=$(realpath "$scratch")
node_environment
npm @modelcontextprotocol/conformance@0.2.0-alpha.12
suite=$modules/@modelcontextprotocol/conformance/dist/index.js

# A server of its own: no configuration, no keys, an empty state.
world=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$world"' EXIT INT TERM
mkdir "$world/work"
: > "$world/said"
(cd "$world/work" && exec env HOME="$world" XDG_CONFIG_HOME="$world/config" XDG_STATE_HOME="$world/state" \
    "$bin" serve --http 127.0.0.1:0 --role operator --catalog full 2> "$world/said") &
server=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
    address=$(sed -n 's/^listening on //p' "$world/said")
    token=$(sed -n 's/.*Bearer \(mathchain_[0-9a-f]*\).*/\1/p' "$world/said")
    [ -z "$address" ] || break
    sleep 0.5
done
[ -n "$address" ] || fail "the server does not start: $(cat "$world/said")" "start it by hand: $bin serve --http 127.0.0.1:0"

code=0
for version in 2025-11-25 2026-07-28; do
    log=$scratch/$version.log
    if "$node" "$suite" server --url "$address/mcp?token=$token" --requirements "$version" --timeout 30000 \
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
