# What the scripts of this folder need: Chromium, and two packages of npm at fixed versions. Sourced in the folder of the repository.
for program in node npm script; do
  command -v "$program" >/dev/null || { echo "tests/console needs $program" >&2; exit 1; }
done
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
[ -n "$CHROMIUM" ] || { echo "tests/console needs Chromium: apt-get install chromium, or CHROMIUM=PATH" >&2; exit 1; }
export CHROMIUM
export BROWSER_PACKAGES="${CARGO_TARGET_DIR:-target}/console"
if [ ! -d "$BROWSER_PACKAGES/node_modules/axe-core" ]; then
  mkdir -p "$BROWSER_PACKAGES"
  npm install --silent --no-audit --no-fund --prefix "$BROWSER_PACKAGES" playwright-core@1.65.1 axe-core@4.14.1
fi
BROWSER_PACKAGES=$(cd "$BROWSER_PACKAGES" && pwd)
