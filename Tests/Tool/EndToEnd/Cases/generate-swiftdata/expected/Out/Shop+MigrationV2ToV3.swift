//
//  Shop+MigrationV2ToV3.swift
//
//  Created by modelc from Shop.xcdatamodeld.
//  modelc does not write this file again: it is yours to edit.
//

import SwiftData

// TODO: migrate from “Shop 2” to “Shop 3”. No lightweight migration does it:
// - “Client” is renamed to “Customer”, which SwiftData cannot do: copy its objects
// Between the two functions SwiftData makes a lightweight migration. Where that is impossible, add a version in
// between that has the old and the new properties, and move the values in one of the functions.
extension ShopMigrationPlan {
    static func willMigrateV2ToV3(_ context: ModelContext) throws {
    }

    static func didMigrateV2ToV3(_ context: ModelContext) throws {
    }
}
