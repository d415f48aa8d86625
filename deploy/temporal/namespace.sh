#!/bin/sh
# Registers the namespace TEMPORAL_NAMESPACE at TEMPORAL_ADDRESS, once the server answers; safe to
# repeat.
set -eu
tool="${TEMPORAL_TOOL:-temporal}"

tries=60
until "$tool" operator cluster health >/dev/null 2>&1; do
  tries=$((tries - 1))
  if [ "$tries" -eq 0 ]; then
    echo "Temporal at $TEMPORAL_ADDRESS does not answer" >&2
    exit 1
  fi
  sleep 1
done
"$tool" operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
  "$tool" operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention 30d
