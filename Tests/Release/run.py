#!/usr/bin/env python3
"""Checks the files that Scripts/release.sh writes: their contents, checksums, installation, and that the program in them works.

usage: Tests/Release/run.py [--modelc BINARY] [--first-file | --first-build] [--source-build]

--modelc packs that program, and the modelc-studio beside it, instead of a release build, which takes minutes. --first-file measures
how long a new package that uses the released package takes until its first generated file, with both build systems, --first-build also
until its program is built and run, which compiles the runtime; --source-build measures the first file with the repository, for comparison.
"""

import argparse
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
import zipfile
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Scripts"))

from action import run_action  # noqa: E402
from commands import expect, run  # noqa: E402
from examples import check_bazel, check_cmake  # noqa: E402
from installer import check_bill, check_installer  # noqa: E402
from tar_files import unpack  # noqa: E402

MODEL = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="23231" systemVersion="24D5034f" \
minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
    <entity name="Book" representedClassName="Book" syncable="YES" codeGenerationType="class">
        <attribute name="title" optional="YES" attributeType="String"/>
    </entity>
</model>"""  # Xcode writes no line break at the end.
BAD_MODEL = MODEL.replace('attributeType="String"', 'attributeType="Strng"')


def write_model(path, text):
    contents = path / f"{path.stem}.xcdatamodel/contents"
    contents.parent.mkdir(parents=True, exist_ok=True)
    contents.write_text(text)


def check_program(program, folder, version):
    """A program answers, and checks and generates a model outside of the repository."""
    expect(run(program, "--version").startswith(f"modelc {version} ("), f"{program} has another version")
    found = json.loads(run(program, "--version", "--json"))
    expect(found["version"] == version and found["system"] == "linux", f"{program} --version --json prints {found}")
    write_model(folder / "Books.xcdatamodeld", MODEL)
    run(program, "lint", "Books.xcdatamodeld", cwd=folder)
    run(program, "generate", "Books.xcdatamodeld", "--output", "Generated", cwd=folder)
    expect((folder / "Generated/Book+CoreDataClass.swift").exists(), "nothing was generated")


def check_whole_program(program, folder):
    """Stores and the studio are in the one file, wherever it is, and whatever it finds in PATH."""
    alone = folder / "alone"
    alone.mkdir()
    shutil.copy(program, alone / "modelc")
    write_model(alone / "Books.xcdatamodeld", MODEL)
    environment = {"PATH": "/usr/bin:/bin"}
    run("./modelc", "store", "make", "Books.xcdatamodeld", "--output", "books.sqlite", cwd=alone, env=environment)
    expect("Book" in run("./modelc", "store", "info", "books.sqlite", cwd=alone, env=environment), "the store has no books")
    expect("CREATE TABLE" in run("./modelc", "sql", "Books.xcdatamodeld", cwd=alone, env=environment), "there is no SQL")
    studio = subprocess.Popen(
        ["./modelc", "studio", "Books.xcdatamodeld", "--no-open"], cwd=alone, env=environment, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    address = studio.stdout.readline()
    try:
        with urllib.request.urlopen(address.strip()) as answer:
            expect("<title>" in answer.read().decode(), "the studio has no page")
    finally:
        studio.terminate()
        studio.wait()


def check_encodings(program, folder):
    """Models in other encodings have the version hashes of the same model in UTF-8: nothing depends on converters of the system."""
    text = MODEL.replace('"title"', '"größe"')
    write_model(folder / "UTF-8.xcdatamodeld", text)
    expected = run(program, "hash", "UTF-8.xcdatamodeld", cwd=folder).replace("UTF-8", "…")
    expect(re.search("[0-9a-f]{64}", expected), f"there is no version hash:\n{expected}")
    for declared, codec in [("UTF-16", "utf-16"), ("UTF-16", "utf-16-be"), ("ISO-8859-1", "latin-1")]:
        model = folder / f"{codec}.xcdatamodeld"
        write_model(model, "")
        mark = b"\xfe\xff" if codec == "utf-16-be" else b""
        (model / f"{codec}.xcdatamodel/contents").write_bytes(mark + text.replace('"UTF-8"', f'"{declared}"').encode(codec))
        # Without the locale's converters.
        printed = run(program, "hash", model.name, cwd=folder, env={"PATH": "/nonexistent", "LANG": "C", "GCONV_PATH": "/nonexistent"})
        expect(printed.replace(codec, "…") == expected, f"a model in {codec} has other version hashes:\n{printed}\n{expected}")


def check_sizes(program, output):
    """Programs that were built for a release are small enough to be downloaded by each run of a CI system."""
    with zipfile.ZipFile(output / "modelc.artifactbundle.zip") as archive:
        bundled = max(entry.file_size for entry in archive.infolist())
    for size, limit, name in [(program.stat().st_size, 45, "whole program"), (bundled, 25, "program in the bundle")]:
        expect(size <= limit * 1_000_000, f"the {name} has {size:,} bytes, more than {limit} MB")
        print(f"the {name}: {size / 1e6:.1f} MB, at most {limit}")


def check_files(output, version, folder):
    names = {path.name for path in output.iterdir()}
    machine, debian = os.uname().machine, {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]
    tarball, deb = f"modelc-{version}-linux-{machine}.tar.gz", f"modelc_{version}_{debian}.deb"
    package = f"modelc-{version}-package.tar.gz"
    bill = f"modelc-{version}-linux-{os.uname().machine}.spdx.json"
    expected = {tarball, deb, package, bill, "modelc.artifactbundle.zip", "install.sh", "SHA256SUMS"}
    expect(names == expected, f"the files are {sorted(names)}")
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=output)
    expect(len((output / "SHA256SUMS").read_text().splitlines()) == len(expected) - 1, "SHA256SUMS does not have every file")

    unpack(output / tarball, folder / "tarball")
    root = folder / "tarball" / tarball.removesuffix(".tar.gz")
    check_program(root / "bin/modelc", folder / "work", version)
    check_encodings(root / "bin/modelc", folder / "work")
    check_whole_program(root / "bin/modelc", folder)
    pages = {path.name for path in (root / "share/man/man1").iterdir()}
    expect({"modelc.1.gz", "modelc-lint.1.gz", "modelc-migrate-check.1.gz"} <= pages, f"man pages are missing: {pages}")
    warnings = run("man", "--warnings", "-l", "-Tutf8", root / "share/man/man1/modelc-lint.1.gz", env={**os.environ, "MANWIDTH": "100"})
    expect("--reporter" in warnings and "warning:" not in warnings, f"the man page has problems:\n{warnings[:2000]}")
    completions = root / "share/bash-completion/completions/modelc"
    run("bash", "-n", completions)
    expect("missing-inverse" in completions.read_text(), "completions do not have the rules")

    # The Debian package, installed and removed below a folder of its own.
    system = folder / "system"
    for name in ["var/lib/dpkg/info", "var/lib/dpkg/updates"]:
        (system / name).mkdir(parents=True)
    (system / "var/lib/dpkg/status").touch()
    run("dpkg", "--force-depends", "--force-not-root", f"--root={system}", "--install", output / deb)
    check_program(system / "usr/bin/modelc", folder / "work", version)
    expect((system / "usr/share/man/man1/modelc.1.gz").exists(), "the Debian package has no man page")
    run("dpkg", "--force-not-root", f"--root={system}", "--purge", "modelc")
    left = [path for path in (system / "usr").rglob("*") if path.is_file()] if (system / "usr").exists() else []
    expect(not left, f"files are left behind: {left}")

    with zipfile.ZipFile(output / "modelc.artifactbundle.zip") as archive:
        info = json.loads(archive.read("modelc.artifactbundle/info.json"))
        variant = info["artifacts"]["modelc"]["variants"][0]
        entry = archive.getinfo("modelc.artifactbundle/" + variant["path"])
        expect(entry.external_attr >> 16 & stat.S_IXUSR, "the program in the bundle is not executable")
    expect(variant["supportedTriples"] == [f"{machine}-unknown-linux-gnu"], "the bundle is for another system")


def check_action_file():
    """action.yml is valid YAML, its expressions name inputs that exist, and its variables are those that Scripts/action.sh reads."""
    text = (ROOT / "action.yml").read_text()
    action, script = yaml.safe_load(text), (ROOT / "Scripts/action.sh").read_text()
    run("bash", "-n", ROOT / "Scripts/action.sh")
    expect(action["runs"]["using"] == "composite", "the action is not composite")
    used = set(re.findall(r"inputs\.([\w-]+)", text))
    expect(used == set(action["inputs"]), f"inputs and their uses differ: {used ^ set(action['inputs'])}")
    for name, value in action["inputs"].items():
        expect({"description", "default"} <= set(value) and isinstance(value["default"], str), f"the input {name} is not complete")
    variables = set()
    for step in action["runs"]["steps"]:
        expect(("run" in step) != ("uses" in step) and ("run" not in step or step["shell"] == "bash"), f"invalid step: {step['name']}")
        variables |= set(step.get("env", {}))
        # An expression in a command would be run by the shell.
        expect("${{" not in step.get("run", ""), f"an input is part of a command: {step['name']}")
    read = set(re.findall(r"\$\{?(MODELC_\w+)", script))
    expect(read == variables, f"the script reads other variables: {read ^ variables}")


def check_workflow():
    """The workflow of a release installs what Scripts/build-static.sh links and what this program imports."""
    release = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())["jobs"]["release"]
    commands = "\n".join(step.get("run", "") for step in release["steps"])
    installed = set(re.search(r"apt-get install -y ((?:\\\n|.)*)", commands)[1].replace("\\\n", " ").split())
    linked = re.search(r'^names="(.*)"', (ROOT / "Scripts/build-static.sh").read_text(), re.MULTILINE)[1].split()
    packages = {"xml2": "libxml2-dev", "sqlite3": "libsqlite3-dev", "z": "zlib1g-dev", "lzma": "liblzma-dev"}
    needed = {packages[name] for name in linked} | {"python3", "python3-yaml", "zip", "cmake", "curl", "man-db"}
    expect(needed <= installed, f"release.yml does not install {sorted(needed - installed)}")


def check_action(output, version, folder):
    """The action, run as GitHub runs it, on a clean model, one with findings, and a changed one."""
    archive = next(output.glob("modelc-*-linux-*.tar.gz"))
    release = {"archive": str(archive), "archive-sha256": run("sha256sum", archive).split()[0]}
    work = folder / "project"
    write_model(work / "Good.xcdatamodeld", MODEL)
    write_model(work / "Bad.xcdatamodeld", BAD_MODEL)

    def action(steps, outcome="success", **inputs):
        """Runs the action; steps has the first letter of each step's outcome: s, f or - for skipped."""
        inputs = {**release, **{name.replace("_", "-"): value for name, value in inputs.items()}}
        result = run_action(ROOT, work, inputs)
        found = "".join({"success": "s", "failure": "f", "skipped": "-"}[value] for value in result.steps.values())
        expect(found == steps and result.outcome == outcome, f"the steps of the action are {found}, not {steps}:\n{result.log}")
        return result

    # Install, check, upload, format.
    result = action("ss-s", paths="Good.xcdatamodeld")
    expect(f"modelc {version}" in result.log, f"the action installs another version:\n{result.log}")
    expect(not result.annotations and not results(work / "modelc.sarif"), f"a clean model has findings:\n{result.log}")

    (work / "modelc.sarif").unlink()
    result = action("sfss", "failure", paths="Bad.xcdatamodeld Good.xcdatamodeld", upload_sarif="true", sarif="out/bad.sarif")
    errors = [properties for level, properties, _ in result.annotations if level == "error"]
    place = "Bad.xcdatamodeld/Bad.xcdatamodel/contents"
    expect(any(error.get("file") == place and error.get("line") for error in errors), f"there is no annotation:\n{result.annotations}")
    expect("unknown-type" in [found["ruleId"] for found in results(work / "out/bad.sarif")], "the SARIF file lacks the error")
    expect(result.used == {"github/codeql-action/upload-sarif@v3": {"sarif_file": "out/bad.sarif"}}, f"uploaded: {result.used}")
    expect(not (work / "modelc.sarif").exists(), "the SARIF file has its default name too")

    action("sf-s", "failure", paths="Bad.xcdatamodeld", sarif="")
    action("sfs-", "failure", paths="Bad.xcdatamodeld", format="false", upload_sarif="true")
    # Nothing runs without modelc.
    action("f---", "failure", archive_sha256="0" * 64, upload_sarif="true", against="main")
    action("f---", "failure", archive="https://example.invalid/modelc.tar.gz", archive_sha256="")
    action("f---", "failure", archive="http://example.invalid/modelc.tar.gz")
    # Paths on several lines, as “paths: |” has them.
    for paths in ["Good.xcdatamodeld\nBad.xcdatamodeld\n", "\nGood.xcdatamodeld\n  Bad.xcdatamodeld"]:
        action("sfss", "failure", paths=paths, upload_sarif="true")
    # Swift sources have no layout that could be wrong.
    sources = work / "Sources"
    sources.mkdir()
    (sources / "Book.swift").write_text("import SwiftData\n\n@Model final class Book {\n    var title = \"\"\n    init() {}\n}\n")
    for paths in ["Sources", "Sources/Book.swift"]:
        action("ss-s", paths=paths)
    # A path is a word, whatever a shell would make of it.
    action("sf-f", "failure", paths="$(touch${IFS}injected) --fix `touch injected`", sarif="")
    expect(not (work / "injected").exists(), "an input was run")

    unformatted = MODEL.replace("        <attribute", "  <attribute")
    write_model(work / "Unformatted.xcdatamodeld", unformatted)
    action("ss-f", "failure", paths="Unformatted.xcdatamodeld")
    expect((work / "Unformatted.xcdatamodeld/Unformatted.xcdatamodel/contents").read_text() == unformatted, "a model was changed")

    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
    run("git", "init", "-q", "-b", "main", cwd=work)
    run("git", "add", "Good.xcdatamodeld", cwd=work)
    run("git", *identity, "commit", "-qm", "Add a model", cwd=work)
    action("ss-s", paths="Good.xcdatamodeld", against="main")
    write_model(work / "Good.xcdatamodeld", MODEL.replace('name="title"', 'name="heading"'))
    # The default branch is the released state.
    for against in ["main", "", "HEAD"]:
        result = action("sf-s", "failure", paths="Good.xcdatamodeld", against=against)
    expect(any("released version" in message for _, _, message in result.annotations), f"no annotation:\n{result.annotations}")
    run(ROOT / "Scripts/action.sh", "frobnicate", code=2)


