#!/usr/bin/env bash
# Drives the studio's page in headless Chromium. Arguments: "--configuration release" for another build than debug, or "--skip-build" or
# "--programs FOLDER" for programs that are built already; then those of Tests/Studio/Browser/run.py, such as names of tests, "--jobs N" for N
# browsers at once, or "--benchmark" to measure instead of testing. MODELC_CORPUS adds tests with real models and stores;
# MODELC_NIGHTLY makes them use all models.
set -euo pipefail
cd "$(dirname "$0")/.."
configuration=debug
if [ "${1:-}" = --configuration ]; then
    configuration=$2
    shift 2
fi
programs=.build/$configuration
if [ "${1:-}" = --skip-build ]; then
    shift
elif [ "${1:-}" = --programs ]; then
    programs=$2
    shift 2
else
    swift build -c "$configuration" --product modelc-store
    # Writes stores for the tests, as another program.
    swift build -c "$configuration" --product StoreWriter
    Scripts/build-package.sh Studio -c "$configuration"
fi
python3 -c 'import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, ["selenium", "axe_playwright_python"])))' || {
    # An environment whose creation was interrupted has no pip.
    .build/studio-venv/bin/python3 -m pip --version >/dev/null 2>&1 || python3 -m venv --clear .build/studio-venv
    .build/studio-venv/bin/python3 -m pip install -q selenium
    # Bundles axe-core, a script for browsers; what drives another browser is left out.
    .build/studio-venv/bin/python3 -m pip install -q --no-deps axe-playwright-python
    PATH="$PWD/.build/studio-venv/bin:$PATH"
}
exec python3 Tests/Studio/Browser/run.py --binary "$programs/modelc-studio" "$@"
