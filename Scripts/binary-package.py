#!/usr/bin/env python3
"""Writes a package that offers modelc's plugins and libraries with a built modelc in place of the targets that build it.

usage: Scripts/binary-package.py ARTIFACTBUNDLE FOLDER

Users depend on the package as on the repository: its name, products and plugins are the same. Only its first build is shorter.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIBRARIES = ["CoreData", "CoreDataFoundationExtras", "CoreDataPostgreSQL", "SwiftData", "UnifiedLogging"]
PLUGINS = ["ModelcBuildPlugin", "GenerateManagedObjects", "LintModel", "FormatModel", "PrepareForLinux"]
# The products that have these plugins.
PRODUCTS = ["ModelcBuildPlugin", "ModelcCommands"]

EDIT = """
// The release has a built modelc in place of the targets that build it.
let kept: Set<String> = [
%s]
package.targets.removeAll { !kept.contains($0.name) }
package.targets.append(.binaryTarget(name: "modelc", path: "modelc.artifactbundle"))
package.products.removeAll { ![%s].contains($0.name) }
package.dependencies.removeAll { dependency in
    if case .sourceControl(_, let location, _) = dependency.kind { return location.hasSuffix("/swift-argument-parser") }
    return false
}
"""


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    bundle, folder = Path(sys.argv[1]), Path(sys.argv[2])
    if folder.exists():
        sys.exit(f"error: {folder} exists")
    # A scratch folder of its own: a build that runs in the repository does not hold this up.
    with tempfile.TemporaryDirectory() as scratch:
        manifest = json.loads(subprocess.run(
            ["swift", "package", "--package-path", ROOT, "--scratch-path", scratch, "dump-package"], check=True,
            capture_output=True, text=True).stdout)
    targets = {target["name"]: target for target in manifest["targets"]}
    kept, waiting = set(), LIBRARIES + PLUGINS
    while waiting:
        name = waiting.pop()
        if name in kept or name == "modelc" or name not in targets:
            continue
        kept.add(name)
        dependencies = targets[name]["dependencies"]
        waiting += [each[kind][0] for each in dependencies for kind in ["byName", "target"] if kind in each]
    folder.mkdir(parents=True)
    for name in sorted(kept):
        target = targets[name]
        parent = "Plugins" if target["type"] == "plugin" else "Sources"
        path = target.get("path") or f"{parent}/{name}"
        shutil.copytree(ROOT / path, folder / path)
    for name in ["LICENSE", "README.md", "CHANGELOG.md"]:
        shutil.copy(ROOT / name, folder)
    shutil.copytree(bundle, folder / "modelc.artifactbundle")
    text = (ROOT / "Package.swift").read_text()
    names = "".join(f'    "{name}",\n' for name in sorted(kept))
    products = ", ".join(f'"{name}"' for name in LIBRARIES + PRODUCTS)
    (folder / "Package.swift").write_text(text + EDIT % (names, products))


if __name__ == "__main__":
    main()
