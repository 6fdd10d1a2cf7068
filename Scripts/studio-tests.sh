#!/usr/bin/env bash
# Drives the studio's page in headless Chromium. Arguments: those of Tests/Studio/run.py.
set -euo pipefail
cd "$(dirname "$0")/.."
swift build --product modelc-studio
python3 -c 'import selenium' 2>/dev/null || {
    python3 -m venv .build/studio-venv
    .build/studio-venv/bin/pip install -q selenium
    PATH="$PWD/.build/studio-venv/bin:$PATH"
}
exec python3 Tests/Studio/run.py --binary "$(swift build --show-bin-path)/modelc-studio" "$@"
