internal import Diagnostics

/// What `modelc store repair` can do about the findings of each rule.
enum StoreRepairs {
    /// The safety of the repairs, by rule: safe if any finding of the rule can be repaired without further loss.
    static let safety: [RuleID: FixIt.Safety] = Dictionary(
        uniqueKeysWithValues: safe.map { ($0, .safe) } + unsafe.map { ($0, .unsafe) })

    private static let safe: [RuleID] = [
        .entityRowMissing, .entityParent, .maxBehind, .maxInSubentity, .tableMissing, .columnMissing, .indexMissing,
        .uniqueIndexMissing, .derivedTriggerMissing, .unknownEntity, .abstractEntity, .versionInvalid,
        .danglingReference, .entityColumn, .oneToOneHalf, .joinDangling, .joinDuplicate, .ownerDangling, .orderMissing,
        .orderDuplicate, .orderWithoutOwner, .storageClass, .uuidLength, .externalMark, .derivedDrift, .historyOrphan,
        .historyEntity, .historyString, .historyMax, .externalFileOrphaned,
    ]

    private static let unsafe: [RuleID] = [
        .metadataMissing, .metadataUnreadable, .modelMismatch, .modelCacheUnreadable, .uuidInvalid, .wrongDestination,
        .oneToOneConflict, .twoOwners, .joinWrongEntity, .requiredReferenceMissing, .requiredValueMissing,
        .booleanRange, .textEncoding, .uniqueViolated, .externalFileMissing,
    ]
}
