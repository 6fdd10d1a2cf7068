# Two versions of a schema, the second with the app's own classes, and a store of the first.
mkdir Sources
cp -R "$GIVEN/Schemas" Sources/Models
modelc compile Sources/Models Books.momd
modelc store make Books.momd --version SchemaV1 --output default.store
rm -r Books.momd
