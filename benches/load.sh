#!/usr/bin/env bash
# POST /v1/activities against a bare actix handler that answers as many bytes, and against a Node.js server that replaces
# by regular expression, in turns, on this machine.
#
#     benches/load.sh [ROUNDS] [SECONDS]        default 3 rounds of 4 s each
#
# Needs wrk (Debian package `wrk`) and Node.js. One worker each, 32 connections, an answer of 1.5 kB with five sources
# (`benches/load.json`). Prints requests per second and the ratio of the medians.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
rounds=${1:-3} seconds=${2:-4}
command -v wrk >/dev/null || { echo "wrk is missing; on Debian: apt-get install wrk" >&2; exit 1; }

cargo build --release --quiet --bin citewire --example floor
. benches/servers.sh load

CITEWIRE_WORKERS=1 target/release/citewire serve --bind 127.0.0.1:0 2>"$folder/citewire.log" &
pids+=($!)
service=$(address "$folder/citewire.log")
size=$(curl -sf "$service/v1/activities" -H "Authorization: Bearer $key" -H 'Content-Type: application/json' \
    --data-binary @benches/load.json | wc -c)
target/release/examples/floor "$size" >"$folder/floor.log" &
pids+=($!)
floor=$(address "$folder/floor.log")
node benches/regex-server.mjs >"$folder/node.log" &
pids+=($!)
node=$(address "$folder/node.log")

cat >"$folder/post.lua" <<LUA
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer $key"
local file = io.open("benches/load.json", "rb")
wrk.body = file:read("*a")
LUA
rate() { wrk -t1 -c32 -d"$seconds"s -s "$folder/post.lua" "$1" | awk '/Requests\/sec/ {print $2} /Non-2xx/ {print "errors: " $0 > "/dev/stderr"}'; }
median() { sort -n | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'; }

echo "request $(wc -c <benches/load.json) bytes, response $size bytes"
for round in $(seq "$rounds"); do
    rate "$floor/" >>"$folder/floor.rates"
    rate "$service/v1/activities" >>"$folder/service.rates"
    rate "$node/" >>"$folder/node.rates"
    echo "round $round: floor $(tail -n1 "$folder/floor.rates"), citewire $(tail -n1 "$folder/service.rates")," \
        "node $(tail -n1 "$folder/node.rates") requests/s"
done
a=$(median <"$folder/floor.rates") b=$(median <"$folder/service.rates") c=$(median <"$folder/node.rates")
awk -v a="$a" -v b="$b" -v c="$c" 'BEGIN {
    printf "median: floor %.0f, citewire %.0f, node %.0f requests/s\n", a, b, c
    printf "citewire is %.0f %% of the floor and %.1f times node\n", 100 * b / a, b / c
}'
