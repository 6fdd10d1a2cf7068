#!/usr/bin/env python3
"""Replays the commits of a repository that touch Core Data models, and compares the verdict of `modelc check` with the truth.

usage: Scripts/check-history.py REPOSITORY [--modelc PROGRAM] [--limit COUNT] [--list]

The truth about a commit does not come from `modelc check`: each version of each model of the parent is a release, and its entity
hashes are computed by `modelc hash`. A release whose hashes no version of the commit has locks its users out. Otherwise
`modelc migrate check` tells whether it reaches the current version. Commits whose models cannot be read are counted and left out.
The repository is not changed: its files are read with git, and checked in a temporary folder.

Exits with 1 if a commit that locks users out was not flagged, or if more than 1% of the others were.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

LOCKED, MAPPING = "would lock users out", "needs a mapping model"
BUNDLE, VERSION = ".xcdatamodeld", ".xcdatamodel"


def git(repository, *arguments):
    """Returns what git prints."""
    return subprocess.run(["git", "-C", repository, *arguments], check=True, capture_output=True).stdout


def commits(repository):
    """The commits with a parent that touch a model, oldest first, with their first parents."""
    text = git(repository, "log", "--reverse", "--no-merges", "--format=%H %P", "--", f":(glob)**/*{VERSION}/contents", f":(glob)**/.xccurrentversion")
    lines = [line.split() for line in text.decode().splitlines()]
    return [(words[0], words[1]) for words in lines if len(words) > 1]


def models(repository, commit):
    """The bundles of a commit, with the names of their versions and the current one; bundles of Xcode 3 have no contents."""
    result = {}
    for path in git(repository, "ls-tree", "-r", "-z", "--name-only", commit).decode(errors="surrogateescape").split("\0"):
        parts = path.split("/")
        index = next((i for i, part in enumerate(parts) if part.endswith(BUNDLE)), None)
        if index is None or any(part.startswith(".") or part in {"Pods", "Carthage", "DerivedData", "node_modules"} for part in parts[:index]):
            continue
        bundle = "/".join(parts[: index + 1])
        rest = parts[index + 1 :]
        if len(rest) == 2 and rest[0].endswith(VERSION) and rest[1] == "contents":
            result.setdefault(bundle, []).append(rest[0][: -len(VERSION)])
    return result


class Unreadable(Exception):
    """A model that modelc does not read as a whole."""


class History:
    def __init__(self, modelc, repository, folder):
        self.modelc, self.repository, self.folder = modelc, repository, folder
        self.models = os.path.join(os.path.dirname(folder), "models")
        self.known = {}

    def run(self, *arguments):
        return subprocess.run([self.modelc, *arguments], cwd=self.folder, capture_output=True, text=True)

    def model(self, commit, bundle):
        """The tree of a bundle, and a folder with its files."""
        tree = git(self.repository, "rev-parse", f"{commit}:{bundle}").decode().strip()
        folder = os.path.join(self.models, tree)
        path = os.path.join(folder, os.path.basename(bundle))
        if not os.path.isdir(path):
            os.makedirs(path)
            archive = git(self.repository, "archive", tree)
            subprocess.run(["tar", "-x", "-C", path], input=archive, check=True)
        return tree, path

    def hashes(self, commit, bundle, version):
        """The entity hashes of a version as a set."""
        tree, path = self.model(commit, bundle)
        if tree not in self.known:
            result = self.run("hash", path, "--format", "json")
            versions = json.loads(result.stdout)["versions"] if result.returncode == 0 else []
            self.known[tree] = {found["name"]: frozenset(found["entities"].items()) for found in versions}
        if version not in self.known[tree]:
            raise Unreadable(f"{commit[:12]}:{bundle} {version}")
        return self.known[tree][version]

    def check_out(self, commit):
        """Makes the temporary folder a clone at a commit."""
        git(self.folder, "checkout", "--quiet", "--force", "--detach", commit)
        git(self.folder, "clean", "--quiet", "-ffdx")

    def truth(self, commit, parent):
        """Whether the commit locks users out, needs a mapping model, or neither."""
        before, after = models(self.repository, parent), models(self.repository, commit)
        worst = None
        moved = {bundle for bundle in after if bundle not in before}
        for bundle, versions in before.items():
            places = [bundle] if bundle in after else sorted(moved)
            for version in versions:
                released = self.hashes(parent, bundle, version)
                match = next(
                    ((place, name) for place in places for name in after[place] if self.hashes(commit, place, name) == released), None)
                if match is None:
                    return LOCKED
                place, name = match
                plan = self.run("migrate", "check", self.model(commit, place)[1], "--from", name)
                if plan.returncode == 2:
                    # There is no way from a version to itself, and none without a current version.
                    continue
                old = self.run("migrate", "check", self.model(parent, bundle)[1], "--from", version)
                if plan.returncode == 1 and old.returncode == 0:
                    worst = MAPPING
        for bundle, versions in after.items():
            for version in versions:
                self.hashes(commit, bundle, version)
        # A current version that was current before a later one locks out the users of the later one.
        for bundle in before.keys() & after.keys():
            old, new = self.current(parent, bundle), self.current(commit, bundle)
            if old and new and old != new:
                was, now = self.hashes(parent, bundle, old), self.hashes(commit, bundle, new)
                if was != now and any(self.hashes(parent, bundle, name) == now for name in before[bundle]):
                    return LOCKED
        return worst

    def current(self, commit, bundle):
        """The name of the current version; None if it is not stated."""
        try:
            text = git(self.repository, "show", f"{commit}:{bundle}/.xccurrentversion").decode(errors="replace")
        except subprocess.CalledProcessError:
            return None
        name = text.partition("<string>")[2].partition(f"{VERSION}</string>")[0]
        return name if name and git(self.repository, "ls-tree", "--name-only", commit, f"{bundle}/{name}{VERSION}/") else None

    def verdict(self, commit, parent):
        self.check_out(commit)
        result = self.run("check", "--against", parent, "--without", "lint", "--without", "format", "--without", "lock", "--without", "generate", "--reporter", "json")
        if result.returncode == 2:
            raise Unreadable(f"{commit[:12]}: {result.stderr.strip().splitlines()[:1]}")
        return json.loads(result.stdout)["verdict"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repository", type=pathlib.Path)
    parser.add_argument("--modelc", default=".build/debug/modelc")
    parser.add_argument("--limit", type=int, default=500, help="the number of commits, counted from the newest")
    parser.add_argument("--list", action="store_true", help="print each commit")
    arguments = parser.parse_args()
    modelc = shutil.which(arguments.modelc) or os.path.abspath(arguments.modelc)
    repository = str(arguments.repository.resolve())
    flagged = missed = alarms = harmless = unreadable = mappings = mappings_found = 0
    with tempfile.TemporaryDirectory(prefix="modelc-") as temporary:
        folder = os.path.join(temporary, "clone")
        subprocess.run(["git", "clone", "--quiet", "--no-checkout", "--shared", repository, folder], check=True)
        history = History(modelc, repository, folder)
        for commit, parent in commits(repository)[-arguments.limit :]:
            try:
                truth, verdict = history.truth(commit, parent), history.verdict(commit, parent)
                if verdict.startswith("unknown"):
                    raise Unreadable(f"{commit[:12]}: {verdict}")
            except Unreadable as reason:
                unreadable += 1
                if arguments.list:
                    print(f"{commit[:12]} left out: {reason}")
                continue
            if truth == LOCKED:
                flagged += verdict == LOCKED
                missed += verdict != LOCKED
            else:
                harmless += 1
                alarms += verdict == LOCKED or (verdict == MAPPING and truth is None)
                mappings += truth == MAPPING
                mappings_found += truth == MAPPING and verdict == MAPPING
            is_right = verdict == truth or (truth is None and verdict not in {LOCKED, MAPPING})
            if arguments.list or not is_right:
                print(f"{commit[:12]} {'right' if is_right else 'WRONG'}: truth {truth or 'harmless'}, verdict {verdict}")
    print(f"commits that lock users out: {flagged} of {flagged + missed} flagged")
    print(f"commits that need a mapping model: {mappings_found} of {mappings} recognized")
    print(f"false alarms: {alarms} of {harmless} other commits")
    print(f"left out: {unreadable}")
    return 1 if missed or alarms * 100 > harmless else 0


if __name__ == "__main__":
    sys.exit(main())
