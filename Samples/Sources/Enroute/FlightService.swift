import Foundation
import SampleSupport

/// An airport as the service describes it.
struct AirportInfo: Sendable {
    var icao: String
    var name: String
    var location: String
    var latitude: Double
    var longitude: Double
}

/// A flight as the service describes it.
struct FlightInfo: Sendable {
    var ident: String
    var origin: String
    var destination: String
    var departure: Date?
    var arrival: Date
    var aircraft: String

    var airlineCode: String { String(ident.prefix { !$0.isNumber }) }
}

/// The responses of an imagined network service.
enum FlightService {
    static let airports = [
        AirportInfo(
            icao: "KSFO", name: "San Francisco Int'l", location: "San Francisco", latitude: 37.62, longitude: -122.38),
        AirportInfo(
            icao: "KJFK", name: "John F Kennedy Int'l", location: "New York", latitude: 40.64, longitude: -73.78),
        AirportInfo(icao: "EDDF", name: "Frankfurt Airport", location: "Frankfurt", latitude: 50.03, longitude: 8.57),
    ]

    static let morning = [
        FlightInfo(
            ident: "UAL123", origin: "KJFK", destination: "KSFO", departure: Clock.date("2026-11-21 08:00"),
            arrival: Clock.date("2026-11-21 14:20"), aircraft: "B739"),
        FlightInfo(
            ident: "DLH454", origin: "EDDF", destination: "KSFO", departure: nil,
            arrival: Clock.date("2026-11-21 20:05"),
            aircraft: "A388"),
        FlightInfo(
            ident: "UAL900", origin: "KSFO", destination: "EDDF", departure: nil,
            arrival: Clock.date("2026-11-22 05:30"),
            aircraft: "B77W"),
    ]

    /// The German flight has departed and is early, the one from New York has landed, and there is a new one.
    static let noon = [
        FlightInfo(
            ident: "DLH454", origin: "EDDF", destination: "KSFO", departure: Clock.date("2026-11-21 09:40"),
            arrival: Clock.date("2026-11-21 13:55"), aircraft: "A388"),
        FlightInfo(
            ident: "JBU615", origin: "KJFK", destination: "KSFO", departure: Clock.date("2026-11-21 11:30"),
            arrival: Clock.date("2026-11-21 18:10"), aircraft: "A321"),
    ]
}
