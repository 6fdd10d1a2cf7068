"""What a script that checks a corpus counts and prints."""
import collections


class Report:
    """Counts checks by name, and remembers what failed."""

    def __init__(self):
        self.passed = collections.Counter()
        self.total = collections.Counter()
        self.failures = []

    def check(self, name, is_right, detail):
        self.total[name] += 1
        if is_right:
            self.passed[name] += 1
        else:
            self.failures.append(f"{name}: {detail}")

    def finish(self):
        for failure in self.failures[:40]:
            print("MISMATCH", failure)
        width = max(len(name) for name in self.total)
        print(f"{'check'.ljust(width)}  matches")
        for name in self.total:
            print(f"{name.ljust(width)}  {self.passed[name]} of {self.total[name]}")
        return 0 if not self.failures else 1
