#!/usr/bin/env python3
"""Compiles modelc for macOS without a Mac and without the SDK: it is type-checked, but neither linked nor run.

usage: Scripts/macos-check.py [--build FOLDER]

The standard library for macOS is compiled from the toolchain's textual interface, which says since which version of macOS each declaration
exists. The C declarations are Apple's headers in the package `ziglang` from PyPI. Of libxml2 and SQLite, Linux's own headers are used. What
the SDK adds to them in Swift, and the little that swift-argument-parser needs of Foundation, are stand-ins (Scripts/macos-stubs). The
deployment target is that of Package.swift.

So this finds names that a Mac does not have, names that are newer than the deployment target, and types that differ, such as those of
threads. It says nothing about the modules for Objective-C and the linker, and which module of the SDK declares a function is a guess.
The runtime, modelc-store and the studio are not compiled: they are for systems without Core Data.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STUBS = ROOT / "Scripts/macos-stubs"
SOURCES = ROOT / "Sources"
ZIGLANG = "ziglang==0.15.2"
HEADERS = "ziglang/lib/libc/include/any-macos-any/"
# The modules of the toolchain that programs import without saying so.
STANDARD = ["Swift", "_Concurrency", "_Builtin_float", "_RegexParser", "_StringProcessing", "SwiftOnoneSupport"]
# What the module Darwin of the SDK consists of, as far as it is relevant here. <mach-o/dyld.h> is in another module.
DARWIN = """
    assert ctype dirent dlfcn errno fcntl float inttypes limits locale math netdb netinet/in netinet/tcp arpa/inet poll pthread pwd sched
    signal spawn stdio stdlib string strings sys/attr sys/clonefile sys/event sys/file sys/ioctl sys/mman sys/mount sys/param sys/resource
    sys/select sys/socket sys/stat sys/statvfs sys/sysctl sys/time sys/types sys/uio sys/un sys/utsname sys/wait sysexits copyfile termios
    time unistd utime wchar wctype xlocale mach/mach mach/mach_time
