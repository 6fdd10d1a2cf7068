#!/usr/bin/env bash
# Uses `modelc mcp` through the package `mcp` from PyPI, a client of other authors. Arguments: those of Tests/Agents/mcp_client.py.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 -c 'import mcp' 2>/dev/null || {
    [ -x .build/agents-venv/bin/python3 ] || python3 -m venv .build/agents-venv
    .build/agents-venv/bin/pip install -q mcp
    PATH="$PWD/.build/agents-venv/bin:$PATH"
}
exec python3 Tests/Agents/mcp_client.py "$@"
