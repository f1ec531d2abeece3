#!/usr/bin/env bash
# How long it takes until a post is at every socket of its conversation.
#
#     benches/fan_out.sh [POSTS] [SOCKETS ...]        default 50 posts, 1 100 10000 sockets (20 posts from 10000 on)
#
# Needs Linux, and as many open files for each process as there are sockets, and 500 more. One conversation in the SQLite
# store, messages of 1.2 kB, one after the other: each goes out when every socket has the one before. Percentiles are over
# all sockets and posts; three posts before them are not counted. "since the answer" is from the moment when the client had
# the answer to its post, and negative where a frame came first; "since the sending" is from the moment when it was sent.
# Server and client, which reads all the sockets, share the cores of this machine: much of a figure is the client's.
# Ends with an error when a socket misses a post, has one twice or in the wrong place, or ends.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
posts=${1:-50}
shift $(($# < 1 ? $# : 1))
counts=("$@")
[ $# -gt 0 ] || counts=(1 100 10000)

cargo build --release --quiet --bin citewire --example sockets
. benches/servers.sh fan_out
for count in "${counts[@]}"; do allow_sockets "$count"; done
# Runs the client, ten minutes at most, where Ctrl-C finds it.
client() {
    timeout 600 target/release/examples/sockets "$@" >"$folder/figures" &
    pids+=($!)
    wait "${pids[-1]}"
    unset 'pids[-1]'
}

CITEWIRE_DIRECT_LINE_MAX_SOCKETS_PER_CONVERSATION=1000000 \
    target/release/citewire serve --bind 127.0.0.1:0 2>"$folder/citewire.log" &
pids+=($!)
server=$(address "$folder/citewire.log")

echo "| sockets | posts | since the answer: p50, ms | p99, ms | since the sending: p50, ms | p99, ms | answer: p50, ms |"
echo "|---|---|---|---|---|---|---|"
for count in "${counts[@]}"; do
    client fan-out "$server" "$count" $((count >= 10000 && posts > 20 ? 20 : posts)) "$secret"
    awk '{
        printf "| %d | %d | %.2f | %.2f | %.2f | %.2f | %.2f |\n", $1, $2, $3 / 1000, $4 / 1000, $5 / 1000, $6 / 1000, $7 / 1000
    }' "$folder/figures"
done
