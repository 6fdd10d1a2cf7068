"""Which models of a corpus are checked by steps that take seconds for each."""

import os
import xml.etree.ElementTree as ElementTree
from pathlib import Path

# Attributes whose values decide what is shown and generated.
TELLING = {
    ("attribute", "attributeType"), ("attribute", "usesScalarValueType"), ("entity", "codeGenerationType"), ("fetchRequest", "resultType"),
    ("model", "sourceLanguage"), ("relationship", "deletionRule"),
}


def features(model):
    """Returns the kinds of files, elements and attributes that a model has, and whether it has several versions."""
    found = {model.suffix}
    versions = 0
    for path in model.rglob("*"):
        if not path.is_file():
            continue
        # Plain XML and property lists have no suffix.
        found.add(("file", path.suffix or path.name))
        if path.name != "contents":
            continue
        versions += 1
        try:
            elements = ElementTree.parse(path).iter()
        except ElementTree.ParseError:
            found.add("malformed")
            continue
        for element in elements:
            found.add(element.tag)
            for name, value in element.attrib.items():
                found.add((element.tag, name))
                if (element.tag, name) in TELLING:
                    found.add((element.tag, name, value))
    return found | {("versions", min(versions, 2))}


def size(model):
    return sum(path.stat().st_size for path in model.rglob("*") if path.is_file())


def covering(models):
    """Returns models that together have all features, few and small ones."""
    found = {model: features(model) for model in models}
    missing = set().union(*found.values())
    chosen = []
    while missing:
        best = max(models, key=lambda model: (len(found[model] & missing), -size(model)))
        chosen.append(best)
        missing -= found[best]
    # Those whose features others that were chosen later have, too.
    for model in list(chosen):
        others = [found[one] for one in chosen if one is not model]
        if others and found[model] <= set().union(*others):
            chosen.remove(model)
    return sorted(chosen)


def chosen(models):
    """Returns all models if `MODELC_NIGHTLY` is set, and otherwise some that together have all features."""
    return sorted(models) if os.environ.get("MODELC_NIGHTLY") else covering(sorted(models))


def contents(corpus):
    """Returns the contents files of the chosen versions of models in a corpus."""
    folders = {path.parent for path in Path(corpus, "models").rglob("contents")}
    return [str(folder / "contents") for folder in chosen(folders)]
