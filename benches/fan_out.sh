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
ulimit -S -n "$(ulimit -H -n)"
for count in "${counts[@]}"; do
    if [ "$(ulimit -n)" != unlimited ] && [ "$(ulimit -n)" -lt $((count + 500)) ]; then
        echo "$count sockets need $((count + 500)) open files a process, and $(ulimit -n) are allowed (ulimit -H -n)" >&2
        exit 1
    fi
done

cargo build --release --quiet --bin citewire --example sockets
# On a real disk: /tmp may be memory, and a post is answered when it is on the disk.
folder=$(mktemp -d target/fan_out.XXXXXX)
pids=()
finish() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait
    rm -rf "$folder"
}
trap finish EXIT
trap 'exit 130' INT TERM

# Waits for the line that names the address, ten seconds at most.
address() {
    for _ in $(seq 100); do
        if grep -oE 'listening on http://[0-9.:]+' "$1" | grep -oE 'http://[0-9.:]+'; then return; fi
        sleep 0.1
    done
    echo "no server in $1:" >&2
    cat "$1" >&2
    return 1
}
# Runs the client, ten minutes at most, where Ctrl-C finds it.
client() {
    timeout 600 target/release/examples/sockets "$@" >"$folder/figures" &
    pids+=($!)
    wait "${pids[-1]}"
    unset 'pids[-1]'
}

secret=load-test-secret-0123456789
export CITEWIRE_DIRECT_LINE_SECRET=$secret CITEWIRE_API_KEY=load-test-key-0123456789 CITEWIRE_DATA_DIR=$folder/data
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
