"""Runs a composite GitHub action as GitHub's runner does, from its action.yml.

What is not GitHub: steps with `uses:` are recorded and not run; of the expression language there are comparisons, && || !, literals,
the functions success, failure, always and cancelled, and the contexts inputs, github, runner, env and steps; of the workflow commands
only annotations are read. Nothing else is accepted: an action that needs more fails here, instead of passing unnoticed.
"""

import os
import re
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import yaml

TOKEN = re.compile(r"\s*(?:('(?:[^']|'')*')|(&&|\|\||==|!=|[!()])|([A-Za-z_][\w.-]*)|(\d+))")


@dataclass
class Result:
    """What a job with one step, the action, has done."""

    outcome: str = "success"
    # The outcome of each step by its name: success, failure or skipped.
    steps: dict = field(default_factory=dict)
    # The inputs of the steps that use other actions, by the action.
    used: dict = field(default_factory=dict)
    # Annotations as (level, properties, message).
    annotations: list = field(default_factory=list)
    log: str = ""


class Expression:
    """The value of an expression; names are looked up in a dictionary of contexts."""

    def __init__(self, text, contexts, status):
        self.text, self.contexts, self.status, self.tokens, end = text, contexts, status, [], 0
        text = text.rstrip()
        while end < len(text):
            match = TOKEN.match(text, end)
            if not match:
                raise ValueError(f"unsupported expression: {text}")
            self.tokens.append(match)
            end = match.end()

    def value(self):
        value = self.either()
        if self.tokens:
            raise ValueError(f"unsupported expression: {self.text}")
        return value

    def operator(self, *operators):
        if self.tokens and self.tokens[0][2] in operators:
            return self.tokens.pop(0)[2]
        return None

    def either(self):
        value = self.both()
        while self.operator("||"):
            other = self.both()
            value = value or other
        return value

    def both(self):
        value = self.comparison()
        while self.operator("&&"):
            other = self.comparison()
            value = value and other
        return value

    def comparison(self):
        value = self.operand()
        operator = self.operator("==", "!=")
        if not operator:
            return value
        other = self.operand()
        # Strings are compared without regard to case.
        equal = value.lower() == other.lower() if isinstance(value, str) and isinstance(other, str) else value == other
        return equal == (operator == "==")

    def operand(self):
        if self.operator("!"):
            return not self.operand()
        if self.operator("("):
            value = self.either()
            if not self.operator(")"):
                raise ValueError(f"unsupported expression: {self.text}")
            return value
        if not self.tokens:
            raise ValueError(f"incomplete expression: {self.text}")
        string, _, name, number = self.tokens.pop(0).groups()
        if string:
            return string[1:-1].replace("''", "'")
        if number:
            return int(number)
        if name in ("true", "false"):
            return name == "true"
        if self.operator("("):
            if not self.operator(")") or name not in self.status:
                raise ValueError(f"unsupported function: {name}")
            return self.status[name]
        value = self.contexts
        for part in name.split("."):
            # GitHub yields an empty string for what does not exist, which would hide a misspelling.
            if part not in value:
                raise ValueError(f"there is no {name}")
            value = value[part]
        return value


def substituted(text, contexts, status):
    """A text with its ${{ … }} replaced."""
    def replacement(match):
        value = Expression(match[1], contexts, status).value()
        return str(value).lower() if isinstance(value, bool) else str(value)

    return re.sub(r"\$\{\{(.*?)\}\}", replacement, str(text), flags=re.S)


def assignments(path):
    """The variables of a GITHUB_ENV or GITHUB_OUTPUT file: NAME=VALUE, or NAME<<END with lines up to END."""
    lines, found = iter(path.read_text().splitlines()), {}
    for line in lines:
        name, separator, value = line.partition("<<")
        if separator and "=" not in name:
            body = []
            for row in lines:
                if row == value:
                    break
                body.append(row)
            found[name] = "\n".join(body)
        elif "=" in line:
            name, _, found_value = line.partition("=")
            found[name] = found_value
    return found


