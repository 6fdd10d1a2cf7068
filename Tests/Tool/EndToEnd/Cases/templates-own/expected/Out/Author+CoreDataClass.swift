// Books/Author+CoreDataClass.swift
import CoreData
  // line one of Author
  // line two
// books -> Book (many)
// Author {{not a tag}}
