# A repository with a model of one entity.
git init -q -b main
mkdir -p Books.xcdatamodeld/Books.xcdatamodel
cat >Books.xcdatamodeld/Books.xcdatamodel/contents <<'XML'
<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="24299" systemVersion="25A362" minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
    <entity name="Book" representedClassName="Book" syncable="YES" codeGenerationType="class">
        <attribute name="pages" optional="YES" attributeType="Integer 32" defaultValueString="0" usesScalarValueType="YES"/>
        <attribute name="title" optional="YES" attributeType="String"/>
    </entity>
</model>
XML
git add .
git commit -qm "Add a model"
