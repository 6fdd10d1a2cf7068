"""Checks Packaging/install.sh, and the hook that installs a release with it."""

import hashlib
import io
import json
import os
import shlex
import shutil
import signal
import subprocess
import tarfile
from pathlib import Path

from commands import expect, run

ROOT = Path(__file__).resolve().parents[2]


def tree(folder):
    """The files below a folder with their contents, and its folders."""
    return {
        str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes()
        for path in folder.rglob("*")} if folder.exists() else None


def stub(folder, name, script):
    """Writes a program that is found before the system's; returns the environment in which it is."""
    folder.mkdir(parents=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}


def check_installer(output, version, folder):
    """The installer puts the verified files below a prefix, which stays as it was if anything fails."""
    machine = os.uname().machine
    releases = folder / "releases"
    files = releases / f"download/v{version}"
    shutil.copytree(output, files)
    prefix = folder / "prefix"
    install = [output / "install.sh", "--releases", releases.as_uri(), "--prefix"]
    run(*install, prefix)
    run(*install, prefix, "--version", f"v{version}")  # over itself
    expect(run(prefix / "bin/modelc", "--version").startswith(f"modelc {version} "), "the installed program has another version")
    expect((prefix / "share/man/man1/modelc.1.gz").exists(), "the manual was not installed")
    expect({path.name for path in prefix.iterdir()} == {"bin", "share"}, "the installer left files behind")
    check_other_system(output, files, version, folder)
    # The other installations are of few and small files.
    archive = files / f"modelc-{version}-linux-{machine}.tar.gz"
    reduce_archive(archive, f"#!/bin/sh\necho 'modelc {version} (of a test)'\n")
    check_arguments(install, releases, folder)
    check_failures(install, prefix, folder)
    check_released_hook(releases, version, folder)
    archive.write_bytes(archive.read_bytes() + b"x")
    other = folder / "other-prefix"
    expect("checksum" in run(*install, other, code=1), "a wrong checksum is not reported")
    expect(not other.exists(), "something was installed in spite of a wrong checksum")


def reduce_archive(archive, script):
    """Writes a released archive again, with a script as the program and two manual pages, and its checksum."""
    before = hashlib.sha256(archive.read_bytes()).hexdigest()
    with tarfile.open(archive) as old:
        members = [(member, old.extractfile(member).read() if member.isfile() else None) for member in old.getmembers()]
    with tarfile.open(archive, "w:gz") as new:
        for member, data in members:
            if member.name.endswith(".1.gz") and Path(member.name).name not in ["modelc.1.gz", "modelc-lint.1.gz"]:
                continue
            if member.name.endswith("/bin/modelc"):
                data = script.encode()
                member.size = len(data)
            new.addfile(member, None if data is None else io.BytesIO(data))
    sums = archive.with_name("SHA256SUMS")
    sums.write_text(sums.read_text().replace(before, hashlib.sha256(archive.read_bytes()).hexdigest()))


