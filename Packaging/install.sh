#!/bin/sh
# Installs a release of modelc, after its checksum has been verified.
#
# usage: install.sh --releases URL [--version VERSION] [--prefix FOLDER]
#
# URL is that of the releases, below which GitHub has download/vVERSION/FILE, such as https://github.com/OWNER/modelc/releases. The
# default version is the one that this file belongs to; the default prefix is ~/.local. If anything fails, the prefix stays as it was.
set -eu

usage="usage: install.sh --releases URL [--version VERSION] [--prefix FOLDER]"
version=0.2.0
prefix=
releases=${MODELC_RELEASES:-}
work= stage= made= complete=

fail() { echo "error: $1" >&2; exit 1; }

# Creates a folder and the missing ones above it, which are removed again after a failure.
make_folder() {
    [ -d "$1" ] || {
        make_folder "$(dirname "$1")"
        mkdir "$1" || fail "$1 cannot be created"
        made="$1
$made"
    }
}

verify() {
    if command -v sha256sum >/dev/null; then sha256sum -c "$1"; else shasum -a 256 -c "$1"; fi
}

# After a failure or signal, puts the replaced files back.
finish() {
    code=$?
    set +e
    trap - EXIT
    trap '' INT TERM HUP
    if [ -z "$complete" ] && [ -n "$stage" ] && [ -f "$stage/replaced" ]; then
        while read -r file; do
            if [ -e "$stage/old/$file" ] || [ -L "$stage/old/$file" ]; then
                mv -f "$stage/old/$file" "$prefix/$file"
            else
                rm -f "$prefix/$file"
            fi
        done <"$stage/replaced"
    fi
    [ -z "$work" ] || rm -rf "$work"
    [ -z "$stage" ] || rm -rf "$stage"
    if [ -z "$complete" ]; then
        echo "$made" | while read -r folder; do [ -z "$folder" ] || rmdir "$folder" 2>/dev/null || true; done
    fi
    exit $code
}

main() {
    while [ $# -gt 0 ]; do
        case $1 in
        --help | -h) echo "$usage"; exit 0 ;;
        --releases | --version | --prefix)
            [ -n "${2:-}" ] || { echo "error: $1 needs a value" >&2; echo "$usage" >&2; exit 2; }
            ;;
        *) echo "error: unknown argument: $1" >&2; echo "$usage" >&2; exit 2 ;;
        esac
        case $1 in
        --releases) releases=${2%/} ;;
        --version) version=${2#v} ;;
        --prefix) prefix=$2 ;;
        esac
        shift 2
    done
    [ -n "$releases" ] || fail "the URL of the releases is missing; specify --releases URL"
    if [ -z "$prefix" ]; then
        [ -n "${HOME:-}" ] || fail "HOME is not set; specify --prefix FOLDER"
        prefix=$HOME/.local
    fi
    case $prefix in
    /*) ;;
    *) prefix=$(pwd)/$prefix ;;
    esac
    command -v curl >/dev/null || fail "curl is not installed"

    system=$(uname -s | tr '[:upper:]' '[:lower:]')
    machine=$(uname -m)
    case $system-$machine in
    linux-x86_64 | linux-aarch64) name=modelc-$version-linux-$machine ;;
    darwin-x86_64 | darwin-arm64) name=modelc-$version-macos-universal ;;
    *) fail "there is no release for $system on $machine; build modelc from source" ;;
    esac

    # A shell runs the EXIT trap after a signal only if the signal has a trap too.
    trap finish EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    work=$(mktemp -d)
    for file in "$name.tar.gz" SHA256SUMS; do
        curl --fail --silent --show-error --location --output "$work/$file" "$releases/download/v$version/$file" ||
            fail "$releases/download/v$version/$file cannot be downloaded"
    done
    (cd "$work" && grep "  $name.tar.gz\$" SHA256SUMS >sum && verify sum >/dev/null) ||
        fail "the checksum of $name.tar.gz is not the one in SHA256SUMS; nothing was installed"

    # Files are unpacked in the prefix, so that moving them into place only renames them. A temporary folder may also forbid programs.
    make_folder "$prefix"
    stage=$(mktemp -d "$prefix/.modelc-XXXXXX")
    tar -xzf "$work/$name.tar.gz" -C "$stage"
    new=$stage/$name
    chmod 755 "$new"/bin/*
    find "$new/share" -type d -exec chmod 755 {} +
    find "$new/share" -type f -exec chmod 644 {} +
    "$new/bin/modelc" --version >/dev/null || fail "the program does not run on this system; build modelc from source"

    # Programs come last: the old ones run until everything else is in place.
    (cd "$new" && find share -type f && find bin -type f) >"$stage/files"
    while read -r file; do
        make_folder "$(dirname "$prefix/$file")"
        [ ! -d "$prefix/$file" ] || fail "$prefix/$file is a folder"
        if [ -e "$prefix/$file" ] || [ -L "$prefix/$file" ]; then
            mkdir -p "$(dirname "$stage/old/$file")"
            cp -pPR "$prefix/$file" "$stage/old/$file"
        fi
    done <"$stage/files"
    while read -r file; do
        echo "$file" >>"$stage/replaced"
        mv -f "$new/$file" "$prefix/$file"
    done <"$stage/files"
    complete=yes
    echo "modelc $version is in $prefix/bin"
    case :$PATH: in
    *":$prefix/bin:"*) ;;
    *) echo "Add it to your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
    esac
}

# The last line, so that an incomplete download of this file does nothing.
main "$@"
