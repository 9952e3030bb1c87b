/// One position on the private stack: a step that was reached, what it was given, and what it left behind.
///
/// A place may be visited several times: entered, compensated, entered again by a back that lands on it. It ends when
/// it is backed up over.
package struct Place: Sendable {
  package let node: Node
  package let input: any Sendable
  package let kept: Kept?
  package internal(set) var instance: StepInstance?
  /// The latest visit; what the world sees of this place.
  package internal(set) var visit: VisitNode
  /// How deep the place lies to which an ordinary back from here leads; -1 if there is none.
  let backTarget: Int32
  /// Whether `proceed` was begun and `backUp` is owed.
  package internal(set) var isEntered: Bool
  /// Whether this visit has asked a question.
  var hasAsked = false
  /// What the visits left behind; nil until there is something.
  var memory: PlaceMemory?

  var cargo: Cargo { Cargo(input, kept: kept) }
}

/// What `once` and `ask` left behind at one place.
package struct PlaceMemory: Sendable {
  private final class Box: Sendable {
    let records: [String: StoredRecord]
    let answers: [String: any Sendable]

    init(records: [String: StoredRecord], answers: [String: any Sendable]) {
      self.records = records
      self.answers = answers
    }
  }
  private var box: Box

  init() {
    box = Box(records: [:], answers: [:])
  }

  /// What `once` left, by key.
  package var records: [String: StoredRecord] {
    get { box.records }
    set { box = Box(records: newValue, answers: box.answers) }
  }

  /// The answers this visit has got, by key; the value is kept only where visits are replayed.
  package var answers: [String: any Sendable] {
    get { box.answers }
    set { box = Box(records: box.records, answers: newValue) }
  }
}

/// What `once` left under one key.
package struct StoredRecord: Sendable {
  package enum State: Sendable {
    /// The work is under way.
    case running
    /// The work was begun, and threw, or the process died in it.
    case interrupted
    case done(any Codable & Sendable)
  }

  /// The type that `once` returns, as its owner wrote it.
  package let type: ObjectIdentifier
  package let typeName: String
  package let idempotencyKey: String
  package var state: State
}