""".split()
# How the modules of Sources are compiled, as Package.swift says.
STRICT = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
# Code that a compiler for macOS 13 rejects, with a part of the message: without these errors, the check would mean nothing.
REJECTED = {
    "let number: UInt128 = 0": "is only available in macOS 15",
    "func f(_ g: (() throws(CancellationError) -> Void)?) -> Bool { g == nil }": "is only available in macOS 15",
    "import Darwin\nlet flag = O_TMPFILE": "cannot find 'O_TMPFILE' in scope",
    "import Darwin\nfunc f() -> timespec { stat().st_mtim }": "has no member 'st_mtim'",
    "import Glibc": "no such module 'Glibc'",
}


class Compiler:
    """A compiler for macOS, with the modules that it has compiled."""

    def __init__(self, folder, toolchain, version):
        self.folder = folder
        self.modules = folder / "modules"
        self.toolchain = toolchain
        self.target = f"x86_64-apple-macosx{version}.0"
        self.flags = ["-target", self.target, "-disable-objc-interop", "-I", str(self.modules), "-module-cache-path", str(folder / "cache")]

    def run(self, *arguments):
        """Runs the compiler; returns whether it succeeded and what it printed."""
        result = subprocess.run(["swiftc", "-frontend", *arguments], capture_output=True, text=True)
        return result.returncode == 0, result.stderr

    def compile(self, name, files, *options, flags=()):
        done, messages = self.run(
            "-emit-module", *self.flags, *flags, *options, "-module-name", name.replace("-", "_"), "-o",
            str(self.modules / f"{name.replace('-', '_')}.swiftmodule"), *map(str, files))
        if not done:
            sys.exit(f"{messages}\nerror: the module {name} does not compile for macOS")

    def compile_standard_library(self):
        for name in STANDARD:
            # The interface of the static library is that of the dynamic one, which is not installed.
            text = next((self.toolchain / "swift_static/linux" / f"{name}.swiftmodule").glob("*.private.swiftinterface")).read_text()
            text = re.sub(r"-target \S+", f"-target {self.target}", text, count=1)
            # Functions without bodies, which are invalid with the attribute for a system that needs it.
            text = re.sub(r"@backDeployed\([^)]*\)", "", text)
            interface = self.folder / f"{name}.swiftinterface"
            interface.write_text(text)
            done, messages = self.run(
                "-compile-module-from-interface", *self.flags, "-disable-availability-checking", "-module-name", name,
                *(["-parse-stdlib"] if name == "Swift" else []), "-o", str(self.modules / f"{name}.swiftmodule"), str(interface))
            if not done:
                sys.exit(f"{messages}\nerror: the standard library's module {name} does not compile for macOS")

    def compile_system(self):
        """Compiles the modules of the SDK that are needed."""
        headers = self.folder / "headers"
        with tempfile.TemporaryDirectory() as scratch:
            pip = Path(scratch) / "venv/bin/pip"
            subprocess.run([sys.executable, "-m", "venv", pip.parents[1]], check=True)
            subprocess.run([pip, "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", scratch, ZIGLANG], check=True)
            with zipfile.ZipFile(next(Path(scratch).glob("*.whl"))) as archive:
                for name in archive.namelist():
                    if name.startswith(HEADERS) and not name.endswith("/"):
                        path = headers / name.removeprefix(HEADERS)
                        path.parent.mkdir(parents=True, exist_ok=True)
                        path.write_bytes(archive.read(name))
        shutil.copytree("/usr/include/libxml2/libxml", headers / "libxml")
        shutil.copy("/usr/include/sqlite3.h", headers)
        for module, names in (("Darwin", DARWIN), ("os", ["os/lock"])):
            folder = self.folder / "C" / module
            folder.mkdir(parents=True)
            (folder / "module.modulemap").write_text(f'module {module} [system] {{ header "{module}.h" export * }}\n')
            (folder / f"{module}.h").write_text("".join(f"#include <{name}.h>\n" for name in names))

    def use_system(self):
        # The compiler's own headers come before those of the C library.
        for folder in (self.toolchain / "swift/clang/include", self.folder / "headers"):
            self.flags += ["-Xcc", "-isystem", "-Xcc", str(folder)]
        for module in ("Darwin", "os"):
            self.flags += ["-I", str(self.folder / "C" / module)]
        self.compile("Darwin", [STUBS / "Darwin.swift"], "-parse-as-library", "-import-underlying-module")
        self.compile("Foundation", [STUBS / "Foundation.swift"], "-parse-as-library")

    def require_errors(self):
        for code, reason in REJECTED.items():
            file = self.folder / "rejected.swift"
            file.write_text(code + "\n")
            done, messages = self.run("-typecheck", *self.flags, "-swift-version", "6", str(file))
            if done or reason not in messages:
                sys.exit(f"{messages}\nerror: the compiler for macOS does not say “{reason}” about: {code}")


class Program:
    """The modules of Sources and swift-argument-parser that `modelc` consists of."""

    def __init__(self, compiler, packages):
        self.compiler = compiler
        self.folders = {path.name: path for path in SOURCES.glob("*/*") if any(path.glob("**/*.swift"))}
        self.parser = {path.name: path for path in (packages / "swift-argument-parser/Sources").iterdir()}
        self.folders |= self.parser
        self.compiled = set()
        compiler.flags += [flag for path in SOURCES.glob("*/*/module.modulemap") for flag in ("-I", str(path.parent))]

    def files(self, name):
        return sorted(self.folders[name].glob("**/*.swift"))

    def imports(self, name):
        pattern = re.compile(r"^(?:@\w+ )?(?:\w+ )?import (\w+)", re.MULTILINE)
        found = {module for file in self.files(name) for module in pattern.findall(file.read_text())}
        return sorted(found & set(self.folders) - {name})

    def compile(self, name):
        """Compiles a module after those that it imports, unless that was done before."""
        if name in self.compiled:
            return
        self.compiled.add(name)
        for other in self.imports(name):
            self.compile(other)
        files = self.files(name)
        if name == "Templates":
            # SwiftPM writes this file.
            names = [path.name.replace(".", "_").replace("+", "_") for path in self.folders[name].glob("*.mustache")]
            lines = [f"    static let {name}: [UInt8] = []\n" for name in names]
            resources = self.compiler.folder / "PackageResources.swift"
            resources.write_text(f"struct PackageResources {{\n{''.join(lines)}}}\n")
            files.append(resources)
        options = ["-package-name", "modelc", "-swift-version", "5" if name in self.parser else "6"]
        if not any(file.name == "main.swift" for file in files):
            options.append("-parse-as-library")
        if name not in self.parser and name != "modelc":
            options += [flag for feature in STRICT for flag in ("-enable-upcoming-feature", feature)]
        self.compiler.compile(name, files, *options)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / ".build", help="the build folder, with the sources of packages")
    options = parser.parse_args()
    version = re.search(r"\.macOS\(\.v(\d+)\)", (ROOT / "Package.swift").read_text())[1]
    information = subprocess.run(["swiftc", "-print-target-info"], check=True, capture_output=True, text=True).stdout
    toolchain = Path(json.loads(information)["paths"]["runtimeResourcePath"]).parent
    # What does not depend on the sources is kept.
    key = hashlib.sha256((information + version + ZIGLANG + " ".join(DARWIN + STANDARD)).encode()).hexdigest()[:16]
    folder = options.build.resolve() / f"macos-check/{key}"
    compiler = Compiler(folder, toolchain, version)
    if not (folder / "complete").exists():
        shutil.rmtree(folder.parent, ignore_errors=True)
        compiler.modules.mkdir(parents=True)
        compiler.compile_system()
        compiler.compile_standard_library()
        (folder / "complete").touch()
    compiler.use_system()
    compiler.require_errors()
    program = Program(compiler, options.build.resolve() / "checkouts")
    program.compile("modelc")
    print(f"{len(program.compiled)} modules compile for macOS {version}")


if __name__ == "__main__":
    main()
