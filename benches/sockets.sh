#!/usr/bin/env bash
# Memory of idle WebSockets: the streams of the Direct Line channel, each of a conversation of its own, against a bare
# actix-ws server that sends back what it gets. One after the other, on this machine.
#
#     benches/sockets.sh [SECONDS] [SOCKETS ...]        default 20 s of idleness, 1000 10000 sockets
#
# Needs Linux (it reads /proc), and as many open files for each process as there are sockets, and 500 more. Two workers
# and mimalloc in both. Memory a socket is what the server's RSS (VmRSS) grows by from 100 open sockets to so many more,
# all of which have got a first frame of some 350 bytes and have then been left alone; with 20 s that includes a frame
# that keeps each alive. What starting the conversations takes is shown by itself. Every figure is of new processes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
idle=${1:-20}
shift $(($# < 1 ? $# : 1))
counts=("$@")
[ $# -gt 0 ] || counts=(1000 10000)
ulimit -S -n "$(ulimit -H -n)"
for count in "${counts[@]}"; do
    if [ "$(ulimit -n)" != unlimited ] && [ "$(ulimit -n)" -lt $((count + 500)) ]; then
        echo "$count sockets need $((count + 500)) open files a process, and $(ulimit -n) are allowed (ulimit -H -n)" >&2
        exit 1
    fi
done

cargo build --release --quiet --bin citewire --example echo --example sockets
folder=$(mktemp -d target/sockets.XXXXXX)
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
# Ends the server that was started last.
end() {
    kill "${pids[-1]}"
    wait "${pids[-1]}" || true
    unset 'pids[-1]'
}
# Runs the client, five minutes at most, where Ctrl-C finds it.
client() {
    timeout 300 target/release/examples/sockets "$@" >"$folder/figures" &
    pids+=($!)
    wait "${pids[-1]}"
    unset 'pids[-1]'
}

secret=load-test-secret-0123456789
export CITEWIRE_DIRECT_LINE_SECRET=$secret CITEWIRE_API_KEY=load-test-key-0123456789 CITEWIRE_WORKERS=2
echo "| sockets | echo, bytes a socket | citewire, bytes a socket | times | RSS of echo, MiB | RSS of citewire, MiB |" \
    "a conversation, bytes |"
echo "|---|---|---|---|---|---|---|"
for count in "${counts[@]}"; do
    target/release/examples/echo 2 >"$folder/echo.log" &
    pids+=($!)
    client idle "$(address "$folder/echo.log")" "${pids[0]}" "$count" "$idle"
    read -r _ _ _ floor_rss _ floor <"$folder/figures"
    end
    CITEWIRE_DATA_DIR=$folder/data target/release/citewire serve --bind 127.0.0.1:0 2>"$folder/citewire.log" &
    pids+=($!)
    client idle "$(address "$folder/citewire.log")" "${pids[0]}" "$count" "$idle" "$secret"
    read -r _ _ _ rss conversation socket <"$folder/figures"
    end
    rm -rf "$folder/data"
    awk -v n="$count" -v a="$floor" -v b="$socket" -v ra="$floor_rss" -v rb="$rss" -v c="$conversation" 'BEGIN {
        printf "| %d | %d | %d | %.2f | %.1f | %.1f | %d |\n", n, a, b, b / a, ra / 1024, rb / 1024, c
    }'
done
