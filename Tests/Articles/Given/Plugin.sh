# A package with a model; the class of “Author” is written by hand.
mkdir -p Sources/Books
cp -R "$REPOSITORY/Samples/Sources/Books/Books.xcdatamodeld" Sources/Books
sed -i '/entity name="Author"/s/ codeGenerationType="class"//' Sources/Books/Books.xcdatamodeld/Books.xcdatamodel/contents
echo 'print("books")' >Sources/Books/main.swift
