#!/bin/sh
# The HTTP interface against its own OpenAPI document: requests that schemathesis makes from the document, right and wrong ones, with a key and
# without. Fails for a fault of the server, a status, type, schema or method that is not in the document, an accepted request that the document
# excludes, and an operation that answers without its key.
#
#   tests/conformance/openapi.sh [--bin target/debug/mathchain] [--scratch target/conformance] [--seconds 30] [--seed 1]
#
# Needs python3 with venv, and the registry pypi.org for the first run.
set -eu
cd "$(dirname "$0")/../.."
bin=target/debug/mathchain
scratch=target/conformance
seconds=30
seed=1
while [ $# -gt 0 ]; do
    case $1 in
        --bin) bin=$2 ;;
        --scratch) scratch=$2 ;;
        --seconds) seconds=$2 ;;
        --seed) seed=$2 ;;
        *) echo "unknown option $1; usage: $0 [--bin FILE] [--scratch FOLDER] [--seconds COUNT] [--seed NUMBER]" >&2; exit 2 ;;
    esac
    shift 2
done

fail() {
    echo "$1" >&2
    echo "cure: $2" >&2
    exit 1
}

[ -x "$bin" ] || fail "no program $bin" "cargo build -p mathchain-cli"
mkdir -p "$scratch"
scratch=$(realpath "$scratch")
if [ ! -x "$scratch/openapi/bin/python" ]; then
    python3 -m venv "$scratch/openapi" || fail "python3 cannot make a virtual environment" "install python3 with its module venv"
fi
"$scratch/openapi/bin/python" -c 'import schemathesis' 2>/dev/null ||
    "$scratch/openapi/bin/pip" install --quiet schemathesis==4.32.5 ||
    fail "the package schemathesis cannot be installed" "give pip access to pypi.org, or install it into $scratch/openapi"
exec "$scratch/openapi/bin/python" tests/load/openapi.py --bin "$bin" --scratch "$scratch" --seconds "$seconds" --seed "$seed"
