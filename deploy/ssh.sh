#!/bin/sh
# Starts a worker on each host over SSH, and waits for them. They end with the run, or when this script is interrupted.
#
#     deploy/ssh.sh DIR HOST...
#
# DIR is a folder that the head and all hosts see under the same path. The program is `mathchain` of each host; MATHCHAIN names another one,
# SLOTS the tickets at a time (one for each processor), IDLE the seconds without a ticket after which a worker ends.
set -eu

if [ "$#" -lt 2 ]; then
    echo "usage: $0 DIR HOST..." >&2
    exit 2
fi
dir=$1
shift
program=${MATHCHAIN:-mathchain}

# Quotes a word for the shell of the other host.
quote() {
    printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}

command="exec $(quote "$program") worker $(quote "$dir")"
if [ -n "${SLOTS:-}" ]; then
    command="$command --slots $(quote "$SLOTS")"
fi
if [ -n "${IDLE:-}" ]; then
    command="$command --idle $(quote "$IDLE")"
fi

workers=
# Called by the trap.
# shellcheck disable=SC2317
stop() {
    # The connection of a worker ends with it, and a worker whose terminal is gone gives its tickets back.
    for worker in $workers; do
        kill "$worker" 2>/dev/null || true
    done
}
trap stop INT TERM HUP

for host in "$@"; do
    # A terminal, so that the worker learns when the connection ends; no questions.
    ssh -tt -o BatchMode=yes -o ServerAliveInterval=15 -- "$host" "$command" </dev/null &
    workers="$workers $!"
done

status=0
for worker in $workers; do
    wait "$worker" || status=$?
done
exit "$status"
