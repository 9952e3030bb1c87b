package import ActorFlow

/// The answer to a step's question: the step's next action. So a program's course lies in its answers alone, and a step
/// that is run again with the same answers does the same again.
package enum Command: Codable, Sendable, Hashable {
  /// Returns, with this number.
  case go(Int)
  case fail
  /// Asks another question.
  case ask
  /// Asks another question, and looks at the whole reply.
  case askReplying
  /// Asks with a deadline.
  case askWithin(milliseconds: Int)
  /// Pays once more.
  case pay
  /// Pays in a `once` whose work throws after it has paid, the first time.
  case payAndStumble
  /// Pays in an `attempt`, whose work usually throws after it has paid, and goes on with its result.
  case attempt
  /// As ``attempt``, and fails if the attempt did.
  case attemptOrFail
  /// Looks at the clock, by `now`.
  case now
  case wait(String)
  case waitWithin(String, milliseconds: Int)
  /// Waits for a number that leaves this remainder by 3, for this time or without a limit.
  case waitFor(String, remainder: Int, milliseconds: Int?)
  /// Asks, and waits for a signal beside it, in the same task: for a number that leaves this remainder by 3 or for any
  /// number, for this time or without a limit.
  case first(String, remainder: Int?, milliseconds: Int?)
  /// Asks, and waits for a signal beside it, in a task group. The first one wins, the other is given up.
  case either(String, waitsFirst: Bool)
  /// Asks, and updates the question for each signal that comes meanwhile. Both in child tasks.
  case askUpdating(String)
  /// Begins to wait in a child task that is cancelled at once.
  case giveUp(String)
  /// Hands a note to an earlier step.
  case send(Note.Act)
  /// Backs up to an earlier step, which then receives a note.
  case deliver(Note.Act)
  case backUp
  case abandon
}

extension Command {
  /// Whether a wait for this remainder, or for any number, takes a number.
  static func isMeant(_ number: Int, _ remainder: Int?) -> Bool { remainder.map { number % 3 == $0 } ?? true }
}

/// An update for an earlier step.
package struct Note: Codable, Sendable, Hashable {
  /// The reaction of `receive`.
  package enum Act: Int, Codable, Sendable, Hashable, CaseIterable {
    case take, fail
    /// Waits until it is released, or its task is cancelled.
    case hold
  }
  package let act: Act
  /// Whether a back has delivered it, so that the flow's store has it.
  package let isDelivered: Bool

  package init(_ act: Act, isDelivered: Bool) {
    (self.act, self.isDelivered) = (act, isDelivered)
  }
}

/// The update that the second step of a `TypeRouter` makes for the first one.
package struct RoutedNote: Carrier {
  package let value: Value
  package init(carrying value: Value) { self.value = value }

  package var note: Note {
    Note(Note.Act.allCases[value.number / 3 % Note.Act.allCases.count], isDelivered: true)
  }
}

/// The question of every step.
package struct Form: ReassignablePrompt, Codable, Hashable {
  package typealias Answer = Command
  /// The step and the number of questions it has asked in this visit.
  package let text: String
  /// The people to whom an operator has assigned the question; empty for everyone.
  package var assignees: [String] = []

  package init(_ text: String) { self.text = text }

  package func authorize(_ principal: Principal?) throws {
    guard assignees.isEmpty || assignees.contains(where: { $0 == principal?.id }) else { throw Trouble("not asked") }
  }

  /// The form after one more update.
  package var updated: Form { Form(text + "'") }
}

/// A question whose answer stays in the history. Otherwise it is a ``Form``, also as JSON.
package struct AuditedForm: ReassignablePrompt, Codable, Hashable {
  package typealias Answer = Command
  package static let isAudited = true
  package let text: String
  package var assignees: [String] = []

  init(_ form: Form) { text = form.text }

  package func authorize(_ principal: Principal?) throws {
    var form = Form(text)
    form.assignees = assignees
    try form.authorize(principal)
  }
}

/// The error that steps throw.
package struct Trouble: Error, CustomStringConvertible {
  package let description: String
  package init(_ step: String) { description = step }
}
