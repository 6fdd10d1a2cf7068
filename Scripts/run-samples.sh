#!/usr/bin/env bash
# Runs each sample with the command of Samples/README.md, and compares what it prints with what it should.
set -euo pipefail
cd "$(dirname "$0")/.."
expected=Samples/Tests/OutputTests/Expected
for file in "$expected"/*.txt; do
    sample=$(basename "$file" .txt)
    swift run --package-path Samples "$sample" 2>/dev/null | diff -u "$file" - || {
        echo "error: the sample $sample prints something else; swift run --package-path Samples $sample says why" >&2
        exit 1
    }
    echo "$sample: as expected"
done
