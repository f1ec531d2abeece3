#!/usr/bin/env bash
# Activities of Teams that are answered with citations: citewire behind `/api/messages` against a bot of the Agents SDK for
# JavaScript, which a team would write.
#
#     benches/activities.sh [SECONDS] [RATE ...]        default 10 s, 50 200 500 1000 activities a second
#
# Needs Linux, Node.js 20 and npm. Messages of group chats come at a given rate, whether or not the bot keeps up, and each has to be
# answered once, with three citations, by one message. Both bots run without credentials, ask the same back end, which answers
# everything at once with the same recorded answer (1.1 kB of text, five sources), and answer through the same Connector; back end,
# Connector and the poster are one process on the same cores. citewire runs as it does by default, with conversations in SQLite;
# the peer keeps nothing. One after the other, new processes for each row.
#
# "taken" is the time until the bot has acknowledged an activity: citewire at once (202), the SDK when the answer is out (200).
# "answered" is the time until the answer is at the Connector. "a second" is from the first post to the last answer. Memory is
# the most that the process has had. The last columns are the peer's figures over citewire's. A row says so where one did not
# answer everything.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-10}
shift $(($# < 1 ? $# : 1))
rates=("$@")
[ $# -gt 0 ] || rates=(50 200 500 1000)
service=127.0.0.1:3992

cargo build --release --quiet --bin citewire --example activities
peer=benches/bot-peer
[ "$peer/node_modules/.package-lock.json" -nt "$peer/package-lock.json" ] ||
    (cd "$peer" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error --no-update-notifier)
. benches/servers.sh activities

cat >"$folder/citewire.toml" <<TOML
assistant = "load"

[azure_bot]
anonymous = true

[egress]
allow_hosts = "127.0.0.1"

[assistants.load.upstream]
kind = "http"
url = "http://$service/answer"
from = "citewire"
TOML
unset CITEWIRE_ASSISTANT

# Ends the server that was started last.
end() {
    kill "${pids[-1]}"
    wait "${pids[-1]}" || true
    unset 'pids[-1]'
}
# Runs the client against the server that was started last, five minutes at most, where Ctrl-C finds it: its line, or why not.
measure() {
    local server=$1 pid=${pids[-1]}
    timeout 300 target/release/examples/activities "$server" "$service" "$pid" "$2" "$seconds" >"$3" 2>"$folder/errors" &
    pids+=($!)
    if ! wait "${pids[-1]}"; then echo "failed: $(tail -n1 "$folder/errors")" >"$3"; fi
    unset 'pids[-1]'
}

echo "activities of group chats for $seconds s; times in ms, memory in MiB"
echo "| rate | bot | a second | taken: p50 | p99 | answered: p50 | p99 | CPU each | memory |"
echo "|---|---|---|---|---|---|---|---|---|"
row() {
    awk -v rate="$1" -v bot="$2" '
        /^failed/ { printf "| %d | %s | %s |\n", rate, bot, $0; next }
        { printf "| %d | %s | %d | %.2f | %.2f | %.2f | %.2f | %.2f | %.0f |\n", rate, bot, $2, $3, $4, $5, $6, $7, $8 / 1024 }' "$3"
}
for rate in "${rates[@]}"; do
    CITEWIRE_DATA_DIR=$folder/data.$rate target/release/citewire serve --config "$folder/citewire.toml" --bind 127.0.0.1:0 \
        2>"$folder/citewire.log" &
    pids+=($!)
    measure "$(address "$folder/citewire.log")" "$rate" "$folder/citewire.figures"
    end
    node "$peer/server.mjs" "http://$service/answer" >"$folder/peer.log" &
    pids+=($!)
    measure "$(address "$folder/peer.log")" "$rate" "$folder/peer.figures"
    end
    row "$rate" citewire "$folder/citewire.figures"
    row "$rate" "Agents SDK" "$folder/peer.figures"
    if ! grep -q '^failed' "$folder/citewire.figures" "$folder/peer.figures"; then
        paste -d' ' "$folder/citewire.figures" "$folder/peer.figures" | awk -v rate="$rate" '{
            printf "| %d | SDK : citewire | %.2f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n",
                rate, $10 / $2, $11 / $3, $12 / $4, $13 / $5, $14 / $6, $15 / $7, $16 / $8
        }'
    fi
done
