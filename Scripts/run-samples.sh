#!/usr/bin/env bash
# Runs each sample as Samples/README.md says, and compares its output with the expected one. Scripts/build-package.sh Samples
# has built them.
set -euo pipefail
cd "$(dirname "$0")/.."
expected=Samples/Tests/OutputTests/Expected
for file in "$expected"/*.txt; do
    sample=$(basename "$file" .txt)
    swift run --package-path Samples --scratch-path .build --skip-build "$sample" 2>/dev/null | diff -u "$file" - || {
        echo "error: the sample $sample prints something else; swift run --package-path Samples $sample says why" >&2
        exit 1
    }
    echo "$sample: as expected"
done
