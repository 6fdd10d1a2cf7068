#!/usr/bin/env python3
"""Uses `modelc mcp` through the client of the Model Context Protocol's own project, the package `mcp` from PyPI.

usage: Scripts/agent-tests.sh [--modelc PATH], which installs the package

The client validates each answer against the protocol's types, and the arguments against the schemas of the tools.
"""
import argparse
import asyncio
import json
import os
import pathlib
import sys
import tempfile

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

MODEL = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22522" systemVersion="23A344" \
minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
    <entity name="Book" representedClassName="Book" syncable="YES" codeGenerationType="class">
        <attribute name="title" optional="YES" attributeType="String"/>
        <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author"/>
    </entity>
    <entity name="Author" representedClassName="Author" syncable="YES" codeGenerationType="class"/>
</model>
"""
TOOLS = {"check", "explain", "inspect", "diff", "migrate_plan", "hash", "generate_preview", "apply_fix"}


def require(condition, what):
    if not condition:
        raise SystemExit(f"error: {what}")
    print(f"{what}: ok", flush=True)


def text(result):
    return "\n".join(part.text for part in result.content)


async def use(session, folder):
    started = await session.initialize()
    # Versions of the client differ in the names of members.
    server = started.model_dump(by_alias=True)
    require(server["serverInfo"]["name"] == "modelc", f"handshake with protocol {server['protocolVersion']}")
    tools = (await session.list_tools()).tools
    require({tool.name for tool in tools} == TOOLS, f"{len(tools)} tools")
    writing = {tool.name for tool in tools if not tool.model_dump(by_alias=True)["annotations"]["readOnlyHint"]}
    require(writing == {"apply_fix"}, "only one tool writes")

    async def call(name, **arguments):
        result = await session.call_tool(name, arguments)
        return text(result), result.model_dump(by_alias=True)["isError"]

    found, failed = await call("check")
    rules = {finding["rule"] for finding in json.loads(found.splitlines()[0])["findings"]}
    require("missing-inverse" in rules and not failed, "check reports a missing inverse")
    found, failed = await call("explain", rule="missing-inverse")
    require("inverse" in found and not failed, "explain")
    found, failed = await call("inspect", model="Books.xcdatamodeld")
    require("title" in found and not failed, "inspect")
    found, failed = await call("hash", model="Books.xcdatamodeld")
    require("Book" in found and not failed, "hash")
    before = sorted(folder.rglob("*"))
    found, failed = await call("generate_preview", model="Books.xcdatamodeld", output="Generated")
    require("Book" in found and not failed and sorted(folder.rglob("*")) == before, "generate_preview writes nothing")
    try:
        found, failed = await call("inspect", model="../Other.xcdatamodeld")
    except Exception as error:
        found, failed = str(error), True
    require(failed, "a path outside of the workspace is rejected")
    resources = (await session.list_resources()).resources
    require(len(resources) == 1, "the model is a resource")
    content = (await session.read_resource(resources[0].uri)).contents[0].text
    require("title" in content, "the resource has the model's text")


async def run(modelc):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        contents = folder / "Books.xcdatamodeld/Books.xcdatamodel/contents"
        contents.parent.mkdir(parents=True)
        contents.write_text(MODEL)
        server = StdioServerParameters(command=modelc, args=["mcp"], cwd=str(folder))
        async with stdio_client(server) as streams:
            async with ClientSession(*streams[:2]) as session:
                await use(session, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--modelc", default=".build/debug/modelc", help="the program")
    options = parser.parse_args()
    modelc = os.path.abspath(options.modelc)
    asyncio.run(asyncio.wait_for(run(modelc), 120))


if __name__ == "__main__":
    sys.exit(main())
