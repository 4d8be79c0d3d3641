#!/bin/sh
# The database and its three roles, on a server that was just made: the same that the local stack makes. Run by the
# image of PostgreSQL (deploy/compose.yml), or by hand with the four variables and psql's own.
set -eu
exec psql -X -v ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres \
    -v owner_password="$OWNER_PASSWORD" -v application_password="$APPLICATION_PASSWORD" \
    -v auditor_password="$AUDITOR_PASSWORD" <<'SQL'
CREATE ROLE totalizator LOGIN PASSWORD :'owner_password';
CREATE ROLE totalizator_app LOGIN PASSWORD :'application_password';
CREATE ROLE totalizator_auditor LOGIN PASSWORD :'auditor_password';
ALTER ROLE totalizator_auditor SET default_transaction_read_only = on;
GRANT totalizator_app, totalizator_auditor TO totalizator;
CREATE DATABASE totalizator OWNER totalizator;
REVOKE ALL ON DATABASE totalizator FROM PUBLIC;
GRANT CONNECT ON DATABASE totalizator TO totalizator_app, totalizator_auditor;
SQL
