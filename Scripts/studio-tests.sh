#!/usr/bin/env bash
# Drives the studio's page in headless Chromium. Arguments: "--configuration release" for another build than debug, then those of
# Tests/Studio/run.py; "--benchmark" measures instead of testing.
set -euo pipefail
cd "$(dirname "$0")/.."
configuration=debug
if [ "${1:-}" = --configuration ]; then
    configuration=$2
    shift 2
fi
# A separate scratch folder: a trait is a compilation condition, so switching it builds everything again.
build=(swift build --traits Studio --scratch-path .build/studio -c "$configuration")
"${build[@]}" --product modelc-studio
"${build[@]}" --product modelc-store
# Writes stores for the tests, as another program.
"${build[@]}" --product StoreWriter
python3 -c 'import selenium' 2>/dev/null || {
    python3 -m venv .build/studio-venv
    .build/studio-venv/bin/pip install -q selenium
    PATH="$PWD/.build/studio-venv/bin:$PATH"
}
exec python3 Tests/Studio/run.py --binary "$("${build[@]}" --show-bin-path)/modelc-studio" "$@"
