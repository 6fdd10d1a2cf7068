#!/usr/bin/env bash
# Installs the pre-commit hook that lints and format-checks staged models into the repository around the working directory.
#
# usage: Scripts/install-hook.sh [--remove]
set -euo pipefail
source=$(cd "$(dirname "$0")" && pwd)/pre-commit.sh
hook=$(git rev-parse --git-path hooks)/pre-commit
mark="# modelc: pre-commit hook"
if [ -e "$hook" ] && ! grep -qF "$mark" "$hook"; then
    echo "error: there is another hook at $hook; call $source from it" >&2
    exit 1
fi
case ${1:-} in
--remove) rm -f "$hook"; echo "removed $hook" ;;
"") mkdir -p "$(dirname "$hook")"; install -m 755 "$source" "$hook"; echo "installed $hook" ;;
*) sed -n '4s/^# //p' "$0" >&2; exit 2 ;;
esac
