#!/usr/bin/env python3
"""Builds Packaging/Dockerfile without Docker: its steps run in root folders that debootstrap makes, one for each FROM.

usage: Tests/Release/container.py [--binary FILE] [--readme]

Needs root, debootstrap, Debian's mirror and a Swift toolchain; takes about ten minutes, so .ci/run does not run it. --binary saves the
program that was built; --readme also runs README's first command in the root with Swift.

What is not Docker: the base images. debian:bookworm-slim is `debootstrap --variant=minbase bookworm`, and swift:6.3-bookworm the same
with this machine's toolchain at /opt/swift and the packages that the toolchain needs.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MIRROR = "http://deb.debian.org/debian"
# What the toolchain needs (swift.org, Installation via Tarball, Debian 12).
SWIFT_PACKAGES = (
    "binutils-gold git gcc g++ libc6-dev libcurl4-openssl-dev libedit-dev libncurses-dev libpython3-dev libsqlite3-0 libstdc++-12-dev "
    "libxml2-dev pkg-config tzdata zlib1g-dev ca-certificates")


class Container:
    """A root folder in which commands run. Not isolated from the machine otherwise."""

    def __init__(self, path, stack):
        self.path, self.folder, self.entry = path, "/", []
        self.environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8"}
        for source, target, *options in [("proc", "proc", "-t", "proc"), ("/dev", "dev", "--bind")]:
            self.mount(stack, source, target, *options)
        shutil.copy("/etc/resolv.conf", path / "etc/resolv.conf")

    def mount(self, stack, source, target, *options):
        (self.path / target).mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", *options, str(source), str(self.path / target)], check=True)
        stack.callback(subprocess.run, ["umount", "--lazy", str(self.path / target)], check=True)

    def run(self, *command, code=0):
        script = f"cd {shlex.quote(self.folder)} && exec \"$@\""
        done = subprocess.run(
            ["chroot", str(self.path), "/bin/sh", "-c", script, "sh", *command], env={**self.environment, "DEBIAN_FRONTEND": "noninteractive"},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != code:
            sys.exit(f"error: {shlex.join(command)} exited with {done.returncode}\n{done.stdout[-4000:]}")
        return done.stdout


def base(image, folder, stack):
    """A container of a base image."""
    name, _, tag = image.partition(":")
    if (name, tag) == ("debian", "bookworm-slim"):
        packages = ""
    elif name == "swift" and tag.endswith("-bookworm"):
        packages = SWIFT_PACKAGES
    else:
        sys.exit(f"error: unknown base image {image}")
    subprocess.run(
        ["debootstrap", "--variant=minbase", "bookworm", str(folder), MIRROR], check=True, stdout=subprocess.DEVNULL)
    container = Container(folder, stack)
    if packages:
        container.run("sh", "-c", f"apt-get update -qq && apt-get install -y -qq --no-install-recommends {packages}")
        toolchain = Path(shutil.which("swift")).resolve().parents[2]
        container.mount(stack, toolchain, "opt/swift", "--bind")
        container.environment["PATH"] = "/opt/swift/usr/bin:" + container.environment["PATH"]
        # Where git finds the dependencies, if not at GitHub.
        mapped = subprocess.run(
            ["git", "config", "--get-regexp", r"^url\..*\.insteadof$"], stdout=subprocess.PIPE, text=True).stdout.splitlines()
        for place in {line.split()[0].removeprefix("url.").removesuffix(".insteadof").rstrip("/") for line in mapped}:
            if Path(place).is_dir():
                container.mount(stack, place, place.lstrip("/"), "--bind")
        for key, value in (line.split() for line in mapped):
            container.run("git", "config", "--global", "--add", key, value)
        container.run("git", "config", "--global", "--add", "safe.directory", "*")
    return container


def instructions(dockerfile):
    """The instructions of a Dockerfile, with continued lines joined."""
    text = re.sub(r"\\\n", "", re.sub(r"^\s*#.*\n", "", dockerfile.read_text(), flags=re.M))
    return [line.split(maxsplit=1) for line in text.splitlines() if line.strip()]


def build(dockerfile, context, folder, stack):
    """Builds a Dockerfile; returns its stages by name or number, the last one last."""
    stages, container = {}, None
    for instruction, rest in instructions(dockerfile):
        start = time.monotonic()
        if instruction == "FROM":
            image, _, name = rest.partition(" AS ")
            name = name or str(len(stages))
            container = stages[name] = base(image, folder / name, stack)
        elif instruction == "RUN":
            container.run("sh", "-c", rest)
        elif instruction == "WORKDIR":
            container.folder = rest
            (container.path / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif instruction == "ENTRYPOINT":
            container.entry = json.loads(rest)
        elif instruction == "COPY":
            words = rest.split()
            place = container.path / words[-1].lstrip("/")
            if words[0].startswith("--from="):
                shutil.copy(stages[words[0].removeprefix("--from=")].path / words[1].lstrip("/"), place)
            elif words[0] == ".":
                subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(context), str(place)], check=True)
            else:
                sys.exit(f"error: unsupported COPY: {rest}")
        else:
            sys.exit(f"error: unsupported instruction: {instruction}")
        print(f"{time.monotonic() - start:6.0f} s  {instruction} {rest[:100]}", flush=True)
    return stages


def expect(condition, text):
    if not condition:
        sys.exit(f"error: {text}")


def check_image(image):
    """What `docker run modelc …` does with a model in the working directory."""
    work = image.path / image.folder.lstrip("/")
    shutil.copytree(ROOT / "Samples/Sources/Books/Books.xcdatamodeld", work / "Books.xcdatamodeld")
    expect(image.run(*image.entry, "--version").startswith("modelc "), "there is no version")
    image.run(*image.entry, "lint")
    image.run(*image.entry, "generate", "Books.xcdatamodeld", "--output", "Generated")
    expect((work / "Generated/Book+CoreDataClass.swift").exists(), "nothing was generated")
    image.run(*image.entry, "compile", "Books.xcdatamodeld")
    expect((work / "Books.momd/VersionInfo.plist").exists(), "nothing was compiled")
    # A revision needs git, which the image has for that purpose.
    for arguments in (["init", "-q"], ["add", "."], ["-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "-qm", "Add"]):
        image.run("git", *arguments)
    image.run(*image.entry, "diff", "HEAD:Books.xcdatamodeld", "Books.xcdatamodeld", "--exit-code")
    contents = work / "Books.xcdatamodeld/Books.xcdatamodel/contents"
    contents.write_text(contents.read_text().replace('attributeType="String"', 'attributeType="Strng"'))
    expect("unknown-type" in image.run(*image.entry, "lint", code=1), "the error was not found")


def check_readme(container):
    """README's first command, as it stands, in a clone without build products."""
    command = re.search(r"^apt-get update .*generate.*$", (ROOT / "README.md").read_text(), flags=re.M)[0]
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(ROOT), str(container.path / "clone")], check=True)
    container.folder = "/clone"
    start = time.monotonic()
    container.run("bash", "-c", command)
    expect((container.path / "tmp/books/Book+CoreDataClass.swift").exists(), "nothing was generated")
    print(f"{time.monotonic() - start:6.0f} s  README's first command", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", type=Path)
    parser.add_argument("--readme", action="store_true")
    options = parser.parse_args()
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        sys.exit("error: debootstrap and root are needed")
    with ExitStack() as stack:
        name = tempfile.mkdtemp(dir="/var/tmp")
        # Not through mounts, should one be left.
        stack.callback(subprocess.run, ["rm", "-rf", "--one-file-system", name])
        stages = build(ROOT / "Packaging/Dockerfile", ROOT, Path(name), stack)
        first, image = list(stages.values())[0], list(stages.values())[-1]
        check_image(image)
        print("image: ok", flush=True)
        if options.binary:
            shutil.copy(image.path / image.run("sh", "-c", f"command -v {image.entry[0]}").strip().lstrip("/"), options.binary)
        if options.readme:
            check_readme(first)
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
