cp -R "$REPOSITORY/Samples/Sources/Books/Books.xcdatamodeld" .
