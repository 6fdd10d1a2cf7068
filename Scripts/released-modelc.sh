#!/bin/sh
# Runs the release of modelc that this checkout belongs to, for hooks of pre-commit: installs it in the user's cache first, if it is not
# there yet. The releases are those of the repository that this is a clone of; MODELC_RELEASES names others.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
version=$(sed -n 's/^version=//p' "$here/Packaging/install.sh")
prefix=${XDG_CACHE_HOME:-$HOME/.cache}/modelc/$version
if [ ! -x "$prefix/bin/modelc" ]; then
    releases=${MODELC_RELEASES:-}
    if [ -z "$releases" ]; then
        # git@HOST:PATH and ssh://git@HOST/PATH are https://HOST/PATH.
        releases=$(git -C "$here" remote get-url origin |
            sed -E 's,^ssh://([^@/]+@)?,https://,; s,^[^@/]+@([^:/]+):,https://\1/,; s,(\.git)?/?$,/releases,')
        case $releases in
        https://* | http://*) ;;
        *) echo "error: no releases are known for this clone of modelc; set MODELC_RELEASES to their URL" >&2; exit 1 ;;
        esac
        [ "$(git -C "$here" describe --tags --exact-match 2>/dev/null)" = "v$version" ] ||
            echo "modelc: this revision is not the release $version, which is run" >&2
    fi
    "$here/Packaging/install.sh" --releases "$releases" --prefix "$prefix" >&2
fi
exec "$prefix/bin/modelc" "$@"
