#!/usr/bin/env bash
# Builds another package of the repository in the build folder of the root package, so that the modules that they share are compiled once.
#
# usage: Scripts/build-package.sh FOLDER [ARGUMENT OF swift build...]
set -euo pipefail
cd "$(dirname "$0")/.."
Scripts/build_folder.py .build
swift build --package-path "$1" --scratch-path .build "${@:2}"
