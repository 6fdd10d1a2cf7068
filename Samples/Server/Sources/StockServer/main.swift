import Foundation
import Hummingbird
import Stock
import StockService

// Serves the stock over HTTP on HOST and PORT, or else 127.0.0.1:8080, until it is told to stop with SIGTERM or SIGINT.

let environment = ProcessInfo.processInfo.environment
let container = Stock.open(author: "server")
let application = makeApplication(
    container,
    configuration: ApplicationConfiguration(
        address: .hostname(environment["HOST"] ?? "127.0.0.1", port: environment["PORT"].flatMap(Int.init) ?? 8080),
        serverName: "StockServer"))
try await application.runService()
