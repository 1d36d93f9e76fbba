#!/bin/sh
# What the public image's entry point does with the variables that docker-compose.yml sets.
set -eu
PGDATA=/var/lib/postgresql/data
export PGDATA
if [ "$(id -u)" = 0 ]; then
    chown postgres:postgres "$PGDATA" /var/run/postgresql
    chmod 700 "$PGDATA"
    exec setpriv --reuid postgres --regid postgres --init-groups "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    (umask 077 && printf '%s\n' "$POSTGRES_PASSWORD" >/tmp/password)
    # shellcheck disable=SC2086 (a list of options)
    initdb --username "$POSTGRES_USER" --pwfile /tmp/password $POSTGRES_INITDB_ARGS
    rm /tmp/password
    echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
    pg_ctl start --wait --options "-c listen_addresses=''"
    createdb --username "$POSTGRES_USER" "$POSTGRES_DB"
    pg_ctl stop --wait --mode fast
fi
exec "$@"