def check_arguments(install, releases, folder):
    """Wrong arguments are named, also if the installer is read from a pipe."""
    script = install[0]
    expect(run(script, "--help").startswith("usage: install.sh --releases URL"), "--help prints no usage")
    piped = subprocess.run(
        ["sh", "-s", "--", "--foo"], input=script.read_text(), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    expect(piped.returncode == 2 and "usage: install.sh" in piped.stdout and "--foo" in piped.stdout, f"--foo: {piped}")
    for option in ["--releases", "--version", "--prefix"]:
        expect(f"{option} needs a value" in run(script, option, code=2), f"{option} without a value")
    home = {name: value for name, value in os.environ.items() if name != "HOME"}
    expect("HOME" in run(script, "--releases", "file:///nowhere", code=1, env=home), "without HOME")
    # The prefix needs no HOME. A relative one is below the working directory.
    work = folder / "relative"
    work.mkdir()
    run(script, "--releases", releases.as_uri(), "--prefix", "a/b", cwd=work, env=home)
    expect((work / "a/b/bin/modelc").exists(), "a relative prefix")
    # An installer that was cut off while it was read does nothing.
    cut = subprocess.run(["sh", "-s", "--", "--help"], input=script.read_text().removesuffix('main "$@"\n'), text=True, capture_output=True)
    expect(cut.returncode == 0 and not cut.stdout, f"a part of the installer did something: {cut}")


def check_failures(install, prefix, folder):
    """After a failure or signal, nothing has changed."""
    tools = folder / "stubs"
    before = tree(prefix)
    mv = shutil.which("mv")

    def fails(text, code, target=prefix, **options):
        state = tree(target)
        printed = run(*install, target, code=code, **options)
        expect(text in printed, f"expected {text}:\n{printed}")
        expect(tree(target) == state, f"the installer changed {target}:\n{printed}")

    # A program or a page that cannot be moved: the files that have been are put back.
    for name, reject in [("program", "*/bin/modelc"), ("page", "*/modelc-lint.1.gz")]:
        environment = stub(tools / name, "mv", f'case $2 in */old/*) ;; {reject}) echo full >&2; exit 1 ;; esac\nexec {mv} "$@"')
        (prefix / "share/man/man1/modelc.1.gz").write_bytes(b"old")
        fails("full", 1, env=environment)
        fails("full", 1, folder / f"new-{name}", env=environment)
    # A shell cannot trap what was ignored when it started, as nohup ignores SIGHUP, and a background job SIGINT.
    for number in signal.SIGHUP, signal.SIGINT, signal.SIGTERM:
        signal.signal(number, signal.SIG_DFL)
    for name, code in [("HUP", 129), ("INT", 130), ("TERM", 143)]:
        environment = stub(tools / name, "mv", f'{mv} "$@"; case $2 in */old/*) ;; *) kill -{name} $PPID ;; esac')
        fails("", code, env=environment)
        fails("", code, folder / f"new-{name}", env=environment)
    (prefix / "share/man/man1/modelc.1.gz").write_bytes(before["share/man/man1/modelc.1.gz"])

    blocked = folder / "blocked"
    (blocked / "bin/modelc").mkdir(parents=True)
    fails("bin/modelc is a folder", 1, blocked)
    blocked = folder / "blocked-share"
    blocked.mkdir()
    (blocked / "share").write_text("")
    fails("share", 1, blocked)
    # A link is replaced, and the file that it leads to stays.
    linked = folder / "linked"
    (linked / "bin").mkdir(parents=True)
    (folder / "mine").write_text("mine")
    (linked / "bin/modelc").symlink_to(folder / "mine")
    run(*install, linked)
    expect(not (linked / "bin/modelc").is_symlink() and (folder / "mine").read_text() == "mine", "the target of a link was replaced")

    without = folder / "without-curl"
    without.mkdir()
    for name in ["sh", "uname", "tr", "dirname"]:
        (without / name).symlink_to(shutil.which(name))
    fails("curl is not installed", 1, env={**os.environ, "PATH": str(without)})
    # A temporary folder from which nothing can run.
    if os.getuid() == 0:
        mounted = folder / "noexec"
        mounted.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "noexec", "tmpfs", mounted], capture_output=True).returncode == 0:
            try:
                run(*install, folder / "from-noexec", env={**os.environ, "TMPDIR": str(mounted)})
            finally:
                run("umount", mounted)


