#!/usr/bin/env python3
"""Prepares a build folder that several packages share for the next of them.

usage: Scripts/build_folder.py FOLDER
"""

import shutil
import sys
from pathlib import Path


def prepare(folder):
    """Removes what the last package left that would be taken for the next one's.

    SwiftPM takes the plan of the last build in a folder for that of any package, and a program finds the models of all bundles beside it.
    The next build writes both again.
    """
    for configuration in ("debug", "release"):
        (Path(folder) / f"{configuration}.yaml").unlink(missing_ok=True)
        for bundle in (Path(folder) / configuration).glob("*.resources"):
            shutil.rmtree(bundle)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    prepare(sys.argv[1])
