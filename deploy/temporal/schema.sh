#!/bin/sh
# Creates or brings up to date the two databases of Temporal's production server; safe to repeat.
# Reads SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD, as temporal-sql-tool does.
set -eu
export SQL_PLUGIN=postgres12_pgx
tool="${TEMPORAL_SQL_TOOL:-temporal-sql-tool}"

for schema in temporal visibility; do
  database=temporal
  [ "$schema" = visibility ] && database=temporal_visibility
  # Fails when the database is there; when it is not there afterwards, the next line says so.
  "$tool" --quiet --database "$database" create-database || true
  "$tool" --database "$database" setup-schema --version 0.0
  "$tool" --database "$database" update-schema --schema-name "postgresql/v12/$schema"
done
