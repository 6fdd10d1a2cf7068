#!/usr/bin/env python3
"""Merges the files that Scripts/release.sh wrote on several architectures into those of one release.

usage: Scripts/merge-releases.py FOLDER... --output FOLDER

Archives and packages are named after their architecture. The artifact bundle gets the variants of all, so that SwiftPM chooses one; the
package that contains the bundle gets the merged one. Of files that are equal in purpose, those of the last folder are taken. A formula for
Homebrew has the archives and their checksums; GITHUB_REPOSITORY, which GitHub sets in workflows, is the repository of the releases.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tar_files import unpack

ROOT = Path(__file__).resolve().parents[1]
BUNDLE = "modelc.artifactbundle"
# The blocks of a formula, by the end of the archive's name.
SYSTEMS = {"macos-universal": ["on_macos"], "linux-x86_64": ["on_linux", "on_intel"], "linux-aarch64": ["on_linux", "on_arm"]}


def merge_bundles(folders, target):
    """Writes a bundle with the variants of all bundles."""
    merged = None
    for folder in folders:
        with zipfile.ZipFile(folder / f"{BUNDLE}.zip") as archive:
            for member in archive.infolist():
                path = archive.extract(member, target)
                if not member.is_dir():
                    os.chmod(path, member.external_attr >> 16 & 0o777)
        info = json.loads((target / BUNDLE / "info.json").read_text())
        if merged is None:
            merged = info
            continue
        if {name: one["version"] for name, one in merged["artifacts"].items()} != \
                {name: one["version"] for name, one in info["artifacts"].items()}:
            sys.exit(f"error: {folder} has other artifacts or another version than {folders[0]}")
        for name, artifact in info["artifacts"].items():
            merged["artifacts"][name]["variants"] += artifact["variants"]
    for artifact in merged["artifacts"].values():
        triples = [triple for variant in artifact["variants"] for triple in variant["supportedTriples"]]
        if len(triples) != len(set(triples)):
            sys.exit("error: two folders have the same architecture")
    (target / BUNDLE / "info.json").write_text(json.dumps(merged, indent=2) + "\n")


def pack_package(archive, bundle, target):
    """Writes the package's archive again, with the merged bundle."""
    with tempfile.TemporaryDirectory() as name:
        unpack(archive, name)
        folder = next(Path(name).iterdir())
        shutil.rmtree(folder / BUNDLE)
        shutil.copytree(bundle, folder / BUNDLE)
        time = str(int((folder / "Package.swift").stat().st_mtime))
        packed = subprocess.run(
            ["tar", "--sort=name", f"--mtime=@{time}", "--owner=0", "--group=0", "--numeric-owner", "-C", name, "-cf", "-", folder.name],
            check=True, capture_output=True).stdout
        target.write_bytes(subprocess.run(["gzip", "-n"], input=packed, check=True, capture_output=True).stdout)


def formula(archives):
    """Returns a formula for Homebrew that installs one of the archives."""
    homepage, downloads = "HOMEPAGE", "RELEASES"
    if repository := os.environ.get("GITHUB_REPOSITORY"):
        homepage = f"{os.environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{repository}"
        downloads = f"{homepage}/releases"
    versions, blocks = set(), {}
    for archive in archives:
        version, system = re.fullmatch(rf"modelc-(.+)-({'|'.join(SYSTEMS)})\.tar\.gz", archive.name).groups()
        versions.add(version)
        outer, *inner = SYSTEMS[system]
        indentation = "    " + "  " * len(inner)
        lines = [
            f'{indentation}url "{downloads}/download/v{version}/{archive.name}"',
            f'{indentation}sha256 "{hashlib.sha256(archive.read_bytes()).hexdigest()}"']
        blocks.setdefault(outer, []).extend([f"    {inner[0]} do", *lines, "    end"] if inner else lines)
    if len(versions) != 1:
        sys.exit(f"error: the archives have the versions {', '.join(sorted(versions))}")
    text = "".join("\n".join([f"  {system} do", *lines, "  end", "", ""]) for system, lines in sorted(blocks.items()))
    template = (ROOT / "Packaging/modelc.rb.template").read_text()
    return template.replace("HOMEPAGE", homepage).replace('"VERSION"', f'"{versions.pop()}"').replace("ARCHIVES\n", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True)
    output = options.output.resolve()
    for folder in options.folders:
        for file in sorted(folder.iterdir()):
            if file.name not in ("SHA256SUMS", f"{BUNDLE}.zip"):
                shutil.copy(file, output)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        merge_bundles([folder.resolve() for folder in options.folders], scratch)
        subprocess.run(["zip", "-q", "-X", "-r", output / f"{BUNDLE}.zip", BUNDLE], cwd=scratch, check=True)
        package = next(output.glob("modelc-*-package.tar.gz"))
        pack_package(package, scratch / BUNDLE, package)
    archives = [path for path in sorted(output.glob("modelc-*.tar.gz")) if not path.name.endswith("-package.tar.gz")]
    (output / "modelc.rb").write_text(formula(archives))
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(output.iterdir())]
    (output / "SHA256SUMS").write_text("".join(sums))
    print("".join(sums), end="")


if __name__ == "__main__":
    main()
