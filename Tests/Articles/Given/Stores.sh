# A model, two stores that differ in two objects, and two stores that were filled separately.
cp -R "$GIVEN/Library/Books.xcdatamodeld" .
modelc store make Books.xcdatamodeld --rows 30 --output before.sqlite
cp before.sqlite after.sqlite
python3 - <<'PYTHON'
import sqlite3
for name, title in [("before", "a"), ("after", "Changed")]:
    store = sqlite3.connect(f"{name}.sqlite")
    store.execute("UPDATE ZBOOK SET ZNAME = ?, ZAUTHOR = NULL WHERE Z_PK = 3", [title])
    store.execute("UPDATE ZBOOK SET ZAUTHOR = NULL WHERE Z_PK = 20")
    store.execute("UPDATE ZBOOK SET ZISBN = Z_PK")
    if name == "after":
        store.execute("DELETE FROM ZBOOK WHERE Z_PK = 20")
    store.commit()
PYTHON
cp before.sqlite a.sqlite
cp before.sqlite b.sqlite
