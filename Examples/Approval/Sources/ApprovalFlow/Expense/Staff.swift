package import ActorFlow

/// The staff: names, and the groups that each person belongs to.
package struct Staff: Sendable {
  /// The groups by the name of the person.
  private let groups: [String: Set<String>]

  /// The people of the example.
  package static var example: Staff {
    get throws {
      try Staff(parsing: "ann\nbob\ncarol\ndave\nerin\nfinn: finance\ngwen: finance\nhugo: operators")
    }
  }

  /// These people, with their groups.
  ///
  /// - Throws: A ``Problem`` if a name will not do, or fewer than three people are left: one who submits, two who decide.
  package init(_ groups: [String: Set<String>]) throws {
    for name in groups.flatMap({ [$0] + $1 }) {
      guard Self.isName(name) else {
        throw Problem("“\(name.prefix(40))” is no name; use 1 to 40 letters, digits, dots, hyphens and underscores.")
      }
    }
    guard groups.count >= 3 else { throw Problem("A staff has at least three people: one submits, two decide.") }
    self.groups = groups
  }

  /// Reads people, one a line, as in `ann` or `finn: finance, operators`. Empty lines, and what follows a `#`, do not
  /// count.
  package init(parsing text: String) throws {
    var people: [String: Set<String>] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.prefix { $0 != "#" }.filter { !$0.isWhitespace }
        .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = words.first, !name.isEmpty || words.count > 1 else { continue }
      let groups = words.count > 1 ? words[1].split(separator: ",").map(String.init) : []
      people[String(name), default: []].formUnion(groups)
    }
    try self.init(people)
  }

  /// Returns the name as the staff list has it: the same letters may have other bytes, and stores compare bytes.
  ///
  /// - Throws: A ``Problem`` that lists the names.
  package func checked(_ name: String) throws -> String {
    guard let index = groups.index(forKey: name) else {
      let known = groups.keys.sorted().prefix(20).joined(separator: ", ")
      throw Problem("Nobody here is called “\(name.prefix(40))”. There are \(known)\(groups.count > 20 ? ", …" : "").")
    }
    return groups[index].key
  }

  /// Returns a person as guards see them: the roles are the person's groups, as questions are assigned to them.
  ///
  /// - Throws: As ``checked(_:)``.
  package func principal(_ name: String) throws -> Principal {
    Principal(id: try checked(name), roles: Set(groups[name, default: []].map(Self.group)))
  }

  /// Returns an operator.
  ///
  /// - Throws: A ``Problem`` if the person does not belong to the operators; as ``checked(_:)``.
  package func anOperator(_ name: String) throws -> Principal {
    let principal = try principal(name)
    guard principal.roles.contains(Self.group("operators")) else {
      throw Problem("\(name) is no operator.", status: 403)
    }
    return principal
  }

  /// All names.
  package var names: Set<String> { Set(groups.keys) }

  /// The name of a group among the assignees of a question. No person has a name with a space.
  package static func group(_ name: String) -> String { "group \(name)" }

  private static func isName(_ name: String) -> Bool {
    (1...40).contains(name.count) && name.allSatisfy { $0.isLetter || $0.isNumber || ".-_".contains($0) }
  }
}
