# A model with several versions, a mapping model between two of them, and a store.
cp -R "$GIVEN/Library/Books.xcdatamodeld" .
modelc migrate scaffold Books.xcdatamodeld Books "Books 2" --output .
mv "Books to Books 2.xcmappingmodel" V1toV2.xcmappingmodel
modelc store make Books.xcdatamodeld --output Books.sqlite
mkdir Resources
