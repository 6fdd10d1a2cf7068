//
//  Hand+CoreDataProperties.swift
//  
//
//  Created by Jane Roe on 9/25/21.
//
//  This file was automatically generated and should not be edited.
//

import CoreData
