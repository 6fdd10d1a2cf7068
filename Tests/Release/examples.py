"""Runs the examples for build systems: CMake's, and Bazel's where Bazel is installed."""

import ast
import os
import shutil
import time
from pathlib import Path

from commands import run

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "Samples/Sources/Books/Books.xcdatamodeld"


def check_cmake(program, folder):
    """A model is compiled, and again only if it, its output or modelc has changed."""
    copy = folder / "cmake"
    shutil.copytree(ROOT / "Examples/cmake", copy / "Examples/cmake")
    shutil.copytree(MODEL, copy / MODEL.relative_to(ROOT))
    build = folder / "cmake-build"
    tool = folder / "cmake-modelc"
    shutil.copy(program, tool)
    lists = copy / "Examples/cmake/CMakeLists.txt"
    lists.write_text(lists.read_text() + "modelc_add_model(plain Plain.xcdatamodeld OUTPUT models)\n")
    shutil.copytree(ROOT / "Tests/AppleComparison/Models/Plain.xcdatamodeld", lists.with_name("Plain.xcdatamodeld"))
    run("cmake", "-S", copy / "Examples/cmake", "-B", build, f"-DMODELC_EXECUTABLE={tool}")
    message = "Compiling"
    if message not in run("cmake", "--build", build) or not (build / "Books.momd/Books.mom").exists():
        raise SystemExit("error: CMake did not compile the model")
    if message in run("cmake", "--build", build):
        raise SystemExit("error: CMake compiled an unchanged model again")
    contents = next((copy / MODEL.relative_to(ROOT)).rglob("contents"))
    contents.write_text(contents.read_text().replace('optional="YES"', 'optional="NO"', 1))
    if message not in run("cmake", "--build", build):
        raise SystemExit("error: CMake did not compile a changed model")
    # A relative folder is below the binary folder, wherever CMake runs.
    for path in ["models/Plain.momd/Plain 2.mom", "models/Plain.momd/VersionInfo.plist", "Books.momd/Books.mom", "Books.momd"]:
        output = build / path
        if output.is_dir():
            shutil.rmtree(output)
        else:
            output.unlink()
        if message not in run("cmake", "--build", build) or not output.exists():
            raise SystemExit(f"error: CMake did not write the removed {path} again")
    later = time.time() + 10
    os.utime(tool, (later, later))
    if message not in run("cmake", "--build", build):
        raise SystemExit("error: CMake did not compile with a changed modelc")


def check_bazel(program, folder):
    """A model is compiled and its classes are generated, in Bazel's sandbox. Returns whether Bazel is installed."""
    # Starlark's syntax is a part of Python's.
    for path in (ROOT / "Examples/bazel").rglob("*"):
        if path.name in ("BUILD.bazel", "WORKSPACE") or path.suffix == ".bzl":
            ast.parse(path.read_text(), str(path))
    if not shutil.which("bazel"):
        return False
    copy = folder / "bazel"
    shutil.copytree(ROOT / "Examples/bazel", copy)
    shutil.copytree(MODEL, copy / MODEL.name)
    shutil.copy(program, copy / "tools/modelc")
    command = ["bazel", f"--output_user_root={folder / 'bazel-root'}"]
    try:
        run(*command, "build", "//:books", "//:books_classes", cwd=copy)
        for path in ["Books.momd/Books.mom", "books_classes/Book+CoreDataClass.swift"]:
            if not (copy / "bazel-bin" / path).exists():
                raise SystemExit(f"error: Bazel did not write {path}")
    finally:
        run(*command, "shutdown", cwd=copy)
    return True
