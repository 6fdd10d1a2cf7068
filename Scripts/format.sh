#!/bin/sh
# Formats all Swift files of the project, or with --lint says which are not formatted. Files that modelc generated, also of
# end-to-end cases, are as modelc writes them and are left alone.
set -eu
cd "$(dirname "$0")/.."
case "$*" in
"") mode="format --in-place" ;;
--lint) mode="lint --strict" ;;
*)
    echo "usage: Scripts/format.sh [--lint]" >&2
    exit 64
    ;;
esac
find Package.swift Plugins Samples Sources Studio Tests -name '*.swift' -not -path '*/.build*' -not -path '*/Cases/*' \
    -not -path '*/Integration/Package/*' -not -path '*/Ports/*' \
    -not -name '*+CoreData[CMP]*.swift' -print0 |
    xargs -0 swift format $mode --parallel
