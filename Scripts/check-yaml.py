#!/usr/bin/env python3
"""Compares the parser of settings files with libyaml.

usage: Scripts/check-yaml.py [--fuzz COUNT] [--seed SEED] [--suite FOLDER ...] [--write]

Every document must be read as libyaml (PyYAML's CBaseLoader) reads it, or be rejected. Documents are generated from SEED
(printed), and read from folders: every in.yaml (the YAML test suite, https://github.com/yaml/yaml-test-suite, is part of
Debian's source package libyaml-pp-perl) and every *.data and *.*-error file (PyYAML's own tests). --write stores the
documents of the folders in Tests/Foundations/ProjectConfigurationTests/Fixtures/yaml-cases.jsonl, which the tests use. Exits with 1 on a difference.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

import yaml

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
FIXTURE = os.path.join(ROOT, "Tests", "Foundations", "ProjectConfigurationTests", "Fixtures", "yaml-cases.jsonl")

PIECES = [
    "a", "b", "key", "x y", "Kid's/**", "*", "**", "T?sts", "-", "- ", "- - ", ": ", ":", "a: ", "b: ", "a:\n", "#", " # c",
    "\n", "\n", "\n  ", "\n    ", "\n- ", "\n  - ", " ", "  ", "[", "]", "{", "}", ",", ", ", "'", "''", '"', "\\n", "\\x41",
    "\\u00e9", "\\", "\\\"", "&x", "*x", "!t", "|", ">", "%", "@", "`", "? ", "?", "---", "\n---\n", "...", "~", "null", "1",
    "é", "\u00a0", "\u2028", "\u0085", "\t", "\r\n", "\r", "\ufeff", "\u0001", "[a, b]", "{a: b}", "'q'", '"q"', "<<: ",
]


def node_value(node):
    """A node as JSON: a string, a list, or {"map": [[key, value], ...]}; ValueError for a key that is no scalar."""
    if isinstance(node, yaml.ScalarNode):
        return node.value
    if isinstance(node, yaml.SequenceNode):
        return [node_value(item) for item in node.value]
    pairs = []
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise ValueError("a collection as a key")
        pairs.append([key.value, node_value(value)])
    return {"map": pairs}


def case(name, text):
    """A document with what libyaml reads; without a value if libyaml rejects it."""
    result = {"name": name, "text": text}
    try:
        node = yaml.compose(text, Loader=yaml.CBaseLoader)
        value = {"map": []} if node is None else node_value(node)
        result["value"] = value
    except (yaml.YAMLError, ValueError, RecursionError):
        pass
    return result


def suite_cases(folder):
    for parent, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if name == "in.yaml" or name.endswith((".data", "-error")):
                path = os.path.join(parent, name)
                with open(path, "rb") as file:
                    try:
                        text = file.read().decode("utf-8")
                    except UnicodeDecodeError:
                        continue
                yield case(os.path.relpath(path, folder), text)


def settings_like(generator, indent, depth):
    """A document in the style of a settings file, mostly valid."""
    lines = []
    pad = " " * indent
    scalars = ["a", "Kid's/**  # c", "'it''s' # c", '"a\\tb\\u00e9"', "[a, 'b, c', \"d\"]", "{a: b, c: [d]}", "x#y", "a:b", "-a", "[]", "{}", "", "T?sts/*"]
    for number in range(generator.randint(1, 4)):
        key = generator.choice(["key", "'quoted key'", "x y", "a-b"]) + str(number) * generator.randint(0, 1)
        kind = generator.randrange(4)
        if kind == 0 and depth < 4:
            lines.append(f"{pad}{key}:{generator.choice(['', ' # c', '  '])}")
            lines += settings_like(generator, indent + generator.randint(1, 3), depth + 1)
        elif kind == 1:
            lines.append(f"{pad}{key}:")
            inner = " " * (indent + generator.choice([0, 2]))
            for _ in range(generator.randint(1, 3)):
                lines.append(f"{inner}- {generator.choice(scalars)}")
        elif kind == 2:
            lines.append(f"{pad}- {key}: {generator.choice(scalars)}")
        else:
            lines.append(f"{pad}{key}: {generator.choice(scalars)}")
        if generator.randrange(6) == 0:
            lines.append(generator.choice(["", "# c", "   # c"]))
    return lines


def fuzz_cases(count, seed):
    generator = random.Random(seed)
    for number in range(count):
        if number % 2:
            text = "\n".join(settings_like(generator, 0, 0)) + "\n"
            for _ in range(generator.randint(0, 2)):
                place = generator.randrange(len(text) + 1)
                text = text[:place] + generator.choice(PIECES) + text[place + generator.randint(0, 2):]
        else:
            text = "".join(generator.choice(PIECES) for _ in range(generator.randint(1, 14)))
        yield case(f"fuzz {seed}/{number}", text)


def run(path):
    environment = dict(os.environ, MODELC_YAML_CASES=path)
    command = ["swift", "test", "--skip-build", "--filter", "YAMLSubsetTests"]
    return subprocess.run(command, cwd=ROOT, env=environment).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fuzz", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--suite", action="append", default=[])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    cases = [item for folder in options.suite for item in suite_cases(folder)]
    if options.write:
        with open(FIXTURE, "w") as file:
            file.writelines(json.dumps(item) + "\n" for item in cases)
    print(f"seed {options.seed}, {len(cases)} documents of suites, {options.fuzz} generated")
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(json.dumps(item) + "\n" for item in cases)
        file.writelines(json.dumps(item) + "\n" for item in fuzz_cases(options.fuzz, options.seed))
        file.flush()
        sys.exit(run(file.name))


if __name__ == "__main__":
    main()