def results(sarif):
    """The results in a SARIF file."""
    return json.loads(sarif.read_text())["runs"][0]["results"]


def check_hook(program, folder):
    """The pre-commit hook installs itself, stops a bad commit, lets a good one pass, and is removed."""
    work = folder / "hooked"
    write_model(work / "My Books.xcdatamodeld", BAD_MODEL)
    (work / "notes.txt").write_text("x")
    environment = {
        **os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_AUTHOR_NAME": "Test", "GIT_AUTHOR_EMAIL": "test@example.com", "GIT_COMMITTER_NAME": "Test",
        "GIT_COMMITTER_EMAIL": "test@example.com"}

    def git(*arguments, code=0):
        return run("git", *arguments, code=code, cwd=work, env=environment)

    git("init", "-q", "-b", "main")
    run(ROOT / "Scripts/install-hook.sh", cwd=work, env=environment)
    run(ROOT / "Scripts/install-hook.sh", cwd=work, env=environment)
    git("add", ".")
    expect("unknown-type" in git("commit", "-m", "Bad", code=1), "the hook did not stop the commit")
    write_model(work / "My Books.xcdatamodeld", MODEL)
    git("add", ".")
    git("commit", "-qm", "Good")
    (work / "notes.txt").write_text("y")
    git("commit", "-qam", "No model")
    run(ROOT / "Scripts/install-hook.sh", "--remove", cwd=work, env=environment)
    hook = work / ".git/hooks/pre-commit"
    expect(not hook.exists(), "the hook is still there")
    hook.write_text("#!/bin/sh\n")
    run(ROOT / "Scripts/install-hook.sh", code=1, cwd=work, env=environment)
    expect(hook.read_text() == "#!/bin/sh\n", "another hook was replaced")


