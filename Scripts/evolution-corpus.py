#!/usr/bin/env python3
"""Compares all versions of every model of a corpus.

usage: Scripts/evolution-corpus.py CORPUS [--build BUILDFOLDER] [--write]

Runs `modelc migrate check` from each version of a bundle to each later one, with the mapping models of its repository, and
`modelc diff` over all neighbors. If two neighbors have a store with the same UUID and no mapping model serves the pair,
Apple's framework migrated the store without one, and the verdict has to say so. Compares the verdicts with Documentation/Evidence/EvolutionVerdicts.md, which a person
has read; --write writes that page. Exits with 1 if a check fails or the page is out of date.
"""
import argparse
import collections
import glob
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import urllib.parse

from report import Report

PAGE = os.path.join(os.path.dirname(__file__), "..", "Documentation/Evidence/EvolutionVerdicts.md")
VERDICTS = ["unneeded", "lightweight", "mapped", "staged", "mapping"]
STORE_SUFFIXES = (".sqlite", ".moody")

# What a person found when reading the verdicts.
DOUBTS = """
## Verdicts in doubt

- An attribute that became a relationship, or a relationship with another destination, is taken for a removed and an added
  property, since Apple documents nothing else. The migration then drops the values, and a note says so. `SubstrateDataModel` of
  fearless-iOS makes that change between versions 4 and 5; the corpus has no mapping model for it, nor a store that shows what
  happened. CareKit (`tags`, `OCKCDHealthKitLinkage.task`) has a mapping model.
- Version 1 to 3 of `CoreDataMigration_Example` is lightweight for the same reason, and drops the values of `Post.color`. The
  project's mapping models keep them: they migrate by way of version 2.
- Photo Club Hub has new required attributes without a default in three versions; the corpus has no mapping model. Lightweight
  migration may succeed if the store has no row of the entity, which holds for every obstacle of this kind.
- `UserInfo` of core_data_model, a test fixture, has an attribute and a relationship with the same renaming identifier. Whether
  Core Data refuses that for properties of different kinds is not known.
"""


def run(modelc, *arguments):
    return subprocess.run([modelc, *arguments], capture_output=True, text=True, timeout=300)


def find(folder, suffixes):
    """The paths below a folder that end in something, sorted."""
    paths = glob.glob(os.path.join(glob.escape(folder), "**", "*"), recursive=True)
    return sorted(path for path in paths if path.endswith(suffixes))


def name_of(path):
    return os.path.splitext(os.path.basename(path.rstrip("/")))[0]


def fingerprint(bundle):
    """A digest of all versions: several folders of the corpus hold the same bundle."""
    digest = hashlib.sha256(os.path.basename(bundle).encode())
    for path in sorted(glob.glob(os.path.join(glob.escape(bundle), "*.xcdatamodel", "*"))):
        digest.update(os.path.relpath(path, bundle).encode())
        with open(path, "rb") as file:
            digest.update(hashlib.sha256(file.read()).digest())
    return digest.digest()


def hashes(modelc, path):
    """The version hashes by entity of each version, or of a store."""
    result = run(modelc, "hash", path, "--format", "json")
    if not result.stdout:
        return {}
    return {version["name"]: version["entities"] for version in json.loads(result.stdout)["versions"]}


class Bundle:
    """A model with several versions, and what modelc says of their migrations."""

    def __init__(self, modelc, path, repository, root):
        self.path = path
        self.repository = repository
        # The folder of the repository, whose mapping models are the project's.
        self.root = root
        # Tells bundles of the same name apart.
        self.folder = None
        self.versions = []
        self.left_out = []
        # Source, destination: the route in the output of `migrate check`.
        self.routes = {}
        self.check(modelc)

    @property
    def title(self):
        return f"{self.repository}: {name_of(self.path)}" + (f" ({self.folder})" if self.folder else "")

    def check(self, modelc):
        self.hashes = hashes(modelc, self.path)
        names = [name_of(path) for path in glob.glob(os.path.join(glob.escape(self.path), "*.xcdatamodel"))]
        answers = {}
        self.errors = []
        for name in sorted(names):
            result = run(modelc, "migrate", "check", self.path, "--to", name, "--mappings", self.root, "--format", "json")
            if result.returncode not in (0, 1):
                self.errors.append(f"{name}: {result.stderr[:300]}")
            if result.stdout:
                answers[name] = json.loads(result.stdout)
            else:
                self.left_out.append(name)
        # Each answer lists the earlier versions, in the order of modelc: as Finder sorts names.
        self.versions = sorted(answers, key=lambda name: len(answers[name]["versions"]))
        for name, answer in answers.items():
            for route in answer["versions"]:
                self.routes[route["from"], name] = route
        for index, name in enumerate(self.versions):
            if [route["from"] for route in answers[name]["versions"]] != self.versions[:index]:
                self.errors.append(f"{name}: its earlier versions are not {self.versions[:index]}")

    def neighbors(self):
        return list(zip(self.versions, self.versions[1:]))

    def counts(self):
        return collections.Counter(route["verdict"] for route in self.routes.values())

    def mapping_models(self, pairs):
        """The mapping models that serve pairs of versions, in words."""
        used = {self.routes[pair].get("mappingModel") for pair in pairs} - {None}
        return ", ".join(sorted(map(name_of, used))) or "none"

    def obstacles(self):
        """The pairs that each obstacle is in the way of, by its text."""
        pairs = collections.defaultdict(list)
        for pair in sorted(self.routes, key=lambda pair: [self.versions.index(name) for name in pair]):
            for obstacle in self.routes[pair]["direct"]["obstacles"]:
                # What a reason says in parentheses is the same in each.
                reason = obstacle["reason"].split(" (")[0]
                pairs[f"`{obstacle['element']}` {reason}", obstacle["certainty"]].append(pair)
        return pairs


