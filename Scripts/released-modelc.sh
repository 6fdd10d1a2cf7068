#!/bin/sh
# Runs the release of modelc that this checkout belongs to, for hooks of pre-commit: installs it in the user's cache first, if it is not
# there yet. The releases are those of the repository that this is a clone of; MODELC_RELEASES names others.
set -eu

here=$(CDPATH= cd "$(dirname "$0")/.." && pwd)
# Asks this repository. git sets GIT_DIR and other variables for hooks, with which it would answer for the user's.
repository() (
    unset $(git rev-parse --local-env-vars)
    git -C "$here" "$@"
)
version=$(sed -n 's/.*static let number = "\(.*\)"/\1/p' "$here/Sources/Tool/ModelcDriver/Environment/ToolVersion.swift")
prefix=${XDG_CACHE_HOME:-$HOME/.cache}/modelc/$version
if [ ! -x "$prefix/bin/modelc" ]; then
    releases=${MODELC_RELEASES:-}
    if [ -z "$releases" ]; then
        # git@HOST:PATH and ssh://git@HOST/PATH are https://HOST/PATH.
        releases=$(repository remote get-url origin |
            sed -E 's,^ssh://([^@/]+@)?,https://,; s,^[^@/]+@([^:/]+):,https://\1/,; s,(\.git)?/?$,/releases,')
        case $releases in
        https://* | http://*) ;;
        *) echo "error: no releases are known for this clone of modelc; set MODELC_RELEASES to their URL" >&2; exit 1 ;;
        esac
        # A shallow clone, as pre-commit makes it, has no tags to compare with.
        if [ -n "$(repository tag --list)" ] && ! repository tag --points-at HEAD | grep -qxF "v$version"; then
            echo "modelc: this revision is not the release $version, which is run" >&2
        fi
    fi
    "$here/Packaging/install.sh" --releases "$releases" --version "$version" --prefix "$prefix" >&2
fi
exec "$prefix/bin/modelc" "$@"
