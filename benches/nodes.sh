#!/usr/bin/env bash
# citewire on PostgreSQL, with one node and with several, each figure against a floor or another way of running it. On this machine.
#
#     benches/nodes.sh [all|posts|spread|rings|pieces|idle|restart] [ROUNDS] [SECONDS]        default all, 3 rounds of 4 s each
#
# Needs wrk, curl, PostgreSQL with pgbench, redis-server, nginx, 4 GB on the disk of `target/`, and Linux.
# PostgreSQL is one of its own, with the settings of initdb: commits are on the disk before they are answered. Each part has a
# database of its own. Nodes, PostgreSQL and clients share the cores of this machine.
#
# posts:   posts of 1.2 kB by 64 connections to 200 conversations, on PostgreSQL and on SQLite, in turns. The floor is pgbench: 64
#          connections that write the same rows into the same tables, a post in a transaction, and one that writes as many posts
#          in a transaction as the node did just before, on the average. Medians.
# spread:  the same connections to one node and to three. Behind a proxy that hashes by conversation each node has conversations of
#          its own; "mixed" is three nodes that post to all conversations. CPU is of all nodes and of PostgreSQL, database time is
#          what PostgreSQL's sessions were busy, waiting for the disk and for locks included; all in microseconds a post. Medians.
# rings:   from the answer to a post until the frame is at a socket of the node that took it, and of another one; 200 posts a second
#          to 100 conversations.
# pieces:  100 livestreams, from the piece to the readers on the node that writes and on another one, over Redis. Nodes of this
#          part have their store in memory.
# idle:    statements of a node that has nothing to do, by pg_stat_statements, for 20 s.
# restart: 200 conversations with a socket each behind nginx, as packaging/cluster has it; 50 posts a second, while each of three
#          nodes is ended by SIGTERM and started again. Clients come back after 3 to 15 s, as directlinejs does.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
what=${1:-all} rounds=${2:-3} seconds=${3:-4}
connections=64
conversations=200
PATH=$PATH:/usr/sbin
for needed in wrk curl redis-server nginx; do
    command -v "$needed" >/dev/null || { echo "$needed is missing; on Debian: apt-get install wrk curl redis-server nginx" >&2; exit 1; }
done

cargo build --release --quiet --bin citewire --example sockets --example bus_latency
. benches/servers.sh nodes
. benches/postgres.sh
. benches/posting.sh
export CITEWIRE_PUBLIC_URL=http://127.0.0.1 CITEWIRE_DRAIN_SECONDS=0

# Starts a node: its name, its store, its address. Where it listens is in $folder/NAME.log.
serve() {
    : >"$folder/$1.log"
    CITEWIRE_DATA_DIR=$folder/$1 CITEWIRE_STORE_URL=$2 target/release/citewire serve --bind "${3:-127.0.0.1:0}" 2>"$folder/$1.log" &
    pids+=($!)
}
# Ends as many of the processes that were started last.
end() {
    local last=("${pids[@]: -$1}")
    kill "${last[@]}"
    wait "${last[@]}" || true
    pids=("${pids[@]:0:${#pids[@]}-$1}")
}
# Runs the client of sockets, five minutes at most, where Ctrl-C finds it.
client() {
    timeout 300 target/release/examples/sockets "$@" >"$folder/figures" &
    pids+=($!)
    wait "${pids[-1]}"
    unset 'pids[-1]'
}
metric() { curl -sSf "$1/metrics" | awk -v name="$2" '$1 == name { print $2 }'; }

