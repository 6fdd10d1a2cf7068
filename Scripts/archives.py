"""Comparing keyed archives: Apple's compiled models with ours."""
import plistlib


class Archive:
    """A keyed archive, to be compared with another one without regard to any order."""

    def __init__(self, data):
        plist = plistlib.loads(data)
        self.objects = plist["$objects"]
        self.root = plist["$top"]["root"]

    def resolve(self, value):
        return self.objects[value.data] if isinstance(value, plistlib.UID) else value

    def class_name(self, value):
        return self.resolve(value["$class"])["$classname"]


def differences(first, a, second, b, path="", seen=None, found=None):
    """The places in which two values of two archives differ; null, absent and container classes count."""
    seen = set() if seen is None else seen
    found = [] if found is None else found
    if isinstance(a, plistlib.UID) != isinstance(b, plistlib.UID):
        found.append(f"{path}: inline against reference")
        return found
    if isinstance(a, plistlib.UID):
        if (a.data == 0) != (b.data == 0):
            found.append(f"{path}: null against not null")
            return found
        if a.data == 0 or (a.data, b.data) in seen:
            return found
        seen.add((a.data, b.data))
        a, b = first.resolve(a), second.resolve(b)
    if type(a) is not type(b):
        found.append(f"{path}: {a!r} against {b!r}")
    elif isinstance(a, dict):
        compare_objects(first, a, second, b, path, seen, found)
    elif isinstance(a, list):
        if len(a) != len(b):
            found.append(f"{path}: {len(a)} against {len(b)} elements")
        for index, (x, y) in enumerate(zip(a, b)):
            differences(first, x, second, y, f"{path}[{index}]", seen, found)
    elif a != b:
        found.append(f"{path}: {a!r} against {b!r}")
    return found


def compare_objects(first, a, second, b, path, seen, found):
    if "$class" not in a or "$class" not in b:
        if a != b:
            found.append(f"{path}: {a!r} against {b!r}")
        return
    class_a, class_b = first.resolve(a["$class"]), second.resolve(b["$class"])
    if class_a["$classname"] != class_b["$classname"] or class_a["$classes"] != class_b["$classes"]:
        found.append(f"{path}: class {class_a} against {class_b}")
        return
    if class_a["$classname"] in ("NSDictionary", "NSMutableDictionary"):
        entries = []
        for archive, value in ((first, a), (second, b)):
            keys = [archive.resolve(key) for key in value["NS.keys"]]
            entries.append(dict(zip(keys, value["NS.objects"])))
            if len(entries[-1]) != len(value["NS.objects"]):
                found.append(f"{path}: duplicate keys")
        compare_keys(first, entries[0], second, entries[1], path, seen, found)
    elif class_a["$classname"] == "NSSet":
        def key(archive, value):
            value = archive.resolve(value)
            return archive.resolve(value["NSEntityName"]) if isinstance(value, dict) else value
        x = sorted(a["NS.objects"], key=lambda value: key(first, value))
        y = sorted(b["NS.objects"], key=lambda value: key(second, value))
        differences(first, x, second, y, path, seen, found)
    else:
        compare_keys(first, {k: v for k, v in a.items() if k != "$class"}, second,
                     {k: v for k, v in b.items() if k != "$class"}, path, seen, found)


def compare_keys(first, a, second, b, path, seen, found):
    for key in sorted(set(a) | set(b), key=str):
        if key not in a:
            found.append(f"{path}.{key}: absent in the first")
        elif key not in b:
            found.append(f"{path}.{key}: absent in the second")
        else:
            differences(first, a[key], second, b[key], f"{path}.{key}", seen, found)


# Pairs whose source is not the very file that Apple's compiler saw: the corpus pairs by version hashes, and the source
# changed in something that no hash contains. (Folder of the compiled model, place of the only differences.)
OTHER_SOURCE = {
    "_history/af40941c33": (".NSEntities.Car.NSFetchIndexDescriptions.NS.objects[0].NSIndexName: ",),
    "_history/2871385d62": (".NSVersionIdentifiers[0]: ",),
    "_history/8b91a8900a": (".NSVersionIdentifiers[0]: ",),
    "_history/84cf431a32": (".NSVersionIdentifiers[0]: ",),
    "_history/041082f9ed": (".NSVersionIdentifiers[0]: ",),
    "_history/3a5ab9be06": (".NSVersionIdentifiers[0]: ",),
    "_history/f5ee87cd2d": (".NSVersionIdentifiers[0]: ",),
    "_history/5a9d9847e1": (".NSVersionIdentifiers[0]: ",),
    "_history/4e4bb1d3ed": (".NSVersionIdentifiers[0]: ",),
    "_history/20a280ff14": (".NSEntities.Car.NSProperties.currentDrivingSpeed: absent in the first",
                            ".NSEntities.Car.NSProperties.owner.NSDestinationEntity.NSProperties.isDriving: absent"),
    "CoreDataPlus/Tests/Resources/SampleModel/Fixtures/SampleModel.momd/SampleModel.mom":
        (".NSEntities.Car.NSProperties.color.NSAttributeValueClassName: null",),
}


def without_known_differences(found):
    """Drops what Documentation/Formats/CompiledModel.md, 2.10 lists as differing by the version of Apple's compiler."""
    known = [d for d in found if d.endswith(".NSAllocationType: absent in the first")]
    return [d for d in found if d not in known], known


def is_mutable_string(difference):
    """An index name that a compiler of 2018 made up is an NSMutableString (Documentation/Formats/CompiledModel.md, 2.9)."""
    return ".NSIndexName: {" in difference and "'NS.string': 'maker_numberPlate'} against 'maker_numberPlate'" in difference
