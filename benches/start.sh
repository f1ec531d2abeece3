#!/usr/bin/env bash
# How long servers take from their start to their first answer, and the memory that they have at rest: citewire with its page and the
# assistant `docs`, a bot of the Agents SDK and Express, and Open WebUI.
#
#     benches/start.sh CITEWIRE [OPEN_WEBUI]        the two programs; without the second, Open WebUI is left out
#
# Needs Linux, Node.js 20, npm and curl. "first answer" is the median of starts, from the start of the process to the first answer of its
# page or, for the bot, of its port. Memory is the proportional share (PSS) of all processes of the server, ten seconds later. Open WebUI
# starts a database of its own before it is measured.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
citewire=$(realpath "$1")
open_webui=${2:+$(realpath "$2")}
peer=benches/bot-peer
[ "$peer/node_modules/.package-lock.json" -nt "$peer/package-lock.json" ] ||
    (cd "$peer" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --no-update-notifier)
. benches/servers.sh start
unset CITEWIRE_ASSISTANT
port=3994

# The kilobytes of a process and of those that it has started.
memory() {
    local child
    awk '/^Pss:/ {print $2}' "/proc/$1/smaps_rollup"
    for child in $(cat /proc/"$1"/task/*/children); do memory "$child"; done
}

# measure NAME STARTS COMMAND…
measure() {
    local name=$1 starts=$2 times=() kilobytes=0 begin end
    shift 2
    for start in $(seq "$starts"); do
        begin=$(date +%s%N)
        "$@" >"$folder/log" 2>&1 &
        pids=($!)
        until curl -s -o "$folder/page" "http://127.0.0.1:$port/"; do
            kill -0 "${pids[0]}" 2>/dev/null || { cat "$folder/log" >&2; exit 1; }
            [ $(($(date +%s%N) - begin)) -lt 180000000000 ] || { echo "$name does not answer" >&2; exit 1; }
            sleep 0.002
        done
        end=$(date +%s%N)
        times+=($(((end - begin) / 1000)))
        if [ "$start" = "$starts" ]; then
            sleep 10
            kilobytes=$(memory "${pids[0]}" | awk '{sum += $1} END {print sum}')
        fi
        kill "${pids[0]}"
        wait "${pids[0]}" || true
        pids=()
    done
    printf '%s\n' "${times[@]}" | sort -n | awk -v name="$name" -v kilobytes="$kilobytes" '{times[NR] = $1}
        END {printf "%-12s %8.3f s   %8.1f MiB\n", name, times[int((NR + 1) / 2)] / 1e6, kilobytes / 1024}'
}

measure citewire 11 "$citewire" serve --bind "127.0.0.1:$port"
measure "Express bot" 11 node "$peer/express.mjs" http://127.0.0.1:9/ "$port"
if [ -n "$open_webui" ]; then
    export DATA_DIR=$folder/open-webui WEBUI_SECRET_KEY=$secret WEBUI_AUTH=False OFFLINE_MODE=true HF_HUB_OFFLINE=1 DO_NOT_TRACK=true
    mkdir -p "$DATA_DIR"
    measure "(first)" 1 "$open_webui" serve --host 127.0.0.1 --port "$port" >/dev/null
    measure "Open WebUI" 3 "$open_webui" serve --host 127.0.0.1 --port "$port"
fi
