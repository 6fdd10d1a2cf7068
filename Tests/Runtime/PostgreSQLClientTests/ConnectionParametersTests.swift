import Foundation
import PostgreSQLClient
import Testing

/// The sources of connection parameters, and hiding of passwords.
@Suite struct ConnectionParametersTests {
    private static let secret = "hunter2"

    @Test(arguments: [
        "postgresql://user:hunter2@host:5433/db", "postgres://user:hunter2@host:5433/db?sslmode=require",
        "postgresql://user@host:5433/db?password=hunter2", "postgresql://user@host:5433/db?p%61ssword=hunter2",
        "postgresql://user:h%75nter2@host:5433/db", "host=host port=5433 user=user dbname=db password=hunter2",
        "postgresql://user@host:5433/db?sslpassword=hunter2&sslmode=require",
        "host=host port=5433 user=user dbname=db password='hunter2'",
    ])
    func descriptionHasNoPassword(text: String) throws {
        let parameters = try ConnectionParameters(text)
        #expect(parameters.description == "postgresql://user@host:5433/db")
        var dumped = ""
        dump(parameters, to: &dumped)
        for shown in ["\(parameters)", String(reflecting: parameters), dumped, "\([parameters])"] {
            #expect(!shown.contains(Self.secret))
        }
        #expect(parameters[keyword: "password"] == nil && parameters[keyword: "sslpassword"] == nil)
        #expect(parameters[keyword: "user"] == "user")
    }

    @Test(arguments: [
        "postgresql://user:hunter2%zz@host/db", "postgresql://user:hunter2@[::1/db",
        "postgresql://host/db?hunter2&password",
        "postgresql://host/db?password=a&hunter2=1", "host=x password=a hunter2", "host=x password=a hunter2=b",
        "postgresql://user:a@host:hunter2", "postgresql://user@host/db?password=hunter2&port",
        "postgresql://a@b?x=hunter2%",
    ])
    func errorsQuoteNoPassword(text: String) {
        do {
            let parameters = try ConnectionParameters(text)
            #expect(!"\(parameters)".contains(Self.secret) || text.contains(":hunter2"))
        } catch {
            #expect(error.kind == .invalidParameters)
            #expect(!"\(error)".contains(Self.secret))
        }
    }

    @Test func errorsSayWhatIsWrong() {
        #expect {
            try ConnectionParameters("postgresql://host/db?sslmod=require")
        } throws: {
            "\($0)".contains("invalid URI query parameter: \"sslmod\"")
        }
        #expect {
            try ConnectionParameters(keywords: ["hosst": "a"])
        } throws: {
            "\($0)" == "invalid connection parameter “hosst”"
        }
        #expect(throws: PostgreSQLError.self) { try ConnectionParameters("postgresql://a\0b") }
        #expect(throws: PostgreSQLError.self) { try ConnectionParameters(keywords: ["host": "a\0"]) }
    }

    @Test func listOfHostsIsDescribedInFull() throws {
        let parameters = try ConnectionParameters(
            "postgresql://one:5432,[::1]:5433,three/my%20db?target_session_attrs=read-write")
        #expect(
            parameters.description
                == "postgresql://one:5432,[::1]:5433,three:5432/my%20db?target_session_attrs=read-write"
                || parameters.description
                    == "postgresql://one:5432,[::1]:5433,three/my%20db?target_session_attrs=read-write"
        )
        #expect(try ConnectionParameters(parameters.description) == parameters)
    }

    @Test func mergingReplacesValues() throws {
        let parameters = try ConnectionParameters("postgresql://host/db").merging(["port": "1", "host": "other"])
        #expect(parameters.description == "postgresql://other:1/db")
    }
}
