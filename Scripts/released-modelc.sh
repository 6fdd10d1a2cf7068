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
        # git@HOST:PATH is https://HOST/PATH.
        releases=$(git -C "$here" remote get-url origin | sed -E 's,^[^@/]+@([^:/]+):,https://\1/,; s,(\.git)?/?$,/releases,')
    fi
    "$here/Packaging/install.sh" --releases "$releases" --prefix "$prefix" >&2
fi
exec "$prefix/bin/modelc" "$@"
