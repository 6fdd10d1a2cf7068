#!/usr/bin/env bash
# modelc: pre-commit hook. Lints and format-checks the models that a commit changes, as they are staged.
#
# git runs it without arguments; the pre-commit framework names the changed files. The models are checked in a temporary
# folder, with the settings of .modelc.yml, so that what is only in the work tree has no influence.
set -euo pipefail
command -v modelc >/dev/null || { echo "error: modelc is not in PATH" >&2; exit 1; }
cd "$(git rev-parse --show-toplevel)"
export GIT_LITERAL_PATHSPECS=1

# The models around the changed files, each once.
models=()
while IFS= read -r -d '' file; do
    case $file in
    *.xcdatamodeld/*) model=${file%%.xcdatamodeld/*}.xcdatamodeld ;;
    *.xcdatamodel/*) model=${file%%.xcdatamodel/*}.xcdatamodel ;;
    *) continue ;;
    esac
    for known in ${models[@]+"${models[@]}"}; do [ "$known" != "$model" ] || continue 2; done
    models+=("$model")
done < <(if [ $# -gt 0 ]; then printf '%s\0' "$@"; else git diff --cached --name-only -z --diff-filter=ACMRD; fi)
[ ${#models[@]} -gt 0 ] || exit 0

temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
# As deep as the repository, so that the settings can name files outside of it.
folder=$temporary$PWD
mkdir -p "$folder"
# Copies the staged files at and below some paths.
copy() { git ls-files -z -- "$@" | git checkout-index --force --quiet -z --stdin --prefix="$folder/"; }

# Prints the values of a key of the settings, one a line: of a list in either form, or one value.
setting() {
    awk -v key="$1:" -v quote="'" '
        function value(text) { gsub("^[ \t\"" quote "]+|[ \t\"" quote "]+$", "", text); if (text != "") print text }
        /^[^ \t#-]/ {
            inside = index($0, key) == 1
            if (!inside) next
            text = substr($0, length(key) + 1); sub(/[ \t]#.*/, "", text); gsub(/[][]/, "", text)
            count = split(text, parts, ","); for (i = 1; i <= count; i++) value(parts[i])
            next
        }
        inside && /^[ \t]*-/ { text = $0; sub(/^[ \t]*-/, "", text); sub(/[ \t]#.*/, "", text); value(text) }
    ' "$folder/.modelc.yml"
}
settings=.modelc.yml
copy "$settings"
# Settings that git does not track are used as they are.
if [ ! -e "$folder/$settings" ] && [ -e "$settings" ]; then cp "$settings" "$folder/$settings"; fi
if [ -e "$folder/$settings" ]; then
    while IFS= read -r path; do
        path=${path#./}
        path=${path%/}
        case $path in
        /*) continue ;;
        ../* | */../* | ..) ;;
        *) copy "$path" ;;
        esac
        # The settings may name files that git does not track.
        if [ ! -e "$folder/$path" ] && [ -e "$path" ]; then
            mkdir -p "$folder/$(dirname "$path")"
            cp -R "$path" "$folder/$path"
        fi
    done < <(setting sources; setting baseline)
    # Only the models that the commit changes are checked.
    find "$temporary" -type d \( -name '*.xcdatamodeld' -o -name '*.xcdatamodel' \) -prune -exec rm -rf {} +
fi
copy "${models[@]}"
# Without models, the commit removes them.
[ -n "$(find "$folder" -type d \( -name '*.xcdatamodeld' -o -name '*.xcdatamodel' \) -print -quit)" ] || exit 0

# Ends the search for settings in the folder, as it does in the repository.
mkdir "$folder/.git"
cd "$folder"
failed=0
# Runs modelc. The folder has models, so that there are none only if the settings exclude them all.
check() {
    local code=0
    modelc "$@" 2>.git/errors || code=$?
    if [ $code -eq 2 ] && grep -q '\[no-models\]$' .git/errors; then return; fi
    cat .git/errors >&2
    [ $code -eq 0 ] || failed=1
}
check lint
check format --check
exit $failed
