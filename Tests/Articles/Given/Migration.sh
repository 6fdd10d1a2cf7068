# A model with three versions, a store of the first one, and a folder of stores that tests keep.
cp -R "$GIVEN/Library/Books.xcdatamodeld" .
modelc store make Books.xcdatamodeld --version Books --rows 100000 --output books.sqlite
mkdir -p Tests/Stores
modelc store make Books.xcdatamodeld --version Books --rows 50 --output Tests/Stores/first.sqlite
