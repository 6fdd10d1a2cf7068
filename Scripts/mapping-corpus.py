#!/usr/bin/env python3
"""Checks modelc against real mapping models.

usage: Scripts/mapping-corpus.py CORPUS [--build BUILDFOLDER]

Every `xcmapping.xml` must be read; one with a `.cdm` of the same name in its repository must compile to an equal
archive; the copies of models in it must have the version hashes of that repository's models, unless it is stale; and
each mapping model, decompiled and compiled again, must give the same archive. Prints a table, and exits with 1 if
anything does not match.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

from archives import Archive, differences
from report import Report


def run(modelc, *arguments):
    return subprocess.run([modelc, *arguments], capture_output=True, text=True, timeout=120)


def find(folder, suffix):
    """The paths below a folder that end in something, sorted."""
    pattern = os.path.join(glob.escape(folder), "**", "*" + suffix)
    return sorted(path for path in glob.glob(pattern, recursive=True))


def archives_differ(first, second):
    archives = [Archive(open(path, "rb").read()) for path in (first, second)]
    return differences(archives[0], archives[0].root, archives[1], archives[1].root)


def known_hashes(modelc, repository):
    """The version hashes of all entities of all models in a repository."""
    hashes = set()
    for model in find(repository, ".xcdatamodel"):
        result = run(modelc, "hash", model, "--format", "json")
        if result.returncode == 0:
            for version in json.loads(result.stdout)["versions"]:
                entities = version["entities"]
                if isinstance(entities, dict):
                    hashes.update(entities.items())
                else:
                    hashes.update((entity["name"], entity["hash"]) for entity in entities)
    return hashes


def check_source(modelc, source, repository, hashes, scratch, report):
    result = run(modelc, "inspect", source, "--format", "json")
    report.check("sources read", result.returncode == 0, f"{source}: {result.stderr[:300]}")
    if result.returncode != 0:
        return
    mapping = json.loads(result.stdout)
    lint = run(modelc, "lint", source)
    report.check("linted without a crash", lint.returncode in (0, 1), f"{source}: {lint.stderr[:300]}")
    is_stale = "[stale-model-copy]" in lint.stdout
    for entity in mapping["entityMappings"]:
        for side in ("source", "destination"):
            name = entity.get(side + "Entity")
            if name is not None:
                known = (name, entity.get(side + "EntityHash")) in hashes
                label = "entity hashes equal to a model's, or reported as stale"
                report.check(label, known or is_stale, f"{source}: {name}")
    compiled = os.path.join(scratch, "compiled.cdm")
    result = run(modelc, "compile", source, compiled)
    report.check("sources compiled", result.returncode == 0, f"{source}: {result.stderr[:300]}")
    if result.returncode != 0:
        return
    stem = os.path.splitext(os.path.basename(source))[0]
    for path in find(repository, ".cdm"):
        if os.path.splitext(os.path.basename(path))[0] == stem:
            found = archives_differ(path, compiled)
            report.check("archives equal to Apple's", not found, f"{source}: {found[:5]}")
    check_round_trip(modelc, compiled, mapping, repository, scratch, report)


def check_round_trip(modelc, compiled, mapping, repository, scratch, report):
    """Decompiles with the models at hand, if the repository has them, and compiles again."""
    models = []
    for side in ("sourceModelPath", "destinationModelPath"):
        tail = mapping.get(side) or "?"
        tail = "/".join(tail.split("/")[-2:])
        found = [path for path in find(repository, ".xcdatamodel") if path.endswith(tail)]
        if not found:
            return
        models.append(found[0])
    recovered = os.path.join(scratch, "recovered.xcmappingmodel")
    again = os.path.join(scratch, "again.cdm")
    for path in (os.path.join(recovered, "xcmapping.xml"), again):
        if os.path.exists(path):
            os.remove(path)
    if os.path.isdir(recovered):
        os.rmdir(recovered)
    result = run(modelc, "decompile", compiled, recovered, "--source-model", models[0], "--destination-model", models[1])
    if "stale-model-copy" in result.stderr:
        return
    ok = result.returncode == 0
    report.check("mapping models decompiled", ok, f"{mapping['mappingModel']}: {result.stderr[:300]}")
    if not ok:
        return
    result = run(modelc, "compile", recovered, again)
    found = archives_differ(compiled, again) if result.returncode == 0 else [result.stderr[:300]]
    report.check("decompiled sources compiled to equal archives", not found, f"{mapping['mappingModel']}: {found[:5]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("--build", default=".build/debug", help="where SwiftPM built this package")
    arguments = parser.parse_args()
    modelc = os.path.join(os.path.abspath(arguments.build), "modelc")
    report = Report()
    folder = os.path.join(os.path.abspath(arguments.corpus), "mapping")
    for name in sorted(os.listdir(folder)):
        repository = os.path.join(folder, name)
        if not os.path.isdir(repository):
            continue
        # CoreDataPlus is there at several commits, a folder each.
        commits = [os.path.join(repository, inner) for inner in sorted(os.listdir(repository))]
        roots = commits if name == "alemar11+CoreDataPlus" else [repository]
        for root in roots:
            hashes = known_hashes(modelc, root)
            for source in find(root, ".xcmappingmodel"):
                with tempfile.TemporaryDirectory() as scratch:
                    check_source(modelc, source, root, hashes, scratch, report)
            for compiled in find(root, ".cdm"):
                result = run(modelc, "inspect", compiled)
                report.check("compiled mapping models read", result.returncode == 0, f"{compiled}: {result.stderr[:300]}")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
