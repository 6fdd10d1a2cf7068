#!/usr/bin/env bash
# modelc: pre-commit hook. Lints and format-checks the models that a commit changes.
#
# git runs it without arguments; the pre-commit framework names the changed files.
set -euo pipefail
command -v modelc >/dev/null || { echo "error: modelc is not in PATH" >&2; exit 1; }

# The models around the changed files, each once.
models=()
while IFS= read -r -d '' file; do
    case $file in
    *.xcdatamodeld/*) model=${file%%.xcdatamodeld/*}.xcdatamodeld ;;
    *.xcdatamodel/*) model=${file%%.xcdatamodel/*}.xcdatamodel ;;
    *) continue ;;
    esac
    [ -d "$model" ] || continue
    for known in ${models[@]+"${models[@]}"}; do [ "$known" != "$model" ] || continue 2; done
    models+=("$model")
done < <(if [ $# -gt 0 ]; then printf '%s\0' "$@"; else git diff --cached --name-only -z --diff-filter=ACMRD; fi)
[ ${#models[@]} -gt 0 ] || exit 0

failed=0
modelc lint -- "${models[@]}" || failed=1
modelc format --check -- "${models[@]}" || failed=1
exit $failed
