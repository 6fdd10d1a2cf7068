#!/bin/sh
# Formats all Swift files of the project, or with --lint says which are not formatted. Files that modelc generated, also of
# end-to-end cases, are as modelc writes them and are left alone.
set -eu
cd "$(dirname "$0")/.."
mode="format --in-place"
[ "${1:-}" = "--lint" ] && mode="lint --strict"
find Package.swift Plugins Samples Sources Studio Tests -name '*.swift' -not -path '*/.build*' -not -path '*/Cases/*' \
    -not -path '*/Integration/Package/*' -not -path '*/Ports/*' \
    -not -name '*+CoreData[CMP]*.swift' -print0 |
    xargs -0 swift format $mode --parallel
