#!/usr/bin/env python3
"""Writes a software bill of materials in SPDX 2.3 form: what is linked into a released program.

usage: Scripts/sbom.py VERSION PROGRAM FILE.spdx.json
"""

import hashlib
import json
import os
import platform
import re
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The Debian packages whose archives Scripts/build-static.sh links.
ARCHIVES = {"libxml2-dev": "MIT", "libsqlite3-dev": "blessing", "zlib1g-dev": "Zlib", "liblzma-dev": "0BSD"}

LINKED = {"swift-argument-parser": "Apache-2.0", "flyingfox": "MIT"}


def package(name, version, license, location):
    identifier = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]", "-", name)
    return {
        "name": name, "SPDXID": identifier, "versionInfo": version, "downloadLocation": location, "filesAnalyzed": False,
        "licenseConcluded": license, "licenseDeclared": license, "copyrightText": "NOASSERTION",
    }


def dependencies():
    """The libraries that are linked into the program."""
    files = [path for path in (ROOT / "Package.resolved", ROOT / "Studio/Package.resolved") if path.exists()]
    pins = {pin["identity"]: pin for path in files for pin in json.loads(path.read_text())["pins"]}
    if "swift-argument-parser" not in pins:
        sys.exit("error: no Package.resolved names the linked packages; build the program first")
    for name, license in LINKED.items():
        if pin := pins.get(name):
            yield package(name, pin["state"]["version"], license, pin["location"])
    swift = subprocess.run(["swift", "--version"], check=True, capture_output=True, text=True).stdout
    yield package("swift-runtime", re.search(r"version (\S+)", swift)[1], "Apache-2.0", "https://www.swift.org/download")
    for name, license in ARCHIVES.items():
        found = subprocess.run(["dpkg-query", "-W", "-f=${Version}", name], capture_output=True, text=True)
        if found.returncode == 0:
            yield package(name, found.stdout, license, f"https://packages.debian.org/{name}")


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.split("\n\n")[1])
    version, program, target = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    sum = hashlib.sha256(program.read_bytes()).hexdigest()
    time = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    main = package("modelc", version, "MIT", "NOASSERTION") | {"checksums": [{"algorithm": "SHA256", "checksumValue": sum}]}
    others = list(dependencies())
    name = f"modelc-{version}-linux-{platform.machine()}"
    target.write_text(json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{sum}",
        "creationInfo": {"created": time, "creators": ["Tool: Scripts/sbom.py"]},
        "packages": [main] + others,
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": main["SPDXID"]},
        ] + [
            {"spdxElementId": main["SPDXID"], "relationshipType": "STATIC_LINK", "relatedSpdxElement": other["SPDXID"]}
            for other in others
        ],
    }, indent=2) + "\n")


if __name__ == "__main__":
    main()
