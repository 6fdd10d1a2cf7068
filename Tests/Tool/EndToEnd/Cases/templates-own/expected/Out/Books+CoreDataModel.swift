// Books/Books+CoreDataModel.swift
public import Foundation
public import CoreData

public typealias BooksFoundationFrameworkSet = NSSet
public typealias BooksCoreDataFrameworkManagedObject = NSManagedObject


