/// Returns a number with a noun: `1 row`, `3 rows`.
package func counted(_ number: some BinaryInteger, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
}
