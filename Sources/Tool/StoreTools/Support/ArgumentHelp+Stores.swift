internal import ArgumentParser

/// The help of arguments that several commands have.
extension ArgumentHelp {
    static let replacesStore = ArgumentHelp("Replace a store at --output. Other files are never replaced.")

    static let unownedEntities = ArgumentHelp(
        "Delete the objects of an entity that unowned-row reports. Can be given several times.", valueName: "entity")

    static let mappingFile = ArgumentHelp(
        "A mapping model: a .cdm or .xcmappingmodel. (default: those in the folder of the model and below)",
        valueName: "file")

    static let storeConfiguration = ArgumentHelp(
        "The configuration whose entities the store contains. (default: all entities)", valueName: "name")

    static let databaseSchema = ArgumentHelp(
        "The schema in the database. (default: the configuration's name, or “coredata”)", valueName: "name")
}