posts() {
    local postgres_node sqlite_node before behind group stored answered
    sql postgres "CREATE DATABASE posts"
    serve posts "$(database posts)"
    postgres_node=$(address "$folder/posts.log")
    serve sqlite sqlite:
    sqlite_node=$(address "$folder/sqlite.log")
    start "$postgres_node/v3/directline" "$folder/posts.started" "$conversations"
    start "$sqlite_node/v3/directline" "$folder/sqlite.started" "$conversations"
    post_once "$postgres_node/v3/directline" "$folder/posts.started"
    prepare_floor
    for _ in $(seq "$rounds"); do
        sql postgres CHECKPOINT
        before=$(groups "$postgres_node")
        post "$connections" "$postgres_node/v3/directline" "$folder/posts.started" "$seconds" >>"$folder/posts.figures"
        behind=$(groups "$postgres_node")
        group=$(awk -v before="$before" -v behind="$behind" 'BEGIN {
            split(before, b); split(behind, a); printf "%.0f", (a[1] - b[1]) / (a[2] - b[2]) }')
        echo "$group" >>"$folder/group.figures"
        sql postgres CHECKPOINT
        floor "$connections" 1 >>"$folder/floor.figures"
        sql postgres CHECKPOINT
        floor 1 "$group" >>"$folder/grouped.figures"
        post "$connections" "$sqlite_node/v3/directline" "$folder/sqlite.started" "$seconds" >>"$folder/sqlite.figures"
    done
    end 2
    stored=$(sql posts "SELECT count(*) FROM activity")
    answered=$(awk '{ sum += $4 } END { print sum }' "$folder/posts.figures")
    [ "$stored" -ge "$answered" ] || { echo "$answered posts were answered, and $stored are stored" >&2; exit 1; }
    echo
    echo "posts of $(wc -c <"$folder/activity.json") bytes, $connections connections, medians of $rounds rounds of $seconds s"
    echo "| | posts/s | p50, ms | p99, ms | one node is |"
    echo "|---|---|---|---|---|"
    awk -v node="$(median 1 "$folder/posts.figures")" -v node50="$(median 2 "$folder/posts.figures")" \
        -v node99="$(median 3 "$folder/posts.figures")" -v lite="$(median 1 "$folder/sqlite.figures")" \
        -v lite50="$(median 2 "$folder/sqlite.figures")" -v lite99="$(median 3 "$folder/sqlite.figures")" \
        -v floor="$(median 1 "$folder/floor.figures")" -v grouped="$(median 1 "$folder/grouped.figures")" \
        -v group="$(median 1 "$folder/group.figures")" -v connections="$connections" 'BEGIN {
            printf "| one node, PostgreSQL, %d posts in a transaction | %d | %.2f | %.2f | |\n", group, node, node50 / 1000, node99 / 1000
            printf "| pgbench, %d connections, a post in a transaction | %d | | | %.0f %% |\n", connections, floor, 100 * node / floor
            printf "| pgbench, 1 connection, %d posts in a transaction | %d | | | %.0f %% |\n", group, grouped, 100 * node / grouped
            printf "| one node, SQLite | %d | %.2f | %.2f | %.0f %% |\n", lite, lite50 / 1000, lite99 / 1000, 100 * node / lite
        }'
}
# How many changes a node has committed, in how many transactions.
groups() {
    echo "$(metric "$1" citewire_store_changes_total) $(metric "$1" 'citewire_store_group_duration_seconds_count{outcome="committed"}')"
}
# The tables of citewire, empty but for conversations, of which each client of pgbench has its own, and what it does.
prepare_floor() {
    local length
    length=$(sql posts "SELECT length(id) FROM conversation LIMIT 1")
    sql postgres "CREATE DATABASE floor"
    CITEWIRE_STORE_URL=$(database floor) target/release/citewire store migrate >/dev/null 2>"$folder/migrate.log"
    sql floor "INSERT INTO conversation (key, id, created) SELECT n, lpad(n::text, $length, '0'), now() FROM generate_series(1, 2048) n"
    sql floor "INSERT INTO head (conversation, next, active, bytes) SELECT key, 0, created, 0 FROM conversation"
    sql floor ANALYZE
    cat >"$folder/floor.sql" <<'SQL'
\set first 1 + (:client_id * 3 + random(0, 2)) * :posts
\set last :first + :posts - 1
BEGIN;
SELECT c.id, c.key, c."user", h.next, h.newest, h.bytes FROM conversation c JOIN head h ON h.conversation = c.key WHERE h.conversation BETWEEN :first AND :last ORDER BY h.conversation FOR NO KEY UPDATE OF h;
WITH grown AS (UPDATE head SET next = next + 1, newest = now(), active = now(), bytes = bytes + length(:body) WHERE conversation BETWEEN :first AND :last RETURNING conversation, next) INSERT INTO activity (conversation, place, at, body) SELECT conversation, next - 1, now(), :body FROM grown;
COMMIT;
SQL
}
# Posts per second that pgbench writes, by the number of connections and of posts in a transaction.
floor() {
    "$programs/pgbench" -n -M prepared -c "$1" -j 2 -T "$seconds" -f "$folder/floor.sql" -D posts="$2" \
        -D body="$(sql posts 'SELECT body FROM activity LIMIT 1')" -h 127.0.0.1 -p "$postgres_port" -U citewire floor \
        >"$folder/pgbench.log" 2>&1 || { cat "$folder/pgbench.log" >&2; exit 1; }
    awk -v posts="$2" '/^tps/ { print $3 * posts }' "$folder/pgbench.log"
}

