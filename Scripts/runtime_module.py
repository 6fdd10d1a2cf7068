"""How a built `CoreData` module is imported from outside of the package."""

import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def import_arguments(build):
    """Returns the arguments with which the compiler finds the `CoreData` module of a debug build."""
    maps = [
        os.path.join(ROOT, f"Sources/{name}/module.modulemap")
        for name in ("Runtime/CLibPQ", "Foundations/CLibXML2", "Foundations/CSQLite3", "Foundations/CSystemSQLite",
                     "Foundations/CZlib")]
    maps.append(os.path.join(build, "CCoreDataSupport.build/module.modulemap"))
    arguments = ["-I", os.path.join(build, "Modules")]
    # Debian keeps libpq's headers in a folder of their own.
    flags = subprocess.run(["pkg-config", "--cflags", "libpq"], capture_output=True, text=True).stdout.split()
    arguments += [word for flag in flags for word in ("-Xcc", flag)]
    for path in maps:
        arguments += ["-Xcc", f"-fmodule-map-file={path}"]
    return arguments
