#!/usr/bin/env bash
# Makes the pictures of the README: a terminal session and the graph of a sample's model.
#
#     Scripts/pictures.sh [MODELC]
set -euo pipefail
cd "$(dirname "$0")/.."
modelc=$(realpath "${1:-.build/debug/modelc}")
images=$PWD/Documentation/Images
script=$PWD/Scripts/terminal-picture.py

"$modelc" graph Samples/Sources/Books/Books.xcdatamodeld --output "$images/books.svg"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$modelc" "$work/bin/modelc"
export PATH=$work/bin:$PATH
cp -R Samples/Sources/Books/Books.xcdatamodeld "$work"
cd "$work"
git init --quiet --initial-branch main
git add Books.xcdatamodeld
git -c user.name=modelc -c user.email=modelc@localhost commit --quiet --message "Release 1.0"
# A rename that forgets the fetch index and the renaming identifier.
sed -i 's/<attribute name="title" /<attribute name="heading" /' Books.xcdatamodeld/Books.xcdatamodel/contents
python3 "$script" "$images/terminal.svg" "modelc lint" "modelc breaking --against main"
