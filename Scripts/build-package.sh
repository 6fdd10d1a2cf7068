#!/usr/bin/env bash
# Builds another package of the repository in the build folder of the root package, so that the modules that they share are compiled once.
#
# usage: Scripts/build-package.sh FOLDER [ARGUMENT OF swift build...]
set -euo pipefail
cd "$(dirname "$0")/.."
# As Scripts/build_plan.py explains.
forget_plan() { rm -f .build/debug.yaml .build/release.yaml; }
trap forget_plan EXIT
forget_plan
swift build --package-path "$1" --scratch-path .build "${@:2}"
