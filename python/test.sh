#!/usr/bin/env bash
# Builds the wheel, installs it in a clean environment, and tests it there: pytest, mypy, the command. A part that is missing fails with
# the cure. `python/test.sh --release` builds as for a release; PYTHON names the interpreter; further words are passed to pytest.
set -euo pipefail
cd "$(dirname "$0")"
python="${PYTHON:-python3}"
profile=()
if [ "${1:-}" = "--release" ]; then
  profile=(--release)
  shift
fi
fail() {
  echo "$1" >&2
  exit 1
}
command -v "$python" >/dev/null || fail "no $python: install Python 3.10 or newer"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || fail "$python is older than 3.10: set PYTHON"
target="$(cargo metadata --no-deps --format-version 1 --offline | "$python" -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')"
tools="$target/python/tools"
clean="$target/python/clean"
"$python" -c 'import venv, ensurepip' 2>/dev/null || fail "no module venv: apt-get install python3-venv"
if ! [ -x "$tools/bin/maturin" ]; then
  "$python" -m venv "$tools"
  "$tools/bin/pip" install -q 'maturin>=1.9,<2' || fail "maturin cannot be installed: pip needs a package index"
fi
rm -rf "$target/wheels"
"$tools/bin/maturin" build -q ${profile[@]+"${profile[@]}"} --compatibility linux -i "$python" --out "$target/wheels"
[ -x "$clean/bin/python" ] || "$python" -m venv "$clean"
wheel="$(ls "$target"/wheels/mathchain-*.whl)"
"$clean/bin/pip" install -q --force-reinstall --no-deps "$wheel"
"$clean/bin/pip" install -q "$wheel[test,providers]" || fail "the packages of the tests cannot be installed: pip needs a package index"
export MYPYPATH=
"$clean/bin/python" -m pytest "$@"
"$clean/bin/mypy" --cache-dir "$target/python/mypy" tests/typed.py package/mathchain
"$clean/bin/mathchain" --version
