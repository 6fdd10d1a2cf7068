"""Unpacking tar archives with every version of Python 3.11."""

import tarfile


def unpack(path, folder):
    """Unpacks an archive of ours into a folder. Python 3.11.2, that of Debian 12, has no filters."""
    with tarfile.open(path) as archive:
        archive.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
