#!/bin/sh
# Starts one of two PostgreSQL servers, each of which is the other one's synchronous standby. A server without data copies the other
# one as soon as that is the primary; only db-a begins alone, where neither has any. The data of the other one is in /peer, read-only.
set -eu

export PGPASSWORD="$POSTGRES_PASSWORD"

peer_is_primary() {
    question='SELECT NOT pg_is_in_recovery()'
    [ "$(psql --host "$PEER" --username postgres --no-align --tuples-only --command "$question" 2>/dev/null)" = t ]
}

# Each promotion begins a new one.
timeline() {
    pg_controldata "$1" | sed -n "s/^Latest checkpoint's TimeLineID: *//p"
}

if [ -s "$PGDATA/PG_VERSION" ]; then
    if [ ! -e "$PGDATA/standby.signal" ] && [ -s "$PEER_DATA/PG_VERSION" ] &&
        [ "$(timeline "$PEER_DATA")" -gt "$(timeline "$PGDATA")" ]; then
        echo "$PEER was promoted: remove the volume of $NAME, so that it starts as the standby" >&2
        exit 1
    fi
elif [ "$NAME" != db-a ] || [ -s "$PEER_DATA/PG_VERSION" ]; then
    until peer_is_primary; do
        sleep 1
    done
    pg_basebackup --pgdata "$PGDATA" --checkpoint fast --wal-method stream --write-recovery-conf \
        --dbname "host=$PEER user=postgres application_name=$NAME"
fi
# What a standby misses while it is copied, and for some time while it is away, is kept for it.
exec docker-entrypoint.sh postgres -c wal_keep_size=1GB
