#!/usr/bin/env python3
"""Writes a model bundle with many versions, to measure `modelc-store migrate-test`.

usage: Scripts/versions-bundle.py VERSIONS ENTITIES FOLDER.xcdatamodeld [--edits]

The versions are those of the benchmark `migrate-test/100-versions`: entities with six or seven attributes and a pair of relationships to
the next one, and in each version one optional attribute more. With --edits, the versions also rename an attribute, widen a number,
remove an attribute, and add and remove an entity in turns.
"""
import argparse
import os

ATTRIBUTES = [
    ("String", ""), ("Integer 64", ' defaultValueString="0"'), ("Boolean", ""), ("Date", ""),
    ("Double", ' defaultValueString="0.0"'), ("Binary", ""), ("UUID", ""),
]
HEAD = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="24299" \
systemVersion="25A362" minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
"""
CURRENT = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>V{}.xcdatamodel</string></dict></plist>
"""


def first(count):
    """The entities of the first version: a dictionary of attributes by entity, each as (type, rest)."""
    return {
        f"Entity{number}": {
            f"attribute{place}": kind for place, kind in enumerate(ATTRIBUTES[:7 if number % 2 == 0 else 6])
        }
        for number in range(count)
    }


def edit(entities, version, count, is_mixed):
    """Changes the entities to those of the next version."""
    attributes = entities[f"Entity{version % count}"]
    attributes[f"added{version}"] = ("String", "")
    if not is_mixed:
        return
    kind = version % 5
    if kind == 1 and "attribute0" in attributes:
        attributes[f"renamed{version}"] = ("String", ' elementID="attribute0"')
        del attributes["attribute0"]
    elif kind == 2:
        attributes["attribute1"] = ("Double", ' defaultValueString="0"')
    elif kind == 3:
        attributes.pop("attribute5", None)
    elif kind == 4 and version % 2 == 0:
        entities[f"Extra{version}"] = {"name": ("String", ""), "count": ("Integer 32", ' defaultValueString="1"')}
    elif kind == 4:
        for name in [name for name in entities if name.startswith("Extra")][:1]:
            del entities[name]


def text(entities, count):
    """The contents of a version."""
    lines = [HEAD]
    for name, attributes in entities.items():
        lines.append(f'    <entity name="{name}" representedClassName="{name}" syncable="YES">\n')
        for attribute, (kind, rest) in attributes.items():
            lines.append(f'        <attribute name="{attribute}" optional="YES" attributeType="{kind}"{rest}/>\n')
        if name.startswith("Entity"):
            number = int(name[len("Entity"):])
            following, previous = f"Entity{(number + 1) % count}", f"Entity{(number + count - 1) % count}"
            lines.append(
                f'        <relationship name="next" optional="YES" maxCount="1" deletionRule="Nullify" '
                f'destinationEntity="{following}" inverseName="previous" inverseEntity="{following}"/>\n'
                f'        <relationship name="previous" optional="YES" toMany="YES" deletionRule="Nullify" '
                f'destinationEntity="{previous}" inverseName="next" inverseEntity="{previous}"/>\n')
        lines.append("    </entity>\n")
    return "".join(lines) + "</model>\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", type=int)
    parser.add_argument("entities", type=int)
    parser.add_argument("folder")
    parser.add_argument("--edits", action="store_true", help="make other changes besides added attributes")
    arguments = parser.parse_args()
    entities = first(arguments.entities)
    for version in range(1, arguments.versions + 1):
        folder = os.path.join(arguments.folder, f"V{version}.xcdatamodel")
        os.makedirs(folder)
        with open(os.path.join(folder, "contents"), "w", encoding="utf-8") as file:
            file.write(text(entities, arguments.entities))
        edit(entities, version - 1, arguments.entities, arguments.edits)
    with open(os.path.join(arguments.folder, ".xccurrentversion"), "w", encoding="utf-8") as file:
        file.write(CURRENT.format(arguments.versions))


main()
