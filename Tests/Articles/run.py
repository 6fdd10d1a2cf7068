#!/usr/bin/env python3
"""Follows the articles to the letter: runs their commands in order, and compares what they print with what they show.

usage: Tests/Articles/run.py [--build FOLDER] [--scratch FOLDER] [--keep] [ARTICLE...]

Each article has a temporary folder, in which Tests/Articles/Given/ARTICLE.sh puts what its reader has already. The programs are those of
a debug build of this package. Packages that articles build share one build folder. They depend on the released package, made with that
build; with --scratch, on this package, in the build folder of another package, which has most of it built. Comments in the
articles say what a block is for: articles.py.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Scripts"))
import build_folder
from articles import SHELL, blocks, pattern

ROOT = Path(__file__).resolve().parents[2]
GIVEN = ROOT / "Tests/Articles/Given"
PROGRAMS = ["modelc", "modelc-store", "modelc-studio"]
# Blocks that Scripts/code-blocks.py compiles, and pages whose commands need data that is not part of the repository.
COMPILED = ("swift",)
PAGES = [
    "README", "CloudKit", "CommandLine", "CompiledModels", "ContinuousIntegration", "GeneratedSwift", "GettingStarted", "Git", "Installing",
    "Migration", "ModelChanges", "ModelsOnLinux", "Plugin", "Porting", "PostgreSQL", "Stores", "Studio", "SwiftData"]
PLACE = "https://…/modelc"


class Reader:
    """A shell that keeps its folder and variables from one block to the next."""

    def __init__(self, folder, programs, package, scratch):
        self.folder, self.package = folder / "work", package
        self.state = folder / "state"
        (folder / "home").mkdir()
        self.folder.mkdir()
        self.state.write_text(f"cd {self.folder}\n")
        self.environment = {
            "PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(folder / "home"), "LANG": "C.UTF-8", "TERM": "dumb",
            "REPOSITORY": str(ROOT), "GIVEN": str(GIVEN), "SWIFTPM_BUILD_DIR": str(scratch), "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Reader", "GIT_AUTHOR_EMAIL": "reader@example.com", "GIT_COMMITTER_NAME": "Reader",
            "GIT_COMMITTER_EMAIL": "reader@example.com",
            # How packages are reached: proxies, certificates and mirrors.
            **{name: value for name, value in os.environ.items()
               if name.lower().endswith("_proxy") or name.startswith(("GIT_SSL_", "SSL_CERT_", "CURL_CA_", "GIT_CONFIG_"))}}

    def run(self, commands):
        """Runs commands up to the first that fails; returns the exit code and the output."""
        build_folder.prepare(self.environment["SWIFTPM_BUILD_DIR"])
        commands = commands.replace(PLACE, str(self.package()) if PLACE in commands else PLACE)
        script = f". {self.state}\nset -eo pipefail\n{commands}\n{{ export -p; echo cd \"$PWD\"; }} >{self.state}\n"
        done = subprocess.run(
            ["bash", "-c", script], cwd=self.folder, env=self.environment, text=True, errors="replace", stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=3600)
        return done.returncode, done.stdout

    def save(self, name, text):
        if PLACE in text:
            # A release is a version in a repository; here it is a folder.
            text = re.sub(rf'url: "{PLACE}", from: "[^"]*"', f'name: "modelc", path: "{self.package()}"', text)
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def console(block):
    """Yields the commands of a console block with the lines that they print."""
    command, printed = None, []
    for line in block.lines:
        if line.startswith("$ "):
            if command is not None:
                yield command, printed
            command, printed = line[2:], []
        else:
            printed.append(line)
    if command is not None:
        yield command, printed


class Article:
    def __init__(self, path, reader):
        self.path, self.reader = path, reader
        self.ran, self.saved, self.compared, self.skipped, self.failures = 0, 0, 0, [], []

    def fail(self, block, text):
        self.failures.append(f"{self.path.relative_to(ROOT)}:{block.line}: {text}")

    def command(self, block, text, code=0):
        start = time.monotonic()
        actual, output = self.reader.run(text)
        seconds = time.monotonic() - start
        if seconds > 10:
            print(f"    {seconds:.0f} s: {text.strip().splitlines()[-1]}", flush=True)
        if actual != code:
            self.fail(block, f"exited with {actual}:\n{text}\n{output[-4000:]}")
        return output

    def compare(self, block, expected, output):
        self.compared += 1
        if not pattern(expected, block.comment("numbers vary") is not None).fullmatch(output):
            self.fail(block, "prints something else:\n" + output[-4000:])

    def follow(self):
        output = ""
        setup = GIVEN / f"{self.path.stem}.sh"
        if setup.exists():
            code, text = self.reader.run(setup.read_text())
            if code != 0:
                self.failures.append(f"{setup.relative_to(ROOT)}: exited with {code}\n{text}")
                return
        for block in blocks(self.path.read_text()):
            for key, value in block.comments:
                if key == "given":
                    self.command(block, value)
            output = self.use(block, output)

    def use(self, block, output):
        """Does with a block what a reader does; returns what it printed."""
        reason = block.comment("not run")
        code = int(block.comment("exits with") or 0)
        if block.language == "yaml":
            try:
                yaml.safe_load(block.text)
            except yaml.YAMLError as error:
                self.fail(block, f"invalid YAML: {error}")
        if reason:
            self.skipped.append(f"{self.path.relative_to(ROOT)}:{block.line}: {reason}")
        elif block.comment("file"):
            self.saved += 1
            self.reader.save(block.comment("file"), block.text)
        elif block.comment("prints"):
            self.compare(block, block.lines, self.command(block, block.comment("prints"), code))
        elif block.language == "console":
            for command, printed in console(block):
                self.ran += 1
                self.compare(block, printed, self.command(block, command, code))
        elif block.language in SHELL:
            self.ran += 1
            return self.command(block, block.text, code)
        elif block.follows_commands and not block.language:
            self.compare(block, block.lines, output)
        elif block.language not in COMPILED + ("given",) and not block.comment("shown"):
            self.fail(block, f"nothing says what the block is for (“{block.language}”)")
        return ""


def released_package(build, folder):
    """Makes the package of a release with a built modelc, on the first call."""
    def make():
        package = folder / "modelc"
        if not package.exists():
            output = folder / "release"
            subprocess.run(
                [ROOT / "Scripts/release.sh", "--output", output, "--binary", build / "modelc", "--bundled", build / "modelc"], check=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd=ROOT)
            archive = next(output.glob("modelc-*-package.tar.gz"))
            unpacked = folder / "unpacked"
            unpacked.mkdir()
            subprocess.run(["tar", "-xzf", archive, "-C", unpacked], check=True)
            next(unpacked.iterdir()).rename(package)
        return package
    return make


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / ".build/debug", help="a debug build of the package")
    parser.add_argument("--scratch", type=Path, help="the build folder of another package that depends on this one")
    parser.add_argument("--keep", action="store_true", help="keeps the temporary folder")
    parser.add_argument("articles", nargs="*", help="only these articles, by their names")
    options = parser.parse_args()
    start = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="modelc-articles-"))
    failures, skipped, totals = [], [], [0, 0, 0]
    try:
        programs = folder / "bin"
        programs.mkdir()
        for name in PROGRAMS:
            (programs / name).symlink_to(options.build.resolve() / name)
        scratch = options.scratch.resolve() if options.scratch else folder / "scratch"
        package = (lambda: ROOT) if options.scratch else released_package(options.build.resolve(), folder)
        for name in options.articles or PAGES:
            path = ROOT / (f"{name}.md" if name == "README" else f"Documentation/Guides/{name}.md")
            (folder / name).mkdir()
            article = Article(path, Reader(folder / name, programs, package, scratch))
            article.follow()
            counts = [article.ran, article.saved, article.compared]
            totals = [total + count for total, count in zip(totals, counts)]
            print(f"{path.name}: {counts[0]} blocks run, {counts[1]} saved, {counts[2]} outputs compared, "
                  f"{len(article.skipped)} not run, {len(article.failures)} failed", flush=True)
            failures += article.failures
            skipped += article.skipped
    finally:
        if options.scratch:
            build_folder.prepare(options.scratch)
        if options.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    for line in skipped:
        print(f"not run: {line}")
    for line in failures:
        print(f"FAILED: {line}")
    print(f"{totals[0]} blocks run, {totals[1]} saved, {totals[2]} outputs compared, {len(skipped)} not run, {len(failures)} failed, "
          f"{time.monotonic() - start:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
