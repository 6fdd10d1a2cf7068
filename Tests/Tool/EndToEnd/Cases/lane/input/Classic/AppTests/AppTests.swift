import XCTest

@testable import My_App

final class AppTests: XCTestCase {}
