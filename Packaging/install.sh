#!/bin/sh
# Installs a release of modelc, after its checksum has been verified.
#
# usage: install.sh --releases URL [--version VERSION] [--prefix FOLDER]
#
# URL is that of the releases, below which GitHub has download/vVERSION/FILE, such as https://github.com/OWNER/modelc/releases. The
# default version is the one that this file belongs to; the default prefix is ~/.local. Nothing is installed if anything fails.
set -eu

version=0.2.0
prefix=$HOME/.local
releases=${MODELC_RELEASES:-}
while [ $# -gt 0 ]; do
    case $1 in
    --releases) releases=$2; shift 2 ;;
    --version) version=$2; shift 2 ;;
    --prefix) prefix=$2; shift 2 ;;
    *) sed -n '4s/^# //p' "$0" >&2; exit 2 ;;
    esac
done
fail() { echo "error: $1" >&2; exit 1; }
[ -n "$releases" ] || fail "the URL of the releases is missing; specify --releases URL"

system=$(uname -s | tr '[:upper:]' '[:lower:]')
machine=$(uname -m)
case $system-$machine in
linux-x86_64 | linux-aarch64) ;;
*) fail "there is no release for $system on $machine; build modelc from source" ;;
esac
name=modelc-$version-linux-$machine
work=$(mktemp -d)
trap 'rm -rf "$work"; rm -f "$prefix/bin/.modelc-$$-"*' EXIT
for file in "$name.tar.gz" SHA256SUMS; do
    curl --fail --silent --show-error --location --output "$work/$file" "$releases/download/v$version/$file" ||
        fail "$releases/download/v$version/$file cannot be downloaded"
done
(cd "$work" && grep "  $name.tar.gz\$" SHA256SUMS >sum && sha256sum --check --quiet sum) ||
    fail "the checksum of $name.tar.gz is not the one in SHA256SUMS; nothing was installed"
tar -xzf "$work/$name.tar.gz" -C "$work"
"$work/$name/bin/modelc" --version >/dev/null || fail "the program does not run on this system; build modelc from source"

mkdir -p "$prefix/bin"
# A running program cannot be written to, but replaced: all files are complete before the first program is.
for file in "$work/$name"/bin/*; do
    install -m 755 "$file" "$prefix/bin/.modelc-$$-${file##*/}"
done
cp -R "$work/$name/share" "$prefix"
for file in "$work/$name"/bin/*; do
    mv -f "$prefix/bin/.modelc-$$-${file##*/}" "$prefix/bin/${file##*/}"
done
echo "modelc $version is in $prefix/bin"
case :$PATH: in
*":$prefix/bin:"*) ;;
*) echo "Add it to your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
