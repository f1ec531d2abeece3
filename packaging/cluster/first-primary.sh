#!/bin/sh
# Runs when the first primary is made, before it can be reached: the database of citewire, and the standby that commits wait for.
set -eu

psql --username "$POSTGRES_USER" --set ON_ERROR_STOP=1 --set password="$CITEWIRE_DB_PASSWORD" <<'SQL'
CREATE ROLE citewire LOGIN PASSWORD :'password';
CREATE DATABASE citewire OWNER citewire ENCODING 'UTF8' TEMPLATE template0;
ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 ("db-a", "db-b")';
SQL
echo 'host replication postgres samenet scram-sha-256' >> "$PGDATA/pg_hba.conf"
