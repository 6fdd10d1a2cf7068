#!/usr/bin/env bash
# Uses `modelc mcp` through the package `mcp` from PyPI, a client of other authors. Arguments: those of Tests/Agents/mcp_client.py.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 -c 'import mcp' 2>/dev/null || {
    # An environment whose creation was interrupted has no pip.
    .build/agents-venv/bin/python3 -m pip --version >/dev/null 2>&1 || python3 -m venv --clear .build/agents-venv
    .build/agents-venv/bin/python3 -m pip install -q mcp
    PATH="$PWD/.build/agents-venv/bin:$PATH"
}
exec python3 Tests/Agents/mcp_client.py "$@"
