internal import Observation

#if SwiftData
/// Turns a class into a persistent model: its stored properties become the attributes and relationships of an entity.
///
/// ```swift
/// @Model final class Book {
///     var title: String
///     @Relationship(deleteRule: .cascade, inverse: \Page.book) var pages: [Page] = []
///     init(title: String) { self.title = title }
/// }
/// ```
@attached(
    member, conformances: Observable, PersistentModel, Sendable,
    names: named(_$backingData), named(_$class), named(_$core), named(_$base), named(_$modelCore), named(_$isEqual),
    named(persistentBackingData), named(schemaMetadata),
    named(_inheritableKeyPaths), named(_$Number), named(init),
    named(_$observationRegistrar), named(_SwiftDataNoType), named(access), named(withMutation))
@attached(memberAttribute)
@attached(extension, conformances: Observable, PersistentModel, Sendable)
public macro Model() = #externalMacro(module: "SwiftDataMacros", type: "ModelMacro")

/// Specifies how a property is stored.
@attached(peer)
public macro Attribute(
    _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "MarkerMacro")

/// Specifies how a relationship behaves.
@attached(peer)
public macro Relationship(
    _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
    minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
    hashModifier: String? = nil
) = #externalMacro(module: "SwiftDataMacros", type: "MarkerMacro")

/// Excludes a property from the model.
@attached(peer)
public macro Transient() = #externalMacro(module: "SwiftDataMacros", type: "TransientMacro")

/// Adds the accessors of a persistent property. `@Model` attaches it.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`))
public macro _PersistedProperty() = #externalMacro(module: "SwiftDataMacros", type: "PersistedPropertyMacro")

/// Adds the accessors of the persistent property with a number. `@Model` attaches it.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(`_`))
public macro _PersistedProperty(_ number: Int) =
    #externalMacro(module: "SwiftDataMacros", type: "PersistedPropertyMacro")

/// Declares the properties whose values identify a model. Inserting another model with the values updates the stored
/// one.
@freestanding(declaration)
public macro Unique<T: PersistentModel>(_ constraints: [PartialKeyPath<T>]...) =
    #externalMacro(module: "SwiftDataMacros", type: "DeclarationMarkerMacro")

/// Declares the indexes of a model.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: [PartialKeyPath<T>]...) =
    #externalMacro(module: "SwiftDataMacros", type: "DeclarationMarkerMacro")

/// Declares the indexes of a model, with their kinds.
@freestanding(declaration)
public macro Index<T: PersistentModel>(_ indices: Schema.Index<T>.Types<T>...) =
    #externalMacro(module: "SwiftDataMacros", type: "DeclarationMarkerMacro")

/// Adds an executor, a container and an initializer to an actor, which then owns a context.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "SwiftDataMacros", type: "ModelActorMacro")
#else
/// Not available: the macros need swift-syntax, which SwiftPM fetches and builds with the package trait `SwiftData`.
@available(
    *, unavailable,
    message: "enable the package trait “SwiftData” in Package.swift: .package(url: …, from: …, traits: [\"SwiftData\"])"
)
@attached(member)
public macro Model() = #externalMacro(module: "ObservationMacros", type: "ObservableMacro")

/// Not available: the macros need swift-syntax, which SwiftPM fetches and builds with the package trait `SwiftData`.
@available(
    *, unavailable,
    message: "enable the package trait “SwiftData” in Package.swift: .package(url: …, from: …, traits: [\"SwiftData\"])"
)
@attached(member)
public macro ModelActor() = #externalMacro(module: "ObservationMacros", type: "ObservableMacro")
#endif
