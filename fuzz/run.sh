#!/usr/bin/env bash
# Feeds every parser, and sessions, what a fuzzer guided by coverage makes up: libFuzzer on the stable toolchain.
#
#     fuzz/run.sh                   every target for ten minutes
#     fuzz/run.sh 60                every target for a minute
#     fuzz/run.sh 60 json plan      these targets
#
# Needs a C++ compiler. What it learns is kept in fuzz/target/corpus; an input that fails is written to fuzz/target/failures and
# printed, and the exit code is 1.
set -euo pipefail
cd "$(dirname "$0")"
seconds="${1:-600}"
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=($(sed -n 's/^name = "\(.*\)"/\1/p' Cargo.toml | tail -n +2))

host=$(rustc -vV | sed -n 's/^host: //p')
# Coverage of edges, counters of eight bits, and the operands of comparisons; without the host's triple build scripts would be
# instrumented too.
export RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing -Ccodegen-units=1"
export CARGO_TARGET_DIR="$PWD/target"
cargo build --release --target "$host" $(printf -- '--bin %s ' "${targets[@]}")

failed=0
export TMPDIR="$PWD/target/tmp"
mkdir -p target/failures "$TMPDIR"
for target in "${targets[@]}"; do
  corpus="target/corpus/$target"
  mkdir -p "$corpus"
  echo "== $target, $seconds s"
  "target/$host/release/$target" "$corpus" "seeds/$target" \
    -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -max_len=16384 -print_final_stats=1 \
    -artifact_prefix="target/failures/$target-" 2>"target/$target.log" || failed=1
  tail -n 12 "target/$target.log"
done
exit "$failed"
