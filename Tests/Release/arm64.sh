#!/usr/bin/env bash
# Cross-compiles modelc for arm64, runs it under QEMU, and compares what it writes with what the program for this machine writes.
#
# usage: Tests/Release/arm64.sh FOLDER [MODELC]
#
# FOLDER keeps two root folders of Debian sid (3 GB) for later runs: one with Debian's Swift for this machine, and one for arm64, whose
# libraries are linked. Needs root, debootstrap, qemu-user-static and Debian's mirror, and takes about 15 minutes the first time, so
# .ci/run does not run it. Swift's own downloads are not needed.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mkdir -p "$1" && cd "$1" && pwd)
reference=$(realpath "${2:-.build/debug/modelc}")
host=$folder/host target=$folder/arm64
mirror=http://deb.debian.org/debian
swift=/usr/libexec/swift/lib/swift
packages="swiftlang git ca-certificates pkg-config libxml2-dev libsqlite3-dev zlib1g-dev libpq-dev"

clean_up() { for place in "$host/arm64" "$host/opt/swift-packages" "$host/proc" "$target/proc"; do umount -l "$place" 2>/dev/null || true; done; }
trap clean_up EXIT

# The kernel runs arm64 programs by QEMU.
if [ ! -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]; then
    mountpoint -q /proc/sys/fs/binfmt_misc || mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
    printf '%s' ':qemu-aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:/usr/bin/qemu-aarch64-static:F' \
        >/proc/sys/fs/binfmt_misc/register
fi

for root in "$host" "$target"; do
    architecture=$([ "$root" = "$target" ] && echo arm64 || dpkg --print-architecture)
    if [ ! -e "$root/etc/ld.so.conf.d/swift.conf" ]; then
        rm -rf --one-file-system "$root"
        debootstrap --variant=minbase --arch="$architecture" sid "$root" "$mirror" >/dev/null
        # A mirror may be older than a snapshot's date of expiry.
        echo 'Acquire::Check-Valid-Until "false"; APT::Install-Recommends "false";' >"$root/etc/apt/apt.conf.d/90modelc"
        chroot "$root" sh -c "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $packages" >/dev/null
        echo $swift/linux >"$root/etc/ld.so.conf.d/swift.conf"
        chroot "$root" ldconfig
    fi
    mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
done

# A Swift SDK (SE-0387) whose libraries are those of the other root, which has the same version of Swift.
mkdir -p "$host/arm64" "$host/sdks/arm64.artifactbundle/arm64"
mount --bind "$target" "$host/arm64"
cat >"$host/sdks/arm64.artifactbundle/info.json" <<'END'
{"schemaVersion": "1.0", "artifacts": {"arm64": {"type": "swiftSDK", "version": "1.0.0", "variants": [
    {"path": "arm64", "supportedTriples": ["x86_64-unknown-linux-gnu", "x86_64-pc-linux-gnu"]}]}}}
END
cat >"$host/sdks/arm64.artifactbundle/arm64/swift-sdk.json" <<END
{"schemaVersion": "4.0", "targetTriples": {"aarch64-unknown-linux-gnu": {
    "sdkRootPath": "/arm64", "swiftResourcesPath": "/arm64$swift", "swiftStaticResourcesPath": "/arm64${swift}_static",
    "toolsetPaths": ["toolset.json"]}}}
END
cat >"$host/sdks/arm64.artifactbundle/arm64/toolset.json" <<'END'
{"schemaVersion": "1.0", "rootPath": "/usr/libexec/swift/bin", "linker": {"path": "ld.lld"},
    "swiftCompiler": {"extraCLIOptions": ["-use-ld=lld"]}}
END

# Where git finds the dependencies, if not at GitHub.
if [ -d /opt/swift-packages ]; then
    mkdir -p "$host/opt/swift-packages"
    mount --bind /opt/swift-packages "$host/opt/swift-packages"
    chroot "$host" git config --global url./opt/swift-packages/.insteadof https://github.com/
fi
chroot "$host" git config --global safe.directory '*'
mkdir -p "$host/modelc"
git archive HEAD | tar -x -C "$host/modelc"
chroot "$host" env HOME=/root PKG_CONFIG_SYSROOT_DIR=/arm64 PKG_CONFIG_LIBDIR=/arm64/usr/lib/aarch64-linux-gnu/pkgconfig \
    swift build --package-path /modelc --swift-sdks-path /sdks --swift-sdk arm64 --product modelc
cp "$host/modelc/.build/aarch64-unknown-linux-gnu/debug/modelc" "$target/usr/local/bin/modelc"

# Models of the samples and of some cases: the same files, version hashes and pictures. QEMU takes seconds for each.
rm -rf "$target/work" "$folder/work"
mkdir "$target/work" "$folder/work"
count=0
while IFS= read -r -d '' model; do
    count=$((count + 1))
    for place in "$target/work" "$folder/work"; do cp -R "$model" "$place/$count.xcdatamodeld"; done
done < <(find Samples/Sources Tests/Tool/EndToEnd/Cases -name '*.xcdatamodeld' -print0 | sort -z | head -z -n 40)
cat >"$folder/work/all.sh" <<'END'
for model in *.xcdatamodeld; do
    name=${model%.xcdatamodeld}
    $1 generate "$model" --output "Generated/$name"
    $1 compile "$model" "Compiled/$name.momd"
    $1 hash "$model"
    $1 graph "$model"
done >log 2>&1
END
cp "$folder/work/all.sh" "$target/work"
chroot "$target" sh -c "cd /work && modelc --version && uname -m && sh all.sh modelc"
(cd "$folder/work" && sh all.sh "$reference")
diff -r "$folder/work" "$target/work"
echo "$count models: equal on arm64 and $(uname -m)"
