# A model, and the schema of production: that of an earlier version, in which an attribute is missing.
cp -R "$REPOSITORY/Samples/Sources/Books/Books.xcdatamodeld" .
modelc cloudkit export Books.xcdatamodeld | grep -v CD_rating >production.ckdb
