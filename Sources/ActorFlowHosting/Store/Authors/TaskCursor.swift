package import ActorFlow

/// The key of a question in a list of a database, and of the last question of a page.
///
/// A key that was read from a text has no secret digits, and stands between its question and the next one.
package struct TaskCursor: Comparable, Sendable, CustomStringConvertible {
  package let order: TaskQuery.Order
  /// The time of the order, if the question has one.
  package let time: StoredTime?
  /// The number of the flow.
  package let flow: Int
  package let question: TextKey
  /// The place of the question among those of its flow.
  package let place: Int

  package init(order: TaskQuery.Order, time: StoredTime?, flow: Int, question: String, place: Int) {
    (self.order, self.time, self.flow, self.place) = (order, order == .flow ? nil : time, flow, place)
    self.question = TextKey(question)
  }

  /// Reads what ``description`` wrote.
  ///
  /// - Throws: ``FlowStoreError`` with the code `notFound` if the text is no cursor of this order.
  package init(_ text: String, of order: TaskQuery.Order) throws(FlowStoreError) {
    let parts = try StoreCursor(text, parts: order == .flow ? 3 : 5).parts
    let key = Array(parts.suffix(3))
    guard let flow = Int(key[0]), let place = Int(key[2]) else {
      throw FlowStoreError(.notFound, "the cursor is not from this store's list of questions")
    }
    var time: StoredTime?
    if order != .flow { time = try order.time(inCursor: parts[0], parts[1]) }
    self.init(order: order, time: time, flow: flow, question: key[1], place: place)
  }

  package var description: String {
    let key = ["\(flow)", StoreCursor.part(of: question.text), "\(place)"]
    return StoreCursor((order == .flow ? [] : order.cursorParts(time)) + key).description
  }

  package static func < (left: TaskCursor, right: TaskCursor) -> Bool {
    TaskQuery.Order.precedes(left.time, right.time)
      ?? ((left.flow, left.question, left.place) < (right.flow, right.question, right.place))
  }
}

/// A part of a database's list of questions that is read in the order of one index.
package enum TaskListPart: Sendable {
  /// All questions, by flow.
  case byFlow
  /// The questions with a time in this column, by that time and then by flow.
  case timed(String)
  /// The questions without a time in this column, by flow.
  case untimed(String)
}

extension TaskQuery {
  /// Returns the parts of the list behind a cursor, in order.
  package func parts(after cursor: TaskCursor?) -> [TaskListPart] {
    switch order {
    case .flow: return [.byFlow]
    case .asked: return [.timed("asked_at")]
    case .due:
      if let cursor, cursor.time == nil { return [.untimed("due_at")] }
      return dueBefore == nil ? [.timed("due_at"), .untimed("due_at")] : [.timed("due_at")]
    }
  }
}
