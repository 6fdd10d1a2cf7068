#!/usr/bin/env python3
"""Writes man pages for modelc and each of its commands, from what the program says of its arguments.

usage: Scripts/man-pages.py MODELC FOLDER
"""

import json
import subprocess
import sys
from pathlib import Path


def roff(text):
    """Text with what troff would interpret escaped."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").split("\n")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in lines)


def spelling(name):
    return {"long": "--", "short": "-", "longWithSingleDash": "-"}[name["kind"]] + name["name"]


def usage(path, command):
    parts = [".B " + roff(" ".join(path))]
    for argument in command.get("arguments", []):
        if not argument.get("shouldDisplay", True):
            continue
        if argument["kind"] == "positional":
            text = f"<{argument.get('valueName', 'value')}>" + ("..." if argument.get("isRepeating") else "")
        else:
            text = spelling(argument["preferredName"])
            if argument["kind"] == "option":
                text += f" <{argument.get('valueName', 'value')}>"
        parts.append(roff(f"[{text}]" if argument.get("isOptional") else text))
    if visible(command):
        parts.append("<subcommand>")
    return "\n".join(parts)


def visible(command):
    return [each for each in command.get("subcommands", []) if each.get("shouldDisplay", True) and each["commandName"] != "help"]


def options(command):
    text = ""
    for argument in command.get("arguments", []):
        if not argument.get("shouldDisplay", True):
            continue
        if argument["kind"] == "positional":
            head = f"<{argument.get('valueName', 'value')}>"
        else:
            head = ", ".join(spelling(name) for name in argument["names"])
            if argument["kind"] == "option":
                head += f" <{argument.get('valueName', 'value')}>"
        text += f".TP\n.B {roff(head)}\n{roff(argument.get('abstract', '') or 'No description.')}\n"
    return text


def page(path, command, version):
    name = "-".join(path)
    text = f'.TH "{name.upper()}" "1" "" "modelc {version}" "User Commands"\n.SH NAME\n'
    text += f"{roff(name)} \\- {roff(command.get('abstract', '').rstrip('.'))}\n.SH SYNOPSIS\n{usage(path, command)}\n"
    if command.get("discussion"):
        # The examples and tables keep their lines.
        text += f".SH DESCRIPTION\n.nf\n{roff(command['discussion'])}\n.fi\n"
    if options(command):
        text += ".SH OPTIONS\n" + options(command)
    if visible(command):
        text += ".SH SUBCOMMANDS\n"
        for each in visible(command):
            text += f".TP\n.BR {roff('-'.join(path + [each['commandName']]))} (1)\n{roff(each.get('abstract', ''))}\n"
    return text


def write(path, command, version, folder):
    (folder / ("-".join(path) + ".1")).write_text(page(path, command, version))
    for each in visible(command):
        write(path + [each["commandName"]], each, version, folder)


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    run = lambda *arguments: subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout
    command = json.loads(run("--experimental-dump-help"))["command"]
    version = run("--version").split()[1]
    folder.mkdir(parents=True, exist_ok=True)
    write([command["commandName"]], command, version, folder)


if __name__ == "__main__":
    main()