def bundles(modelc, corpus):
    seen = set()
    for path in find(corpus, (".xcdatamodeld",)):
        if len(glob.glob(os.path.join(glob.escape(path), "*.xcdatamodel"))) < 2:
            continue
        key = fingerprint(path)
        if key not in seen:
            seen.add(key)
            parts = os.path.relpath(path, corpus).split(os.sep)
            yield Bundle(modelc, path, parts[1].replace("+", "/", 1), os.path.join(corpus, *parts[:2]))


def store_uuid(path):
    """What identifies a store. Migrations keep it."""
    connection = sqlite3.connect(f"file:{urllib.parse.quote(path)}?immutable=1", uri=True)
    try:
        return connection.execute("SELECT Z_UUID FROM Z_METADATA").fetchone()[0]
    finally:
        connection.close()


def stores(modelc, corpus, report):
    """The stores that Apple's framework wrote: repository, file name, UUID, hashes."""
    result = []
    for part in ("mapping", "stores"):
        for path in find(os.path.join(corpus, part), STORE_SUFFIXES):
            repository = os.path.relpath(path, corpus).split(os.sep)[1].replace("+", "/", 1)
            found = list(hashes(modelc, path).values())
            report.check("stores read", len(found) == 1, path)
            result += [(repository, os.path.basename(path), store_uuid(path), entities) for entities in found]
    return result


def evidence(bundle, stores, report):
    """What stores show of a bundle's neighbors: pair, mapping models, verdict."""
    rows = []

    def files(version):
        return sorted({
            (name, uuid) for repository, name, uuid, entities in stores
            if repository == bundle.repository and entities == bundle.hashes.get(version)})

    for old, new in bundle.neighbors():
        before, after = files(old), files(new)
        if not before or not after:
            continue
        same = {uuid for _, uuid in before} & {uuid for _, uuid in after}
        used = bundle.mapping_models([(old, new)])
        verdict = bundle.routes[old, new]["verdict"]
        label = "stores that Apple migrated" if same else "neighbors with separate stores"
        expected = ("unneeded", "lightweight") if used == "none" else ("mapped",)
        report.check(f"{label}, {' or '.join(expected)}", verdict in expected, f"{bundle.title}: {old} → {new} {verdict}")
        names = [", ".join(sorted({name for name, uuid in found if not same or uuid in same})) for found in (before, after)]
        rows.append((old, new, " → ".join(names), "migrated" if same else "separate", used, verdict))
    return rows


