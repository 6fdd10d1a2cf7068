internal import ModelSchema

extension LintContext {
    /// The entities that are synchronised with CloudKit: all with the profile `cloudkit`, else those of configurations that
    /// are used with CloudKit.
    var cloudKitEntities: [Entity] {
        if isForCloudKit { return entities }
        let names = Set(
            model.configurations.filter { $0.usedWithCloudKit == true }.flatMap { $0.members.map(\.entityName) })
        return names.isEmpty ? [] : entities.filter { names.contains($0.name) }
    }
}