MANIFEST = """// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Shelf",
    dependencies: [.package(name: "modelc", path: "%s")],
    targets: [
        .executableTarget(
            name: "Shelf",
            dependencies: [.product(name: "CoreData", package: "modelc", condition: .when(platforms: [.linux]))],
            exclude: ["Books.xcdatamodeld"],
            plugins: [.plugin(name: "ModelcBuildPlugin", package: "modelc")])
    ]
)
"""
MAIN = """import CoreData

let container = NSPersistentContainer(name: "Books")
print(container.managedObjectModel.entities.map { $0.name ?? "" }, Book.self)
"""


def check_merge(output, version, folder):
    """The releases of several systems become one, whose bundle has all variants, and whose formula has all archives."""
    other = folder / "arm64"
    shutil.copytree(output, other)
    with zipfile.ZipFile(output / "modelc.artifactbundle.zip") as archive:
        members = [(member, archive.read(member)) for member in archive.infolist()]
    machine = os.uname().machine
    with zipfile.ZipFile(other / "modelc.artifactbundle.zip", "w") as archive:
        for member, data in members:
            member.filename = member.filename.replace(machine, "riscv64")
            archive.writestr(member, data.replace(machine.encode(), b"riscv64") if member.filename.endswith("info.json") else data)
    # check_installer made that of macOS.
    macos = folder / "macos"
    (other / f"modelc-{version}-linux-{machine}.tar.gz").rename(other / f"modelc-{version}-linux-aarch64.tar.gz")
    run(ROOT / "Scripts/merge-releases.py", macos, other, output, "--output", folder / "merged",
        env={**os.environ, "GITHUB_REPOSITORY": "owner/modelc"})
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=folder / "merged")
    formula = (folder / "merged/modelc.rb").read_text()
    for archive in (folder / "merged").glob("*.tar.gz"):
        if not archive.name.endswith("-package.tar.gz"):
            url = f"https://github.com/owner/modelc/releases/download/v{version}/{archive.name}"
            sum = hashlib.sha256(archive.read_bytes()).hexdigest()
            expect(re.search(f'url "{re.escape(url)}"\n *sha256 "{sum}"', formula), f"the formula lacks {url}:\n{formula}")
    blocks = re.findall(r"on_\w+", formula)
    expect(sorted(blocks) == ["on_arm", "on_intel", "on_linux", "on_macos"], f"the formula has the blocks {blocks}")
    expect(not re.search("HOMEPAGE|RELEASES|VERSION|ARCHIVES|ARCH\\b", formula), f"the formula is not complete:\n{formula}")
    with zipfile.ZipFile(folder / "merged/modelc.artifactbundle.zip") as archive:
        info = json.loads(archive.read("modelc.artifactbundle/info.json"))
        variants = info["artifacts"]["modelc"]["variants"]
        expect(len(variants) == 3, f"the merged bundle has {len(variants)} variants")
        for variant in variants:
            mode = archive.getinfo(f"modelc.artifactbundle/{variant['path']}").external_attr >> 16
            expect(mode & 0o111, f"{variant['path']} is not executable")
    with tarfile.open(folder / f"merged/modelc-{version}-package.tar.gz") as archive:
        programs = [name for name in archive.getnames() if name.endswith("/bin/modelc")]
        expect(len(programs) == 3, f"the package has {len(programs)} programs")
    run(ROOT / "Scripts/merge-releases.py", output, output, "--output", folder / "twice", code=1)


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def first_build(modelc, folder, finishes, system="native"):
    """Builds a new package with a build system; returns the seconds until its first generated file, and until its program is built."""
    write_model(folder / "Sources/Shelf/Books.xcdatamodeld", MODEL)
    (folder / "Sources/Shelf/main.swift").write_text(MAIN)
    (folder / "Package.swift").write_text(MANIFEST % modelc)
    start = time.monotonic()
    with open(folder / "build.log", "w") as log:
        build = subprocess.Popen(["swift", "build", "--build-system", system], cwd=folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        first = None
        while first is None and build.poll() is None:
            if any((folder / ".build").glob("**/ModelcBuildPlugin/*.swift")):
                first = time.monotonic() - start
            time.sleep(0.1)
        if first is None:
            sys.exit("error: nothing was generated\n" + (folder / "build.log").read_text()[-4000:])
        if not finishes:
            # SwiftPM stops its compilers, some of which may write a file until they have ended.
            build.send_signal(signal.SIGINT)
            build.wait()
            return first, None
        expect(build.wait() == 0, (folder / "build.log").read_text()[-4000:])
    total = time.monotonic() - start
    text = run("swift", "run", "--skip-build", "Shelf", cwd=folder)
    expect('["Book"] Book' in text, text)
    return first, total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--modelc", type=Path)
    parser.add_argument("--first-file", action="store_true")
    parser.add_argument("--first-build", action="store_true")
    parser.add_argument("--source-build", action="store_true")
    options = parser.parse_args()
    version = run("sed", "-n", r's/.*static let number = "\(.*\)"/\1/p',
                  ROOT / "Sources/Tool/ModelcDriver/Environment/ToolVersion.swift").strip()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "work").mkdir()
        # The studio's executable is the whole program under another name (Studio/Sources/modelc-studio/Main.swift).
        packed = []
        if options.modelc:
            # Stripped, as released programs are.
            (folder / "stripped").mkdir()
            for option, program in [("--binary", options.modelc.with_name("modelc-studio")), ("--bundled", options.modelc)]:
                run("strip", "-o", folder / "stripped" / program.name, program)
                packed += [option, folder / "stripped" / program.name]
        run(ROOT / "Scripts/release.sh", "--output", folder / "files", *packed)
        for path in sorted((folder / "files").iterdir()):
            print(f"{path.stat().st_size:>12} {path.name}")
        check_files(folder / "files", version, folder)
        print("files: ok")
        program = next((folder / "tarball").glob("*/bin/modelc"))
        if not packed:
            check_sizes(program, folder / "files")
        check_action_file()
        check_workflow()
        check_action(folder / "files", version, folder)
        print("action: ok")
        check_hook(program, folder)
        print("hook: ok")
        check_installer(folder / "files", version, folder)
        check_bill(folder / "files", version)
        check_merge(folder / "files", version, folder)
        print("installer, bill of materials, formula and merge: ok")
        check_cmake(program, folder)
        print("examples: ok, " + ("with Bazel" if check_bazel(program, folder) else "without Bazel, which is not installed"))
        if options.first_file or options.first_build or options.source_build:
            unpack(folder / "files" / f"modelc-{version}-package.tar.gz", folder / "modelc")
            package = next((folder / "modelc").iterdir())
            first, total = first_build(package, folder / "bundle", finishes=options.first_build)
            print(f"with the bundle: first generated file after {first:.1f} s" + (f", program built after {total:.1f} s" if total else ""))
            first, _ = first_build(package, folder / "swiftbuild", finishes=False, system="swiftbuild")
            print(f"with the bundle and swiftbuild: first generated file after {first:.1f} s")
        if options.source_build:
            start, used = time.monotonic(), processor_time()
            run("git", "clone", "-q", "--no-hardlinks", ROOT, folder / "clone")
            cloned = time.monotonic() - start
            first, _ = first_build(folder / "clone", folder / "source", finishes=False)
            print(f"from source: first generated file after {cloned + first:.1f} s, with {processor_time() - used:.0f} s of processor time "
                  f"(load {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores)")


if __name__ == "__main__":
    main()
