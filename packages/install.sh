#!/bin/sh
# Installs mathchain from an archive that `packages/build` made; uses no network.
set -eu

usage() {
    cat <<'END'
Install the program mathchain from an archive that lies beside this script.

    sh install.sh                           into ~/.local/bin
    sh install.sh --to /usr/local/bin       into another folder
    sh install.sh --from DIR                the archive for this machine in a folder
    sh install.sh --from mathchain-0.1.0-linux-x64.tar.gz
    sh install.sh --replace                 replace a program of that name

The archive is compared with its digest in SHA256SUMS beside it. One file is written, `mathchain`; it is tried before it gets its name, and an
existing file of that name is left as it is unless --replace is given. To uninstall, delete it.
END
}

fail() {
    printf 'install.sh: %s\n' "$1" >&2
    [ -z "${2:-}" ] || printf '  %s\n' "$2" >&2
    exit 1
}

value() {
    [ $# -ge 2 ] && [ -n "$2" ] || fail "$1 needs a value" "see install.sh --help"
}

from=$(dirname "$0")
to=
replace=no
while [ $# -gt 0 ]; do
    case $1 in
        --from) value "$@"; from=$2; shift ;;
        --to) value "$@"; to=$2; shift ;;
        --replace) replace=yes ;;
        -h | --help) usage; exit 0 ;;
        *) fail "unknown argument $1" "see install.sh --help" ;;
    esac
    shift
done

if [ -z "$to" ]; then
    [ -n "${HOME:-}" ] || fail "HOME is not set" "name a folder: --to DIR"
    to=$HOME/.local/bin
fi
[ "$(uname -s)" = Linux ] || fail "the program runs on Linux, this is $(uname -s)"
case $(uname -m) in
    x86_64) platform=linux-x64 ;;
    aarch64) platform=linux-arm64 ;;
    *) fail "no archive is made for $(uname -m)" "build it: cargo install --locked --path doors/cli" ;;
esac

# The archive: the one named, or the only one for this machine.
if [ -d "$from" ]; then
    archive=
    for found in "$from"/mathchain-*-"$platform".tar.gz; do
        [ -f "$found" ] || continue
        [ -z "$archive" ] || fail "$from has several archives for $platform" "name one: --from FILE"
        archive=$found
    done
    [ -n "$archive" ] || fail "no mathchain-*-$platform.tar.gz in $from" "make it: packages/build --only archive; or name it: --from FILE"
else
    [ -f "$from" ] || fail "$from does not exist"
    archive=$from
fi
folder=$(dirname "$archive")
name=$(basename "$archive")
case $name in
    mathchain-*-"$platform".tar.gz) inside=${name%.tar.gz}/mathchain ;;
    *) fail "$name is not an archive for $platform" "expected mathchain-VERSION-$platform.tar.gz" ;;
esac

# Its digest.
sums=$folder/SHA256SUMS
[ -f "$sums" ] || fail "$sums does not exist" "keep SHA256SUMS beside the archive"
expected=$(awk -v name="$name" '$2 == name || $2 == "*" name { print $1 }' "$sums")
[ -n "$expected" ] || fail "$sums does not list $name"
if command -v sha256sum >/dev/null; then
    actual=$(sha256sum <"$archive")
elif command -v shasum >/dev/null; then
    actual=$(shasum -a 256 <"$archive")
else
    fail "neither sha256sum nor shasum is installed"
fi
actual=${actual%% *}
[ "$actual" = "$expected" ] || fail "$name is damaged: its SHA-256 is $actual, SHA256SUMS has $expected" "make or copy it again"

# The program, tried under a name of its own in the folder that it will be in.
target=$to/mathchain
if [ -e "$target" ] || [ -L "$target" ]; then
    [ -f "$target" ] && [ ! -L "$target" ] || fail "$target exists and is not a file" "choose another folder: --to DIR"
    [ "$replace" = yes ] || fail "$target exists" "to replace it: --replace"
fi
mkdir -p "$to" 2>/dev/null && [ -w "$to" ] || fail "$to cannot be written to" "choose another folder: --to DIR"
part=$(mktemp "$to/.mathchain.XXXXXX")
trap 'rm -f "$part"' EXIT
trap 'exit 1' HUP INT TERM
gzip -dc "$archive" | tar -xOf - "$inside" >"$part" || fail "$name has no $inside"
chmod 755 "$part"
version=$("$part" --version) || fail "the program of $name does not start here" "see the message above"
mv -f "$part" "$target"
printf 'installed %s as %s\n' "$version" "$target"
case :${PATH:-}: in
    *":$to:"*) ;;
    *) printf 'to call it by its name, add the folder to PATH: export PATH="%s:$PATH"\n' "$to" ;;
esac
printf 'to check this machine: %s doctor\n' "$target"
