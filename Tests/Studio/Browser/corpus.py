"""The corpus of real models and stores, and which of its models the tests use."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "Scripts"))
from corpus_models import chosen

ROOT = os.environ.get("MODELC_CORPUS")


def models():
    """Returns the chosen models of the corpus."""
    folder = Path(ROOT, "models")
    return chosen([*folder.rglob("*.xcdatamodeld"), *(
        path for path in folder.rglob("*.xcdatamodel") if path.parent.suffix != ".xcdatamodeld")])
