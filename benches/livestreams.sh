#!/usr/bin/env bash
# Answers that stream: from the back end's word to the reader's frame, against a service that a team would write with Node.
#
#     benches/livestreams.sh [SECONDS] [STREAMS ...]        default 10 s, 1 100 1000 streams
#
# Needs Linux, Node.js 20 and npm, and as many open files for each process as there are streams, and 500 more. Each stream is
# one conversation with one socket and an answer of 100 words a second, with a marker behind every twentieth. Updates are
# paced: at most one in 100 ms, in both servers; the SQLite store keeps the answers of citewire, the peer keeps nothing. The
# back end, which is also the reader, runs in a process of its own on the same cores: much of a figure is its.
#
# "newest" is the age of the newest word of a frame when it arrives, "beyond" how much longer than 100 ms a word took. CPU is
# of the server, in milliseconds for one second of one stream. "bytes" is what was sent in all frames against the last frame,
# which has the whole answer; "unpaced" is the same if each word were a frame. A row is missing where a server did not keep up.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-10}
shift $(($# < 1 ? $# : 1))
counts=("$@")
[ $# -gt 0 ] || counts=(1 100 1000)
interval=100
back_end=127.0.0.1:3991

cargo build --release --quiet --bin citewire --example livestreams
peer=benches/livestream-peer
[ "$peer/node_modules/.package-lock.json" -nt "$peer/package-lock.json" ] ||
    (cd "$peer" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --no-update-notifier)
. benches/servers.sh livestreams
for count in "${counts[@]}"; do allow_sockets $((2 * count)); done

cat >"$folder/citewire.toml" <<TOML
assistant = "load"

[egress]
allow_hosts = "127.0.0.1"

[assistants.load]
informative = ""

[assistants.load.upstream]
kind = "http"
url = "http://$back_end/"
from = "citewire"
TOML
unset CITEWIRE_ASSISTANT
target/release/citewire serve --config "$folder/citewire.toml" --bind 127.0.0.1:0 2>"$folder/citewire.log" &
citewire_pid=$!
pids+=("$citewire_pid")
node "$peer/server.mjs" "http://$back_end/" "$interval" >"$folder/peer.log" &
peer_pid=$!
pids+=("$peer_pid")
citewire=$(address "$folder/citewire.log")
node=$(address "$folder/peer.log")

# Runs the reader, five minutes at most, where Ctrl-C finds it.
measure() {
    local name=$1
    shift
    timeout 300 target/release/examples/livestreams "$@" >"$folder/figures" 2>"$folder/errors" &
    pids+=($!)
    if wait "${pids[-1]}"; then
        awk -v name="$name" '{
            printf "| %s | %d | %.0f | %.2f | %.2f | %.2f | %.2f | %.2f | %.1f | %.1f |\n", name, $1, $3, $4, $5, $6, $7, $8, $9, $10
        }' "$folder/figures"
    else
        echo "| $name | ${*: -3:1} | did not keep up: $(tail -n1 "$folder/errors") |"
    fi
    unset 'pids[-1]'
}

echo "answers of $seconds s, 100 words a second, updates at most every $interval ms; times in ms"
echo "| server | streams | frames of each | newest: p50 | p99 | beyond: p50 | p99 | CPU | bytes | unpaced |"
echo "|---|---|---|---|---|---|---|---|---|---|"
for count in "${counts[@]}"; do
    measure citewire citewire "$citewire" "$secret" "$back_end" "$citewire_pid" "$count" "$seconds" "$interval"
    measure node peer "$node" "$back_end" "$peer_pid" "$count" "$seconds" "$interval"
done
