"""The plan that SwiftPM keeps in a build folder."""

from pathlib import Path


def forget_plan(scratch):
    """Makes the next command plan anew: SwiftPM takes the plan of the last build in a folder for that of any package that it builds there."""
    for name in ("debug.yaml", "release.yaml"):
        (Path(scratch) / name).unlink(missing_ok=True)
