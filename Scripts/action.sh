#!/usr/bin/env bash
# The steps of action.yml. Inputs come from the environment, so that nothing in them is run by the shell.
#
# usage: Scripts/action.sh install|check|format
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Paths are separated by spaces and line breaks; patterns in them are not expanded. read fails at the end of the text.
set -f
read -r -d '' -a paths <<<"${MODELC_PATHS:-}" || true
[ ${#paths[@]} -gt 0 ] || paths=(.)

install() {
    local folder=${RUNNER_TEMP:?}/modelc
    mkdir -p "$folder/bin"
    if [ -n "${MODELC_ARCHIVE:-}" ]; then
        local archive=$MODELC_ARCHIVE
        case $archive in
        https://*)
            [ -n "${MODELC_ARCHIVE_SHA256:-}" ] || { echo "::error::archive-sha256 is required for a URL"; exit 2; }
            curl --fail --silent --show-error --location --output "$folder/modelc.tar.gz" "$archive"
            archive=$folder/modelc.tar.gz
            ;;
        *://*) echo "::error::archive has to be a path or an https URL"; exit 2 ;;
        esac
        if [ -n "${MODELC_ARCHIVE_SHA256:-}" ]; then
            local verify=(sha256sum)
            command -v sha256sum >/dev/null || verify=(shasum -a 256)
            echo "$MODELC_ARCHIVE_SHA256  $archive" | "${verify[@]}" -c -
        fi
        tar -xzf "$archive" --strip-components=1 -C "$folder"
    else
        if [ "$(uname -s)" = Linux ]; then
            # A container's user is root, and has no sudo.
            local as_root=()
            [ "$(id -u)" = 0 ] || as_root=(sudo)
            ${as_root[@]+"${as_root[@]}"} apt-get update -qq
            ${as_root[@]+"${as_root[@]}"} apt-get install -y -qq libxml2-dev libsqlite3-dev zlib1g-dev
        fi
        swift build -c release --product modelc --package-path "$root" --scratch-path "$folder/build"
        cp "$(swift build -c release --package-path "$root" --scratch-path "$folder/build" --show-bin-path)/modelc" "$folder/bin"
    fi
    echo "$folder/bin" >>"${GITHUB_PATH:?}"
    "$folder/bin/modelc" --version
}

check() {
    # The layout has a step of its own, which fails.
    local options=(--without format --reporter github)
    [ -z "${MODELC_SARIF:-}" ] || options+=(--reporter "sarif=$MODELC_SARIF")
    [ -z "${MODELC_AGAINST:-}" ] || options+=("--against=$MODELC_AGAINST")
    modelc check "${options[@]}" -- "${paths[@]}"
}

# A repository or paths with Swift sources only have no models to lay out.
format() {
    local code=0 errors=${RUNNER_TEMP:?}/modelc-format
    modelc format --check -- "${paths[@]}" 2>"$errors" || code=$?
    if [ $code -eq 2 ] && grep -q '\[no-models\]$' "$errors"; then return; fi
    cat "$errors" >&2
    return $code
}

case ${1:-} in
install | check | format) "$1" ;;
*) sed -n '4s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
