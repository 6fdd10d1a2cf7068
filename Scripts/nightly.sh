#!/usr/bin/env bash
# Everything that .ci/run does, with the long forms of its steps and the steps that are too slow for every change: release builds,
# kills and random tests in numbers, sanitizers. Takes hours. Arguments are passed on to Scripts/checks.py.
set -euo pipefail
cd "$(dirname "$0")/.."
export MODELC_NIGHTLY=1 MODELC_FUZZ_SECONDS=${MODELC_FUZZ_SECONDS:-20} MODELC_KILLS=${MODELC_KILLS:-200}
export MODELC_CRASH_POINTS=${MODELC_CRASH_POINTS:-10000} MODELC_STORE_ROUNDS=${MODELC_STORE_ROUNDS:-10000}
# For the steps “cluster” and “bundled-sqlite”.
apt-get update -qq
apt-get install -y -qq patroni python3-etcd etcd-server haproxy tcl >/dev/null
exec .ci/run --nightly "$@"