def check_released_hook(releases, version, folder):
    """The hook that downloads: the second time, from the cache. It asks its own clone for the URL, whatever git has set for a hook."""
    hook = [ROOT / "Scripts/released-modelc.sh", "--version"]
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "MODELC_RELEASES": releases.as_uri()}
    for address in [releases.as_uri(), "file:///nowhere"]:
        printed = run(*hook, env={**environment, "MODELC_RELEASES": address})
        expect(f"modelc {version} (" in printed, f"the downloaded hook printed {printed}")

    clone, user = folder / "modelc-clone", folder / "user"
    for path in ["Scripts/released-modelc.sh", "Packaging/install.sh", "Sources/Tool/ModelcDriver/Environment/ToolVersion.swift"]:
        (clone / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, clone / path)
    # The version is that of the sources.
    sources = clone / "Sources/Tool/ModelcDriver/Environment/ToolVersion.swift"
    sources.write_text(sources.read_text().replace(f'"{version}"', '"7.8.9"'))
    for place, name in [(clone, "modelc"), (user, "app")]:
        run("git", "init", "-q", place)
        run("git", "-C", place, "remote", "add", "origin", f"https://{name}.invalid/{name}.git")
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "other-cache")}
    environment.pop("MODELC_RELEASES", None)
    # What git sets in a linked work tree.
    for more in [{}, {"GIT_DIR": str(user / ".git"), "GIT_WORK_TREE": str(user), "GIT_INDEX_FILE": str(user / ".git/index")}]:
        printed = run(clone / "Scripts/released-modelc.sh", code=1, cwd=user, env={**environment, **more})
        expect("https://modelc.invalid/modelc/releases/download/v7.8.9/" in printed, f"the hook asks another repository:\n{printed}")
        # A shallow clone has no tags.
        expect("is not the release" not in printed, f"a warning without tags:\n{printed}")
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]
    run("git", "-C", clone, *identity, "commit", "-q", "--allow-empty", "-m", "Release")
    for tag, warns in [("v1.0.0", True), ("v7.8.9", False)]:
        run("git", "-C", clone, "tag", tag)
        printed = run(clone / "Scripts/released-modelc.sh", code=1, cwd=user, env=environment)
        expect(("is not the release 7.8.9" in printed) == warns, f"with the tag {tag}:\n{printed}")


def check_other_system(output, files, version, folder):
    """On macOS the installer takes the universal archive. The program in it is this system's, and `uname` is a stub."""
    machine = os.uname().machine
    name = f"modelc-{version}-linux-{machine}"
    with tarfile.open(output / f"{name}.tar.gz") as archive:
        archive.extract(f"{name}/bin/modelc", folder / "for-macos")
    binary = folder / f"for-macos/{name}/bin/modelc"
    run(ROOT / "Scripts/release-macos.sh", "--output", folder / "macos", "--binary", binary)
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=folder / "macos")
    universal = f"modelc-{version}-macos-universal.tar.gz"
    shutil.copy(folder / "macos" / universal, files)
    with open(files / "SHA256SUMS", "a") as sums:
        sums.write("".join(line for line in open(folder / "macos/SHA256SUMS") if universal in line))
    install = [output / "install.sh", "--releases", files.parents[1].as_uri(), "--prefix"]
    for system, machine, code in [("Darwin", "arm64", 0), ("Darwin", "x86_64", 0), ("Linux", "riscv64", 1), ("FreeBSD", "x86_64", 1)]:
        prefix = folder / f"{system}-{machine}"
        script = f'[ "$1" = -s ] && echo {shlex.quote(system)} || echo {shlex.quote(machine)}'
        printed = run(*install, prefix, code=code, env=stub(folder / f"uname-{system}-{machine}", "uname", script))
        expect((prefix / "share/man/man1/modelc.1.gz").exists() == (code == 0), f"{system}: {printed}")


def check_bill(output, version):
    """The bill of materials names what is linked, and the archives are named as installers expect."""
    machine = os.uname().machine
    bill = json.loads((output / f"modelc-{version}-linux-{machine}.spdx.json").read_text())
    names = {each["name"] for each in bill["packages"]}
    expect({"modelc", "swift-argument-parser", "swift-runtime"} <= names, f"the bill of materials has only {names}")
    # What installers such as mise's and ubi's choose by: the system and the architecture, once each among the archives.
    archives = [path.name for path in output.glob("*.tar.gz") if "-linux-" in path.name]
    expect(archives == [f"modelc-{version}-linux-{machine}.tar.gz"], f"the archives are named {archives}")
