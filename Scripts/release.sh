#!/usr/bin/env bash
# Builds a release for the machine's architecture: a tarball, a Debian package, an artifact bundle (SE-0305), the source package
# that uses the bundle, a bill of materials, an installer, and their checksums. On macOS it runs Scripts/release-macos.sh.
#
# usage: Scripts/release.sh [--output FOLDER] [--binary FILE --bundled FILE]
#
# The archive and the Debian package have the whole program, with the stores' commands and the studio. The bundle has the small one:
# packages that use the plugin need no more. --binary and --bundled pack existing programs, quickly, instead of building them: for
# tests. The commit is in the version only if this is a clean git checkout. Swift 6.3's toolchain for Linux builds for its own
# architecture; arm64 needs a run of this script on arm64, which has not been tested.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(uname -s)" != Darwin ] || exec Scripts/release-macos.sh "$@"

output=.build/release-files
binary= bundled=
# Of gzip, xz and zip.
level=6
while [ $# -gt 0 ]; do
    case $1 in
    --output) output=$2; shift 2 ;;
    --binary) binary=$2 level=1; shift 2 ;;
    --bundled) bundled=$2; shift 2 ;;
    *) sed -n '5s/^# //p' "$0" >&2; exit 2 ;;
    esac
done

version=$(sed -n 's/.*static let number = "\(.*\)"/\1/p' Sources/Tool/ModelcDriver/Environment/ToolVersion.swift)
machine=$(uname -m)
case $machine in
x86_64) debian=amd64 ;;
aarch64) debian=arm64 ;;
*) echo "error: releases are built on x86_64 and aarch64, not $machine" >&2; exit 1 ;;
esac
mkdir -p "$output"
output=$(cd "$output" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "$binary" ]; then
    Scripts/build-static.sh --whole "$work/whole"
    binary=$work/whole
fi
if [ -z "$bundled" ]; then
    Scripts/build-static.sh "$work/modelc"
    bundled=$work/modelc
fi

# What is installed, below a prefix.
root=$work/root
install -D -m 755 "$binary" "$root/bin/modelc"
mkdir -p "$root/share/man/man1" "$root/share/bash-completion/completions" "$root/share/zsh/site-functions" \
    "$root/share/fish/vendor_completions.d" "$root/share/doc/modelc"
Scripts/man-pages.py "$root/bin/modelc" "$root/share/man/man1"
gzip -9 -n "$root/share/man/man1"/*.1
"$root/bin/modelc" --generate-completion-script bash >"$root/share/bash-completion/completions/modelc"
"$root/bin/modelc" --generate-completion-script zsh >"$root/share/zsh/site-functions/_modelc"
"$root/bin/modelc" --generate-completion-script fish >"$root/share/fish/vendor_completions.d/modelc.fish"
cp LICENSE "$root/share/doc/modelc/copyright"
cp README.md CHANGELOG.md "$root/share/doc/modelc"

date=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH=$date
pack() { # folder, name, file
    tar --sort=name --mtime="@$date" --owner=0 --group=0 --numeric-owner -C "$1" -cf - "$2" | gzip -$level -n >"$3"
}

name=modelc-$version-linux-$machine
mv "$root" "$work/$name"
root=$work/$name
pack "$work" "$name" "$output/$name.tar.gz"

# The Debian package.
deb=$work/deb
mkdir -p "$deb/DEBIAN" "$deb/usr"
cp -r "$root/bin" "$root/share" "$deb/usr"
mkdir -p "$deb/usr/share/zsh/vendor-completions"
mv "$deb/usr/share/zsh/site-functions/_modelc" "$deb/usr/share/zsh/vendor-completions"
rmdir "$deb/usr/share/zsh/site-functions"
glibc=$({ objdump -T "$binary" | grep -o 'GLIBC_[0-9.]*' || true; } | sed 's/GLIBC_//' | sort -V | tail -1)
cat >"$deb/DEBIAN/control" <<END
Package: modelc
Version: $version
Section: devel
Priority: optional
Architecture: $debian
Maintainer: the modelc authors <modelc@example.org>
Depends: libc6 (>= ${glibc:-2.34})$(Scripts/shared-libraries.sh "$binary")
Installed-Size: $(du -ks "$deb/usr" | cut -f1)
Description: compiler and linter for Core Data models
 Compiles, checks and formats .xcdatamodeld models and generates their
 managed-object classes, without Xcode.
END
dpkg-deb --root-owner-group -z$level --build "$deb" "$output/modelc_${version}_$debian.deb" >/dev/null

# The artifact bundle.
bundle=$work/modelc.artifactbundle
mkdir -p "$bundle/modelc-$version-linux-$machine/bin"
cp "$bundled" "$bundle/modelc-$version-linux-$machine/bin/modelc"
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
          "path": "modelc-$version-linux-$machine/bin/modelc",
          "supportedTriples": ["$machine-unknown-linux-gnu"]
        }
      ]
    }
  }
}
END
(cd "$work" && find modelc.artifactbundle -exec touch -d "@$date" {} + && rm -f "$output/modelc.artifactbundle.zip" \
    && find modelc.artifactbundle | sort | TZ=UTC zip -q -X -$level "$output/modelc.artifactbundle.zip" -@)

# The package that has the bundle in place of the targets that build modelc.
Scripts/binary-package.py "$bundle" "$work/modelc"-package
mv "$work/modelc-package" "$work/modelc"-"$version"-package
pack "$work" "modelc-$version-package" "$output/modelc-$version-package.tar.gz"

# What is in the program, and how to install it.
Scripts/sbom.py "$version" "$binary" "$output/modelc-$version-linux-$machine.spdx.json"
sed "s/^version=.*/version=$version/" Packaging/install.sh >"$output/install.sh"
chmod 755 "$output/install.sh"

(cd "$output" && sha256sum ./*.tar.gz ./*.deb ./*.zip ./*.json ./*.sh | sed 's, \./, ,' >SHA256SUMS && cat SHA256SUMS)
