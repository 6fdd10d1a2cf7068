"""Runs the examples for build systems: CMake's, and Bazel's where Bazel is installed."""

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "Samples/Sources/Books/Books.xcdatamodeld"


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    if done.returncode != 0:
        raise SystemExit(f"error: {' '.join(map(str, command))} exited with {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


def check_cmake(program, folder):
    """A model is compiled, and again only if it has changed."""
    copy = folder / "cmake"
    shutil.copytree(ROOT / "Examples/cmake", copy / "Examples/cmake")
    shutil.copytree(MODEL, copy / MODEL.relative_to(ROOT))
    build = folder / "cmake-build"
    run("cmake", "-S", copy / "Examples/cmake", "-B", build, f"-DMODELC_EXECUTABLE={program}")
    message = "Compiling"
    if message not in run("cmake", "--build", build) or not (build / "Books.momd/Books.mom").exists():
        raise SystemExit("error: CMake did not compile the model")
    if message in run("cmake", "--build", build):
        raise SystemExit("error: CMake compiled an unchanged model again")
    contents = next((copy / MODEL.relative_to(ROOT)).rglob("contents"))
    contents.write_text(contents.read_text().replace('optional="YES"', 'optional="NO"', 1))
    if message not in run("cmake", "--build", build):
        raise SystemExit("error: CMake did not compile a changed model")


def check_bazel(program, folder):
    """A model is compiled and its classes are generated, in Bazel's sandbox. Returns whether Bazel is installed."""
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
