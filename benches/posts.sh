#!/usr/bin/env bash
# Durable posts per second of the Direct Line channel over HTTP, against what SQLite itself appends with the same bytes on
# the same disk, and against the npm package offline-directline, which keeps everything in memory. In turns, on this
# machine.
#
#     benches/posts.sh [ROUNDS] [SECONDS] [CONNECTIONS ...]        default 3 rounds of 4 s each, 1 16 64 256 connections
#
# Needs wrk (Debian package `wrk`), curl, Node.js 20 and npm, 2 GB on the disk of `target/`, and Linux. Messages of 1.2 kB
# go to 200 conversations in turn, each with its own token. citewire answers when a post is on the disk, and has no bot
# behind it; offline-directline answers when its bot has, which here says 200 at once, in a process of its own. The floor
# (`examples/group_commit`) appends as many rows in a transaction as citewire did just before, on the average. Prints
# medians: a row for each number of connections. Ends with an error when any answer is not 2xx, or when fewer posts are in the store than were
# answered.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
rounds=${1:-3} seconds=${2:-4}
shift $(($# < 2 ? $# : 2))
connections=("$@")
[ $# -gt 0 ] || connections=(1 16 64 256)
conversations=200
for needed in wrk curl node npm; do
    command -v "$needed" >/dev/null || { echo "$needed is missing; on Debian: apt-get install wrk curl nodejs npm" >&2; exit 1; }
done

cargo build --release --quiet --package citewire --bin citewire --package citewire-store --example group_commit
peer=benches/offline-directline
[ "$peer/node_modules/.package-lock.json" -nt "$peer/package-lock.json" ] ||
    (cd "$peer" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --no-update-notifier)

. benches/servers.sh posts
. benches/posting.sh

target/release/citewire serve --bind 127.0.0.1:0 2>"$folder/citewire.log" &
pids+=($!)
node "$peer/bot.mjs" >"$folder/bot.log" &
pids+=($!)
bot=$(address "$folder/bot.log")
node "$peer/server.mjs" "$bot" >"$folder/peer.log" &
pids+=($!)
citewire=$(address "$folder/citewire.log")
offline=$(address "$folder/peer.log")

start "$citewire/v3/directline" "$folder/citewire.started" "$conversations"
start "$offline/directline" "$folder/offline.started" "$conversations"

floor() {
    mkdir "$folder/floor"
    target/release/examples/group_commit "$folder/data/citewire.db" "$folder/floor" "$1" "$seconds" >"$folder/floor.figures"
    rm -rf "$folder/floor"
    cat "$folder/floor.figures"
}
# How many transactions there were since the store was opened: SQLite counts them in the header of its shared memory.
transactions() { od -An -tu4 -j8 -N4 "$folder/data/citewire.db-shm" | tr -d ' '; }
# One post, so that the floor knows what is stored.
post_once "$citewire/v3/directline" "$folder/citewire.started"
echo "posts of $(wc -c <"$folder/activity.json") bytes, medians of $rounds rounds of $seconds s"
echo "| connections | posts in a transaction | floor, appends/s | citewire, posts/s | of the floor | p50, ms | p99, ms |" \
    "offline-directline, posts/s | times | p50, ms | p99, ms |"
echo "|---|---|---|---|---|---|---|---|---|---|---|"
answered=0
for count in "${connections[@]}"; do
    for _ in $(seq "$rounds"); do
        before=$(transactions)
        post "$count" "$citewire/v3/directline" "$folder/citewire.started" "$seconds" >>"$folder/citewire.$count"
        behind=$(transactions)
        group=$(tail -n1 "$folder/citewire.$count" | awk -v n=$((behind - before)) '{printf "%d", $4 / n + 0.5}')
        echo "$group" >>"$folder/group.$count"
        floor "$group" >>"$folder/floor.$count"
        post "$count" "$offline/directline" "$folder/offline.started" "$seconds" >>"$folder/offline.$count"
    done
    answered=$((answered + $(awk '{sum += $4} END {print sum}' "$folder/citewire.$count")))
    awk -v n="$count" -v group="$(median 1 "$folder/group.$count")" -v floor="$(median 1 "$folder/floor.$count")" \
        -v a="$(median 1 "$folder/citewire.$count")" -v a50="$(median 2 "$folder/citewire.$count")" \
        -v a99="$(median 3 "$folder/citewire.$count")" -v b="$(median 1 "$folder/offline.$count")" \
        -v b50="$(median 2 "$folder/offline.$count")" -v b99="$(median 3 "$folder/offline.$count")" 'BEGIN {
            printf "| %d | %d | %d | %d | %.0f %% | %.2f | %.2f | %d | %.1f | %.2f | %.2f |\n",
                n, group, floor, a, 100 * a / floor, a50 / 1000, a99 / 1000, b, a / b, b50 / 1000, b99 / 1000
        }'
done

stored=$(target/release/citewire store info | awk '$1 == "activities" {gsub(",", ""); print $2}')
echo "$answered posts were answered by citewire, all with 2xx; $stored are stored," \
    "$(awk 'END {print $2}' "$folder/floor.${connections[0]}") bytes each"
if [ "$stored" -lt "$answered" ]; then
    echo "posts that were answered are not in the store" >&2
    exit 1
fi