def annotations(text):
    def unescaped(part, *pairs):
        for code, character in pairs:
            part = part.replace(code, character)
        return part

    common = (("%0D", "\r"), ("%0A", "\n"), ("%25", "%"))
    found = []
    for match in re.finditer(r"^\s*::(error|warning|notice)(?: ([^\n]*?))?::(.*)$", text, flags=re.M):
        properties = dict(part.split("=", 1) for part in (match[2] or "").split(",") if "=" in part)
        properties = {key: unescaped(value, ("%3A", ":"), ("%2C", ","), *common) for key, value in properties.items()}
        found.append((match[1], properties, unescaped(match[3], *common)))
    return found


def run_action(action, workspace, inputs, environment=None):
    """Runs an action in a folder, with inputs in place of their defaults.

    action is the folder of action.yml; environment replaces the variables of this process, of which only PATH and HOME are kept.
    """
    definition = yaml.safe_load((action / "action.yml").read_text())
    unknown = set(inputs) - set(definition["inputs"])
    if unknown:
        raise ValueError(f"the action has no inputs {sorted(unknown)}")
    result, failed = Result(), False
    with tempfile.TemporaryDirectory() as temporary:
        files = {name: Path(temporary) / name for name in ["GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY"]}
        (Path(temporary) / "runner").mkdir()
        variables = {
            "PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/root"), "CI": "true", "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(workspace), "GITHUB_ACTION_PATH": str(action), "RUNNER_OS": "Linux",
            "RUNNER_TEMP": str(Path(temporary) / "runner"), **{name: str(path) for name, path in files.items()}, **(environment or {})}
        contexts = {
            "inputs": {name: inputs.get(name, value.get("default", "")) for name, value in definition["inputs"].items()},
            "github": {"action_path": str(action), "workspace": str(workspace)},
            "runner": {"temp": variables["RUNNER_TEMP"], "os": "Linux"}, "env": {}, "steps": {}}
        for step in definition["runs"]["steps"]:
            name, identifier = step["name"], step.get("id")
            status = {"always": True, "success": not failed, "failure": failed, "cancelled": False}
            condition = str(step.get("if", "success()"))
            wrapped = re.fullmatch(r"\s*\$\{\{(.*)\}\}\s*", condition, flags=re.S)
            condition = wrapped[1] if wrapped else condition
            if not re.search(r"\b(always|success|failure|cancelled)\(\)", condition):
                condition = f"success() && ({condition})"
            outcome, outputs = "skipped", {}
            if Expression(condition, contexts, status).value():
                if "uses" in step:
                    values = {key: substituted(value, contexts, status) for key, value in step.get("with", {}).items()}
                    result.used[step["uses"]] = values
                    outcome = "success"
                else:
                    for path in files.values():
                        path.write_text("")
                    script = Path(temporary) / "step.sh"
                    script.write_text(substituted(step["run"], contexts, status))
                    own = {key: substituted(value, contexts, status) for key, value in step.get("env", {}).items()}
                    done = subprocess.run(
                        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)], cwd=workspace,
                        env={**variables, **contexts["env"], **own}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT, text=True)
                    result.log += f"--- {name}: {done.returncode}\n{done.stdout}"
                    result.annotations += annotations(done.stdout)
                    outcome = "success" if done.returncode == 0 else "failure"
                    outputs = assignments(files["GITHUB_OUTPUT"])
                    contexts["env"].update(assignments(files["GITHUB_ENV"]))
                    for folder in files["GITHUB_PATH"].read_text().splitlines():
                        variables["PATH"] = f"{folder}:{variables['PATH']}"
            result.steps[name] = outcome
            if identifier:
                contexts["steps"][identifier] = {"outcome": outcome, "conclusion": outcome, "outputs": outputs}
            failed = failed or outcome == "failure"
    result.outcome = "failure" if failed else "success"
    return result