spread() {
    sql postgres "CREATE DATABASE spread"
    serve spread "$(database spread)"
    start "$(address "$folder/spread.log")/v3/directline" "$folder/spread.started" "$conversations"
    end 1
    local part kind
    for part in 0 1 2; do
        awk -v part="$part" 'NR % 3 == part' "$folder/spread.started" >"$folder/own.$part"
        # Not all of them begin with the same conversation.
        tail -n +$((1 + part * conversations / 3)) "$folder/spread.started" >"$folder/all.$part"
        head -n $((part * conversations / 3)) "$folder/spread.started" >>"$folder/all.$part"
    done
    for _ in $(seq "$rounds"); do
        spread_once one 1 own
        spread_once three 3 own
        spread_once mixed 3 all
    done
    echo
    echo "posts by $connections connections over three clients, medians of $rounds rounds of $seconds s"
    echo "| | posts/s | posts in a transaction | CPU of nodes, µs | CPU of PostgreSQL, µs | database time, µs | posts/s, of one node's | CPU | database time |"
    echo "|---|---|---|---|---|---|---|---|---|"
    for kind in one three mixed; do
        awk -v kind="$kind" -v one="$(medians one)" -v it="$(medians "$kind")" 'BEGIN {
            split(one, a); split(it, b)
            name["one"] = "one node"; name["three"] = "three nodes"; name["mixed"] = "three nodes, mixed"
            printf "| %s | %d | %.1f | %.0f | %.0f | %.0f | %.2f | %.2f | %.2f |\n", name[kind], b[1], b[5], b[2], b[3], b[4],
                b[1] / a[1], (b[2] + b[3]) / (a[2] + a[3]), b[4] / a[4] }'
    done
}
medians() { for column in 1 2 3 4 5; do median "$column" "$folder/$1.spread"; done | tr '\n' ' '; }
# Posts to this many new nodes at once, after a second in which they get warm: posts/s; for a post CPU of nodes, CPU of PostgreSQL and
# the time of its sessions; posts in a transaction.
spread_once() {
    local part nodes=() urls=() before cpus busy
    sql postgres CHECKPOINT
    busy=$(busy)
    for part in $(seq "$2"); do
        serve "spread.$part" "$(database spread)"
        nodes+=("${pids[-1]}")
        urls+=("$(address "$folder/spread.$part.log")/v3/directline")
    done
    post_from_three "$3" 1 >"$folder/warm.figures"
    before="$(cpu "${nodes[@]}") $(cpu "$postgres")"
    post_from_three "$3" "$seconds" >"$folder/spread.figures"
    cpus="$(cpu "${nodes[@]}") $(cpu "$postgres")"
    for part in "${urls[@]}"; do groups "${part%/v3/directline}"; done >"$folder/groups"
    end "$2"
    # A session has counted its time when it is gone.
    while [ "$(sql postgres "SELECT count(*) FROM pg_stat_activity WHERE datname = 'spread' AND backend_type = 'client backend'")" -gt 0 ]; do
        sleep 0.1
    done
    awk -v before="$before" -v cpus="$cpus" -v busy="$busy" -v then="$(busy)" '
        FILENAME ~ /groups/ { changes += $1; groups += $2; next }
        FILENAME ~ /warm/ { warm += $4; next }
        { rate += $1; posts += $4 }
        END {
            split(before, b); split(cpus, a)
            print rate, (a[1] - b[1]) / posts * 1e6, (a[2] - b[2]) / posts * 1e6, (then - busy) / (warm + posts) * 1e3,
                changes / groups
        }' "$folder/groups" "$folder/warm.figures" "$folder/spread.figures" >>"$folder/$1.spread"
}
# Three clients post to the nodes in $urls, each to conversations of its own or to all.
post_from_three() {
    local part clients=()
    for part in 0 1 2; do
        post $((connections / 3 + (part == 0))) "${urls[part % ${#urls[@]}]}" "$folder/$1.$part" "$2" >"$folder/client.$part" &
        clients+=($!)
    done
    for part in "${clients[@]}"; do wait "$part"; done
    cat "$folder"/client.[012]
}
# Milliseconds for which the sessions of this part's database have been busy.
busy() { sql postgres "SELECT active_time FROM pg_stat_database WHERE datname = 'spread'"; }

rings() {
    sql postgres "CREATE DATABASE rings"
    serve rings.a "$(database rings)"
    serve rings.b "$(database rings)"
    client rings "$(address "$folder/rings.a.log")" "$(address "$folder/rings.b.log")" 100 $((200 * seconds * rounds)) 200 "$secret"
    end 2
    echo
    echo "200 posts a second on node A to 100 conversations, with a socket of each on both nodes"
    echo "| | posts | p50, ms | p99, ms |"
    echo "|---|---|---|---|"
    awk '{
        printf "| answer of A | %d | %.2f | %.2f |\n", $1, $2 / 1000, $3 / 1000
        printf "| from the answer to the frame on A | %d | %.2f | %.2f |\n", $1, $4 / 1000, $5 / 1000
        printf "| from the answer to the frame on B | %d | %.2f | %.2f |\n", $1, $6 / 1000, $7 / 1000
    }' "$folder/figures"
}

