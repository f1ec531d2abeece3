# shellcheck shell=bash disable=SC2154
# A PostgreSQL server of its own for a load script that reads this file behind `servers.sh`: with the settings that initdb makes, so
# that each commit is on the disk, on 127.0.0.1. It ends with the script.
#
#     . benches/postgres.sh        sets $postgres, the process id, and $postgres_port

# A free port.
free_port() {
    local port
    while true; do
        port=$((20000 + RANDOM % 12000))
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    done
    echo "$port"
}

# Debian keeps the programs of each version apart.
programs=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n1)
[ -x "$programs/initdb" ] || programs=$(dirname "$(command -v initdb || true)")
[ -x "$programs/pgbench" ] || { echo "PostgreSQL or its pgbench is missing; on Debian: apt-get install postgresql" >&2; exit 1; }
# Root may not run it.
as=()
mkdir "$folder/postgres"
if [ "$(id -u)" -eq 0 ]; then
    as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
    chmod 711 "$folder"
    chown postgres: "$folder/postgres"
    "${as[@]}" test -x "$folder" || { echo "the user postgres may not enter $PWD/$folder" >&2; exit 1; }
fi
"${as[@]}" "$programs/initdb" --auth=trust --username=citewire --encoding=UTF8 --locale=C --pgdata "$folder/postgres/data" >"$folder/initdb.log"
postgres_port=$(free_port)
"${as[@]}" "$programs/postgres" -D "$folder/postgres/data" -p "$postgres_port" -c listen_addresses=127.0.0.1 \
    -c unix_socket_directories= -c max_connections=200 -c shared_preload_libraries=pg_stat_statements \
    -c pg_stat_statements.track=none 2>"$folder/postgres.log" &
postgres=$!
pids+=("$postgres")
for _ in $(seq 100); do
    if "$programs/pg_isready" -q -h 127.0.0.1 -p "$postgres_port"; then break; fi
    sleep 0.1
done
kill -0 "$postgres" || { cat "$folder/postgres.log" >&2; exit 1; }

# Runs a statement in a database.
sql() { "$programs/psql" -XqAt -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$postgres_port" -U citewire -d "$1" -c "$2"; }

# Where citewire finds a database.
database() { echo "postgres://citewire@127.0.0.1:$postgres_port/$1?sslmode=disable"; }

# CPU seconds so far of processes and their children, those that have ended included.
cpu() {
    local pid child
    for pid in "$@"; do
        cat "/proc/$pid/stat"
        xargs -n1 <"/proc/$pid/task/$pid/children" | while read -r child; do cat "/proc/$child/stat" 2>/dev/null || true; done
    done | sed 's/ (.*) / /' | awk -v each="$(getconf CLK_TCK)" '{ sum += $13 + $14 + $15 + $16 } END { print sum / each }'
}
