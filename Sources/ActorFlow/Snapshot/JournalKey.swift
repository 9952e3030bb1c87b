/// The name of an answer in a visit's journal, by which a replay finds the answer.
package struct JournalKey: Hashable, Sendable {
  package enum Name: Hashable, Sendable {
    /// The name that the step's author chose.
    case given(String)
    /// The prompt's type.
    case type(String, by: Asker? = nil)
    /// A signal's name.
    case signal(String, by: Asker? = nil)
    /// A label's key. The number of such a key is that of the call that sets the label.
    case label(String, by: Asker? = nil)
  }

  /// The task that asked or waited. Each counts its own questions: if a replay cancels a child task earlier than the
  /// first time, the step's own task does not get the child's answers. `nil` in a name if an earlier format stored it.
  package enum Asker: Sendable {
    /// The task that runs `proceed`.
    case step
    /// A child of that task.
    case child
  }

  package let name: Name
  /// The number of the question among those of this name in an attempt, from 1.
  package let number: Int

  package init(name: Name, number: Int) {
    (self.name, self.number) = (name, number)
  }
}

extension JournalKey {
  /// The key as plans, errors and moves write it: the name, with a number from the second question of a name on.
  package var text: String { number == 1 ? name.text : "\(name.text) #\(number)" }
}

extension JournalKey.Name {
  package var text: String {
    switch self {
    case .given(let name), .type(let name, _), .signal(let name, _), .label(let name, _): name
    }
  }

  /// The task that asked; `nil` for a name that the step's author chose, which tasks share.
  package var asker: JournalKey.Asker? {
    switch self {
    case .given: nil
    case .type(_, let asker), .signal(_, let asker), .label(_, let asker): asker
    }
  }

  /// Returns the name of the same question if `asker` asks it.
  func asked(by asker: JournalKey.Asker?) -> Self {
    switch self {
    case .given: self
    case .type(let name, _): .type(name, by: asker)
    case .signal(let name, _): .signal(name, by: asker)
    case .label(let name, _): .label(name, by: asker)
    }
  }
}

extension JournalKey: Comparable {
  package static func < (left: JournalKey, right: JournalKey) -> Bool {
    left.name == right.name ? left.number < right.number : left.name < right.name
  }
}

// Names are compared by bytes: two keys that a step's author wrote in two ways are two questions.
extension JournalKey.Name: Comparable {
  package static func == (left: Self, right: Self) -> Bool {
    left.kind == right.kind && left.asker == right.asker && left.text.hasBytes(of: right.text)
  }

  package static func < (left: Self, right: Self) -> Bool {
    if left.kind != right.kind { return left.kind < right.kind }
    if !left.text.hasBytes(of: right.text) { return left.text.precedesByBytes(right.text) }
    return left.rankOfAsker < right.rankOfAsker
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(kind &* 4 &+ rankOfAsker)
    text.hashBytes(into: &hasher)
  }

  private var kind: Int {
    switch self {
    case .given: 0
    case .type: 1
    case .signal: 2
    case .label: 3
    }
  }

  private var rankOfAsker: Int {
    switch asker {
    case nil: 0
    case .step?: 1
    case .child?: 2
    }
  }
}
