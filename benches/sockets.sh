#!/usr/bin/env bash
# Memory of idle WebSockets: the streams of the Direct Line channel, each of a conversation of its own, against a bare
# actix-ws server that sends back what it gets. One after the other, on this machine.
#
#     benches/sockets.sh [SECONDS] [SOCKETS ...]        default 20 s of idleness, 1000 10000 sockets
#
# Needs Linux (it reads /proc), and as many open files for each process as there are sockets, and 500 more. Two workers
# and mimalloc in both. Memory a socket is what the server's RSS (VmRSS) grows by from 100 open sockets to this many more,
# all of which have got a first frame of some 350 bytes and have then been left alone; with 20 s that includes a frame
# that keeps each alive. What starting the conversations takes is shown by itself. Every figure is of new processes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
idle=${1:-20}
shift $(($# < 1 ? $# : 1))
counts=("$@")
[ $# -gt 0 ] || counts=(1000 10000)

cargo build --release --quiet --bin citewire --example echo --example sockets
. benches/servers.sh sockets
for count in "${counts[@]}"; do allow_sockets "$count"; done
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
