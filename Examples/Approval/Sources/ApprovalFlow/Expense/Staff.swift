/// The names of the staff.
package struct Staff: Sendable {
  private let names: Set<String>

  /// These people.
  ///
  /// - Throws: A ``Problem`` if a name will not do, or fewer than three people are left: one who submits, two who decide.
  package init(_ names: some Sequence<String>) throws {
    var all: Set<String> = []
    for name in names {
      guard Self.isName(name) else {
        throw Problem("“\(name.prefix(40))” is no name; use 1 to 40 letters, digits, dots, hyphens and underscores.")
      }
      all.insert(name)
    }
    guard all.count >= 3 else { throw Problem("A staff has at least three people: one submits, two decide.") }
    self.names = all
  }

  /// Reads names, one a line; empty lines, and what follows a `#`, do not count.
  package init(parsing text: String) throws {
    try self.init(
      text.split(whereSeparator: \.isNewline).compactMap { line in
        let name = line.prefix { $0 != "#" }.filter { !$0.isWhitespace }
        return name.isEmpty ? nil : name
      })
  }

  /// Returns the name if it is known.
  ///
  /// - Throws: A ``Problem`` that lists the names.
  package func checked(_ name: String) throws -> String {
    guard names.contains(name) else {
      let known = names.sorted().prefix(20).joined(separator: ", ")
      throw Problem("Nobody here is called “\(name.prefix(40))”. There are \(known)\(names.count > 20 ? ", …" : "").")
    }
    return name
  }

  private static func isName(_ name: String) -> Bool {
    (1...40).contains(name.count) && name.allSatisfy { $0.isLetter || $0.isNumber || ".-_".contains($0) }
  }
}
