# A repository whose branch main has the released version of a model, and a working copy with a change.
git init -q -b main
cp -R "$GIVEN/Changed/Books.xcdatamodeld" .
mkdir later
mv "Books.xcdatamodeld/Books 2.xcdatamodel" later
mv Books.xcdatamodeld/.xccurrentversion later
git add Books.xcdatamodeld
git commit -qm "Release the model"
git tag v2.3
git update-ref refs/remotes/origin/main main
modelc compile Books.xcdatamodeld Released.momd
modelc store make Books.xcdatamodeld --output customer.sqlite
mv "later/Books 2.xcdatamodel" later/.xccurrentversion Books.xcdatamodeld
rmdir later
