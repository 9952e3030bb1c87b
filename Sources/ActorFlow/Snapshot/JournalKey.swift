/// The name of an answer in a visit's journal, by which a replay finds the answer.
package struct JournalKey: Hashable, Sendable {
  package enum Name: Hashable, Sendable {
    /// The name that the step's author chose.
    case given(String)
    /// The prompt's type.
    case type(String)
    /// A signal's name.
    case signal(String)
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
    case .given(let name), .type(let name), .signal(let name): name
    }
  }
}

extension JournalKey: Comparable {
  package static func < (left: JournalKey, right: JournalKey) -> Bool {
    left.name == right.name ? left.number < right.number : left.name.order < right.name.order
  }
}

extension JournalKey.Name {
  fileprivate var order: (Int, String) {
    switch self {
    case .given(let name): (0, name)
    case .type(let name): (1, name)
    case .signal(let name): (2, name)
    }
  }
}
