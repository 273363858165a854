#!/bin/sh
# A suspended plan is approved in a page, by a headless browser, and ends. Needs Node.js, npm, Chromium and `script`; --bin names a built program.
cd "$(dirname "$0")/.." || exit 1
exec tests/console/run --only 'a suspended run is approved to its end' "$@"
