#!/usr/bin/env bash
# The steps of action.yml. Inputs come from the environment, so that nothing in them is run by the shell.
#
# usage: Scripts/action.sh install|check|format
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Paths are separated by spaces; patterns in them are not expanded.
set -f
read -r -a paths <<<"${MODELC_PATHS:-.}"

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
        esac
        if [ -n "${MODELC_ARCHIVE_SHA256:-}" ]; then
            echo "$MODELC_ARCHIVE_SHA256  $archive" | sha256sum --check --quiet
        fi
        tar -xzf "$archive" --strip-components=1 -C "$folder"
    else
        if [ "$(uname -s)" = Linux ]; then
            sudo apt-get update -qq
            sudo apt-get install -y -qq libxml2-dev libsqlite3-dev zlib1g-dev
        fi
        swift build -c release --product modelc --package-path "$root" --scratch-path "$folder/build"
        cp "$(swift build -c release --package-path "$root" --scratch-path "$folder/build" --show-bin-path)/modelc" "$folder/bin"
    fi
    echo "$folder/bin" >>"${GITHUB_PATH:?}"
    "$folder/bin/modelc" --version
}

check() {
    # The layout has a step of its own.
    local options=(--without format --reporter github)
    [ -z "${MODELC_SARIF:-}" ] || options+=(--reporter "sarif=$MODELC_SARIF")
    [ -z "${MODELC_AGAINST:-}" ] || options+=("--against=$MODELC_AGAINST")
    modelc check "${options[@]}" -- "${paths[@]}"
}

format() { modelc format --check -- "${paths[@]}"; }

case ${1:-} in
install | check | format) "$1" ;;
*) sed -n '4s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
