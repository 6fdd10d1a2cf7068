/// A model with every kind of property and rule.
enum SampleModel {
    static let entities = """
        <entity name="Everything" syncable="YES">
            <attribute name="bytes" optional="YES" attributeType="Binary"/>
            <attribute name="code" attributeType="String" regularExpressionString="[A-Z]{3}-\\d{2,4}(x|y)?"/>
            <attribute name="date" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
            <attribute name="decimal" optional="YES" attributeType="Decimal"/>
            <attribute name="double" optional="YES" attributeType="Double" usesScalarValueType="NO"/>
            <attribute name="file" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
            <attribute name="flag" optional="YES" attributeType="Boolean" usesScalarValueType="NO"/>
            <attribute name="float" optional="YES" attributeType="Float" usesScalarValueType="NO"/>
            <attribute name="folded" optional="YES" attributeType="String" derived="YES" derivationExpression="lowercase:(text)"/>
            <attribute name="group" attributeType="Composite" composite="Place"/>
            <attribute name="id" optional="YES" attributeType="UUID" usesScalarValueType="NO"/>
            <attribute name="int16" optional="YES" attributeType="Integer 16" usesScalarValueType="NO"/>
            <attribute name="int32" optional="YES" attributeType="Integer 32" usesScalarValueType="NO"/>
            <attribute name="int64" optional="YES" attributeType="Integer 64" usesScalarValueType="NO"/>
            <attribute name="level" attributeType="Integer 16" minValueString="3" maxValueString="9" defaultValueString="5"/>
            <attribute name="link" optional="YES" attributeType="URI"/>
            <attribute name="object" optional="YES" attributeType="Transformable" \
        valueTransformerName="NSSecureUnarchiveFromDataTransformer"/>
            <attribute name="saved" optional="YES" attributeType="Date" usesScalarValueType="NO" derived="YES" \
        derivationExpression="now()"/>
            <attribute name="short" attributeType="String" minValueString="2" maxValueString="4"/>
            <attribute name="text" optional="YES" attributeType="String"/>
            <attribute name="transientText" attributeType="String" transient="YES"/>
            <attribute name="unique" attributeType="String"/>
            <uniquenessConstraints>
                <uniquenessConstraint><constraint value="unique"/></uniquenessConstraint>
                <uniquenessConstraint><constraint value="level"/><constraint value="short"/></uniquenessConstraint>
            </uniquenessConstraints>
        </entity>
        <entity name="Node" isAbstract="YES" syncable="YES">
            <attribute name="name" attributeType="String"/>
            <relationship name="friends" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Node" \
        inverseName="friends" inverseEntity="Node"/>
            <relationship name="tags" optional="YES" toMany="YES" minCount="1" maxCount="3" ordered="YES" deletionRule="Nullify" \
        destinationEntity="Tag" inverseName="nodes" inverseEntity="Tag"/>
        </entity>
        <entity name="Folder" parentEntity="Node" syncable="YES">
            <attribute name="total" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="children.@count"/>
            <relationship name="children" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" \
        destinationEntity="Leaf" inverseName="folder" inverseEntity="Leaf"/>
        </entity>
        <entity name="Leaf" parentEntity="Node" syncable="YES">
            <relationship name="folder" maxCount="1" deletionRule="Nullify" destinationEntity="Folder" inverseName="children" \
        inverseEntity="Folder"/>
            <relationship name="cover" maxCount="1" deletionRule="Cascade" destinationEntity="Cover" inverseName="leaf" \
        inverseEntity="Cover"/>
        </entity>
        <entity name="Cover" syncable="YES">
            <relationship name="leaf" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Leaf" \
        inverseName="cover" inverseEntity="Leaf"/>
        </entity>
        <entity name="Tag" syncable="YES">
            <relationship name="nodes" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Node" \
        inverseName="tags" inverseEntity="Node"/>
            <relationship name="team" toMany="YES" minCount="2" maxCount="5" deletionRule="Nullify" destinationEntity="Member" \
        inverseName="tags" inverseEntity="Member"/>
        </entity>
        <entity name="Member" syncable="YES">
            <relationship name="tags" toMany="YES" minCount="1" deletionRule="Nullify" destinationEntity="Tag" \
        inverseName="team" inverseEntity="Tag"/>
        </entity>
        <composite name="Place">
            <attribute name="city" attributeType="String"/>
            <attribute name="inner" optional="YES" attributeType="Composite" composite="Point"/>
        </composite>
        <composite name="Point">
            <attribute name="x" optional="YES" attributeType="Double" usesScalarValueType="NO"/>
            <attribute name="double" optional="YES" attributeType="Decimal"/>
        </composite>
        """
}
