#!/usr/bin/env bash
# Builds a release for macOS: a tarball with one program for Apple silicon and Intel, an artifact bundle (SE-0305), and their checksums.
# Scripts/merge-releases.py adds them to those of Linux.
#
# usage: Scripts/release-macos.sh [--output FOLDER] [--binary FILE]
#
# The program has no stores' commands and no studio: the runtime is for systems without Core Data. --binary packs an existing program
# instead of building one: for tests, which run on Linux.
set -euo pipefail
cd "$(dirname "$0")/.."

output=.build/release-files
binary=
while [ $# -gt 0 ]; do
    case $1 in
    --output) output=$2; shift 2 ;;
    --binary) binary=$2; shift 2 ;;
    *) sed -n '5s/^# //p' "$0" >&2; exit 2 ;;
    esac
done
version=$(sed -n 's/.*static let number = "\(.*\)"/\1/p' Sources/Tool/ModelcDriver/Environment/ToolVersion.swift)
mkdir -p "$output"
output=$(cd "$output" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Otherwise macOS's tar adds files with the extended attributes.
export COPYFILE_DISABLE=1

if [ -z "$binary" ]; then
    # The SDK has libxml2's headers in a folder that only pkg-config names, which may be missing.
    build=(swift build -c release --arch arm64 --arch x86_64 --product modelc -Xcc "-I$(xcrun --show-sdk-path)/usr/include/libxml2")
    "${build[@]}" >&2
    cp "$("${build[@]}" --show-bin-path)/modelc" "$work/modelc"
    binary=$work/modelc
    strip -x "$binary"
    # The linker's signature was of the file before; Apple silicon runs no program without one.
    codesign --force --sign - "$binary"
fi

name=modelc-$version-macos-universal
root=$work/$name
mkdir -p "$root/bin" "$root/share/man/man1" "$root/share/bash-completion/completions" "$root/share/zsh/site-functions" \
    "$root/share/fish/vendor_completions.d" "$root/share/doc/modelc"
cp "$binary" "$root/bin/modelc"
chmod 755 "$root/bin/modelc"
Scripts/man-pages.py "$root/bin/modelc" "$root/share/man/man1"
gzip -9 -n "$root/share/man/man1"/*.1
"$root/bin/modelc" --generate-completion-script bash >"$root/share/bash-completion/completions/modelc"
"$root/bin/modelc" --generate-completion-script zsh >"$root/share/zsh/site-functions/_modelc"
"$root/bin/modelc" --generate-completion-script fish >"$root/share/fish/vendor_completions.d/modelc.fish"
cp LICENSE "$root/share/doc/modelc/copyright"
cp README.md CHANGELOG.md "$root/share/doc/modelc"
tar -C "$work" -czf "$output/$name.tar.gz" "$name"

bundle=$work/modelc.artifactbundle
mkdir -p "$bundle/$name/bin"
cp "$root/bin/modelc" "$bundle/$name/bin/modelc"
cp LICENSE "$bundle"
cat >"$bundle/info.json" <<END
{
  "schemaVersion": "1.0",
  "artifacts": {
    "modelc": {
      "type": "executable",
      "version": "$version",
      "variants": [
        {
          "path": "$name/bin/modelc",
          "supportedTriples": ["arm64-apple-macosx", "x86_64-apple-macosx"]
        }
      ]
    }
  }
}
END
rm -f "$output/modelc.artifactbundle.zip"
(cd "$work" && zip -q -X -r "$output/modelc.artifactbundle.zip" modelc.artifactbundle)

sums=(sha256sum)
command -v sha256sum >/dev/null || sums=(shasum -a 256)
(cd "$output" && "${sums[@]}" "$name.tar.gz" modelc.artifactbundle.zip >SHA256SUMS && cat SHA256SUMS)
