public import Foundation

extension String {
    /// Creates the localized text for a key, as on Apple's platforms.
    ///
    /// ```swift
    /// let title = String(localized: "books.title")
    /// let count = String(localized: "\(books.count) books")  // the key is “%lld books”
    /// ```
    ///
    /// - Parameters:
    ///   - keyAndValue: The key, with values in it.
    ///   - table: The strings file; `nil` for `Localizable`.
    ///   - bundle: The bundle of the file; `nil` for the main bundle.
    ///   - locale: The locale of numbers.
    ///   - comment: A remark for translators.
    public init(
        localized keyAndValue: LocalizationValue, table: String? = nil, bundle: Bundle? = nil,
        locale: Locale = .current,
        comment: StaticString? = nil
    ) {
        let format = (bundle ?? .main).localizedString(forKey: keyAndValue.key, value: nil, table: table)
        self =
            keyAndValue.arguments.isEmpty
            ? format : String(format: format, locale: locale, arguments: keyAndValue.arguments)
    }

    /// A key of a strings file with the values in it.
    public struct LocalizationValue: ExpressibleByStringInterpolation {
        let key: String
        let arguments: [any CVarArg]

        /// Creates a key without values.
        public init(_ value: String) {
            key = value
            arguments = []
        }

        /// Creates a key without values.
        public init(stringLiteral value: String) { self.init(value) }

        /// Creates a key with values.
        public init(stringInterpolation: StringInterpolation) {
            key = stringInterpolation.key
            arguments = stringInterpolation.arguments
        }

        /// Collects the parts of a key.
        public struct StringInterpolation: StringInterpolationProtocol {
            var key = ""
            var arguments: [any CVarArg] = []

            /// Creates an empty key.
            public init(literalCapacity: Int, interpolationCount: Int) { key.reserveCapacity(literalCapacity) }

            /// Appends text, which is part of the key.
            public mutating func appendLiteral(_ literal: String) {
                key += literal.replacingOccurrences(of: "%", with: "%%")
            }

            /// Appends a text as `%@`.
            public mutating func appendInterpolation(_ value: String) { append("%@", NSString(string: value)) }

            /// Appends an integer as `%lld`.
            public mutating func appendInterpolation(_ value: Int) { append("%lld", Int64(value)) }

            /// Appends a number as `%lf`.
            public mutating func appendInterpolation(_ value: Double) { append("%lf", value) }

            private mutating func append(_ specifier: String, _ value: any CVarArg) {
                key += specifier
                arguments.append(value)
            }
        }
    }
}