def page(all_bundles, all_evidence):
    total = collections.Counter()
    lines = [
        "# Verdicts about real models", "",
        "What `modelc migrate check` says of all pairs of versions in the corpus (see the [README](README.md)): public",
        "projects under MIT, Apache-2.0 and BSD licenses, named by owner and repository. A bundle that several folders hold is",
        "listed once. Written by `Scripts/evolution-corpus.py ../shared/corpus --write`; check every verdict that changes.", "",
        "## Pairs of versions", "",
        "| Model | Versions | Pairs | Unneeded | Lightweight | Mapped | Staged | Mapping | Left out |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for bundle in all_bundles:
        counts = bundle.counts()
        total.update(counts)
        cells = [bundle.title, len(bundle.versions), len(bundle.routes), *(counts[word] for word in VERDICTS),
                 ", ".join(bundle.left_out)]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    sums = [sum(len(bundle.versions) for bundle in all_bundles), sum(total.values()), *(total[word] for word in VERDICTS)]
    lines += ["| **all** | " + " | ".join(map(str, sums)) + " | |", "",
              "*Unneeded*: all version hashes are equal. *Mapped*: a mapping model of the repository serves the pair, and takes",
              "precedence. *Staged*: lightweight by way of other versions. *Mapping*: none of these. *Left out*: versions with errors.",
              "Versions are ordered by name, which is not always the order in which they were released: of fearless-iOS,",
              "`UserDataModel` is the oldest version.", "",
              "## Why pairs are not lightweight", "",
              "Each obstacle with the pairs it is in the way of, mapped ones included. *Known*: documented by Apple, or observed.",
              "*Likely*: follows from Apple's documentation. *Unknown*: neither; assumed to fail.", "",
              "| Model | Obstacle | Certainty | Pairs | First pair | Mapping models of the pairs |",
              "| --- | --- | --- | ---: | --- | --- |"]
    for bundle in all_bundles:
        for (text, certainty), pairs in bundle.obstacles().items():
            used = bundle.mapping_models(pairs)
            lines.append(f"| {bundle.title} | {text} | {certainty} | {len(pairs)} | {pairs[0][0]} → {pairs[0][1]} | {used} |")
    lines += ["", "## Neighbors that are not lightweight", "",
              "Releases probably meet stores of these pairs. A project without a mapping model for one migrates in code, deletes the",
              "store, or shows that a rule here is too strict.", "",
              "| Model | From | To | Obstacles | Certainty | Mapping model |", "| --- | --- | --- | --- | --- | --- |"]
    for bundle in all_bundles:
        for pair in bundle.neighbors():
            obstacles = bundle.routes[pair]["direct"]["obstacles"]
            if obstacles:
                certainty = ", ".join(sorted({obstacle["certainty"] for obstacle in obstacles}))
                used = bundle.mapping_models([pair])
                lines.append(
                    f"| {bundle.title} | {pair[0]} | {pair[1]} | "
                    + ", ".join(f"`{obstacle['element']}`" for obstacle in obstacles) + f" | {certainty} | {used} |")
    lines += ["", "## Stores of neighbors", "",
              "Neighboring versions that both have a store which Apple's framework wrote. *Migrated*: both stores have the same UUID,",
              "so that one is the other after a migration; without a mapping model, that was a lightweight one. *Separate*: each store",
              "was made with its version, which shows only that the project relies on a migration. With a mapping model, the verdict",
              "may be either: it can also convert values that an inferred one would drop.", "",
              "| Model | From | To | Stores | Evidence | Mapping model | Verdict |",
              "| --- | --- | --- | --- | --- | --- | --- |"]
    for bundle, rows in zip(all_bundles, all_evidence):
        lines += ["| " + " | ".join((bundle.title, *row)) + " |" for row in rows]
    return "\n".join(lines) + "\n" + DOUBTS


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("--build", default=".build/debug", help="where SwiftPM built this package")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    modelc = os.path.join(os.path.abspath(arguments.build), "modelc")
    corpus = os.path.abspath(arguments.corpus)
    report = Report()
    all_bundles = list(bundles(modelc, corpus))
    titles = collections.Counter(bundle.title for bundle in all_bundles)
    for bundle in [bundle for bundle in all_bundles if titles[bundle.title] > 1]:
        bundle.folder = "/".join(os.path.relpath(bundle.path, corpus).split(os.sep)[2:-2])
    all_bundles.sort(key=lambda bundle: (bundle.title.lower(), bundle.path))
    known_stores = stores(modelc, corpus, report)
    all_evidence = []
    for bundle in all_bundles:
        report.check("bundles checked", not bundle.errors, f"{bundle.path}: {bundle.errors[:3]}")
        count = len(bundle.versions)
        report.check("bundles with a verdict about every pair", len(bundle.routes) == count * (count - 1) // 2, bundle.path)
        for old, new in bundle.neighbors():
            result = run(modelc, "diff", bundle.path, bundle.path, "--from", old, "--to", new)
            report.check("neighbors compared by diff", result.returncode == 0, f"{bundle.path} {old} {new}: {result.stderr[:300]}")
        for pair, route in bundle.routes.items():
            has_reason = route["verdict"] == "mapped" or (
                bool(route["direct"]["obstacles"]) == (route["verdict"] in ("staged", "mapping")))
            report.check("verdicts with a reason", has_reason, f"{bundle.path} {pair}")
        all_evidence.append(evidence(bundle, known_stores, report))
    text = page(all_bundles, all_evidence)
    if arguments.write:
        with open(PAGE, "w") as file:
            file.write(text)
    else:
        is_current = os.path.exists(PAGE) and open(PAGE).read() == text
        report.check("Documentation/Evidence/EvolutionVerdicts.md is up to date", is_current, "run with --write, and read what changed")
    print(text)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
