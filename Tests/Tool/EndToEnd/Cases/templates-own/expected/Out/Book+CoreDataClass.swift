// Books/Book+CoreDataClass.swift
import CoreData
  // line one of Book
  // line two
// author -> Author (one)
// chapters -> Chapter (many)
// Book {{not a tag}}