pieces() {
    local port
    port=$(free_port)
    redis-server --port "$port" --bind 127.0.0.1 --save '' --dir "$folder" >"$folder/redis.log" &
    pids+=($!)
    until grep -q 'Ready to accept connections' "$folder/redis.log"; do
        kill -0 "${pids[-1]}" || { cat "$folder/redis.log" >&2; exit 1; }
        sleep 0.1
    done
    timeout 120 target/release/examples/bus_latency "redis://127.0.0.1:$port" >"$folder/pieces"
    end 1
    echo
    echo "100 livestreams at once, an update each 110 ms"
    cat "$folder/pieces"
    awk -F'|' '/node that writes/ { here = $5 } /on the other node/ { printf "p99 on the other node is %.2f ms beyond that on the node that writes\n", $5 - here }' "$folder/pieces"
}

idle() {
    sql postgres "CREATE DATABASE idle"
    sql postgres "ALTER DATABASE idle SET pg_stat_statements.track = 'all'"
    sql postgres "CREATE EXTENSION pg_stat_statements"
    serve idle "$(database idle)"
    address "$folder/idle.log" >/dev/null
    sleep 5
    sql postgres "SELECT pg_stat_statements_reset()" >/dev/null
    sleep 20
    sql postgres "SELECT calls, left(regexp_replace(query, '\s+', ' ', 'g'), 90) FROM pg_stat_statements
        JOIN pg_database d ON d.oid = dbid WHERE datname = 'idle' ORDER BY calls DESC, query" >"$folder/idle"
    end 1
    echo
    echo "a node with nothing to do, for 20 s"
    echo "| statement | a second |"
    echo "|---|---|"
    awk -F'|' '{ sum += $1; printf "| %s | %.2f |\n", $2, $1 / 20 } END { printf "| all | %.2f |\n", sum / 20 }' "$folder/idle"
}

restart() {
    local part first=${#pids[@]} hosts=() server
    sql postgres "CREATE DATABASE restart"
    export CITEWIRE_DRAIN_SECONDS=5
    for part in 0 1 2; do
        serve "restart.$part" "$(database restart)"
        hosts+=("$(address "$folder/restart.$part.log" | cut -d/ -f3)")
    done
    server=127.0.0.1:$(free_port)
    configure_nginx "$server" "${hosts[@]}" >"$folder/nginx.conf"
    nginx -e "$PWD/$folder/nginx.error" -c "$PWD/$folder/nginx.conf" &
    pids+=($!)
    until curl -s "http://$server/healthz" >"$folder/healthz"; do
        kill -0 "${pids[-1]}" || { cat "$folder/nginx.error" >&2; exit 1; }
        sleep 0.1
    done
    timeout 300 target/release/examples/sockets restart "http://$server" "$conversations" 50 85 "$secret" >"$folder/figures" &
    pids+=($!)
    for part in 0 1 2; do
        sleep 15
        kill "${pids[first + part]}"
        wait "${pids[first + part]}" || true
        serve "restart.$part" "$(database restart)" "${hosts[part]}"
        # It takes the place of the one before.
        pids[first + part]=${pids[-1]}
        unset 'pids[-1]'
        address "$folder/restart.$part.log" >/dev/null
    done
    wait "${pids[-1]}"
    unset 'pids[-1]'
    end 4
    export CITEWIRE_DRAIN_SECONDS=0
    echo
    echo "three nodes behind nginx, restarted in turn"
    echo "| posts | refused | frames lost | doubled | sockets closed | back after: p50, s | longest, s |"
    echo "|---|---|---|---|---|---|---|"
    awk '{ printf "| %d | %d | %d | %d | %d | %.1f | %.1f |\n", $1, $2, $3, $4, $5, $6 / 1000, $7 / 1000 }' "$folder/figures"
}
# The configuration that packages have, for an address and three nodes, with all files in $folder.
configure_nginx() {
    local kind
    echo "daemon off; error_log $PWD/$folder/nginx.error; pid $PWD/$folder/nginx.pid;"
    echo "events { worker_connections 4096; } http {"
    for kind in client_body proxy fastcgi uwsgi scgi; do echo "${kind}_temp_path $PWD/$folder/nginx.$kind;"; done
    sed -e "s/citewire-1:3978/$2/; s/citewire-2:3978/$3/; s/citewire-3:3978/$4/" \
        -e "s/listen 80;/listen $1;/; s#/dev/stdout#$PWD/$folder/nginx.log#" packaging/cluster/nginx.conf
    echo "}"
}

case $what in
all) for part in posts spread rings pieces idle restart; do "$part"; done ;;
posts | spread | rings | pieces | idle | restart) "$what" ;;
*) echo "$what is none of all, posts, spread, rings, pieces, idle, restart" >&2; exit 1 ;;
esac
