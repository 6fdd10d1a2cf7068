#!/usr/bin/env bash
# Builds modelc as one file that needs only the C library: Swift's libraries, libxml2, sqlite3 and zlib are linked statically.
#
# usage: Scripts/build-static.sh [--whole] FILE
#
# With --whole, the file also contains modelc-store and modelc-studio (Studio/Sources/modelc-studio/Main.swift).
#
# Debian's libxml2.a uses ICU for encodings other than UTF-8 and Latin-1. modelc decodes files by itself and gives libxml2 UTF-8
# (Sources/Model/ModelSource/XML/SourceText.swift), so functions that fail stand in for ICU's: its tables alone have 31 MB.
# MODELC_ICU=1 links ICU instead.
set -euo pipefail
cd "$(dirname "$0")/.."
product=modelc manifest=.
if [ "$1" = --whole ]; then
    product=modelc-studio manifest=Studio
    shift
fi
target=$1
libraries=$(mktemp -d)
trap 'rm -rf "$libraries"' EXIT

# A folder with nothing but archives, which the linker searches first.
folder=/usr/lib/$(uname -m)-linux-gnu
names="xml2 sqlite3 z lzma"
[ -z "${MODELC_ICU:-}" ] || names="$names icuuc icudata"
for name in $names; do
    [ -f "$folder/lib$name.a" ] || { echo "error: $folder/lib$name.a is missing" >&2; exit 1; }
    ln -s "$folder/lib$name.a" "$libraries"
done
# Swift's runtime is written in C++.
ln -s "$(gcc -print-file-name=libstdc++.a)" "$libraries"
# SwiftPM asks pkg-config for the folders of libraries; these come before -Xlinker's.
mkdir "$libraries/pc"
while read -r package library include; do
    printf 'Name: %s\nDescription: archive\nVersion: 1\nLibs: -L%s -l%s\nCflags: %s\n' \
        "$package" "$libraries" "$library" "$include" >"$libraries/pc/$package.pc"
done <<END
libxml-2.0 xml2 -I/usr/include/libxml2
zlib z
END
flags=(--pkg-config-path "$libraries/pc" -Xlinker "-L$libraries" -Xlinker -llzma -Xlinker -lm)
if [ -n "${MODELC_ICU:-}" ]; then
    flags+=(-Xlinker -licuuc -Xlinker -licudata -Xlinker -lstdc++)
else
    nm "$folder/libxml2.a" 2>/dev/null | awk '$1 == "U" && /ucnv_|UCNV_/ { print $2 }' | sort -u |
        while read -r symbol; do
            case $symbol in
            # UConverter *ucnv_open(const char *name, UErrorCode *code): U_FILE_ACCESS_ERROR, no converter.
            ucnv_open_*) echo "void *$symbol(const char *n, int *code) { *code = 4; return 0; }" ;;
            *) echo "void $symbol(void) { __builtin_trap(); }" ;;
            esac
        done >"$libraries/icu.c"
    clang -O2 -c "$libraries/icu.c" -o "$libraries/icu.o"
    ar rc "$libraries/libmodelcicu.a" "$libraries/icu.o"
    flags+=(-Xlinker -lmodelcicu)
fi

# A copy of the commit, so that the version can name it.
source=$PWD
if [ -z "${MODELC_IN_PLACE:-}" ] && commit=$(git rev-parse --short=10 HEAD 2>/dev/null) && git diff --quiet HEAD; then
    source=$libraries/source
    mkdir "$source"
    git archive HEAD | tar -x -C "$source"
    sed -i "s/static let commit: String? = nil/static let commit: String? = \"$commit\"/" \
        "$source/Sources/Tool/ModelcDriver/Environment/ToolVersion.swift"
fi
scratch=${MODELC_SCRATCH:-$source/.build}
# Otherwise the plan of the other package is used.
Scripts/build_folder.py "$scratch"
build=(swift build -c release --static-swift-stdlib --package-path "$source/$manifest"
    --scratch-path "$scratch" "${flags[@]}")
"${build[@]}" --product "$product" >&2
# The versions that were linked, for Scripts/sbom.py.
[ "$source" = "$PWD" ] || cp "$source/$manifest/Package.resolved" "$manifest/Package.resolved"
strip -o "$target" "$("${build[@]}" --show-bin-path)/$product"
ls -l "$target" >&2
