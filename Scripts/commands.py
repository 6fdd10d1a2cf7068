"""Commands of scripts that end at the first failure."""

import subprocess
import sys


def run(*command, code=0, **options):
    """Returns what a command prints; ends the script unless it exits with the code, or with any if that is None."""
    done = subprocess.run(
        [str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        **options)
    if code is not None and done.returncode != code:
        sys.exit(f"error: {' '.join(map(str, command))} exited with {done.returncode}, not {code}\n{done.stdout[-4000:]}")
    return done.stdout


def expect(condition, text):
    """Ends the script with an error unless a condition holds."""
    if not condition:
        sys.exit(f"error: {text}")
