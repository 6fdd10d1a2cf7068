# A model with a finding.
cp -R "$GIVEN/Library/Books.xcdatamodeld" .
sed -i '/name="books"/s/ inverseName="author" inverseEntity="Book"//' "Books.xcdatamodeld/Books 3.xcdatamodel/contents"
