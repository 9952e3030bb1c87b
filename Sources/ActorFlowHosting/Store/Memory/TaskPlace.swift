import ActorFlow

/// The place of a question in an order of inboxes.
protocol TaskPlace: Comparable, Sendable {
  var key: TaskKey { get }
  /// The cursor of a page that ends at this place.
  func cursor(of order: TaskQuery.Order) -> StoreCursor
  /// Reads a cursor.
  ///
  /// - Throws: `FlowStoreError` with the code `notFound` if it is none of this order.
  init(_ cursor: String, of order: TaskQuery.Order) throws(FlowStoreError)
  /// Whether a question of the flow has this place.
  func isPlace(of task: OpenTask, in order: TaskQuery.Order) -> Bool
}

/// The place of a question by flow, and what tells it from the others.
struct TaskKey: TaskPlace {
  let flow: TextKey
  let question: TextKey

  var key: TaskKey { self }

  init(flow: TextKey, question: TextKey) {
    (self.flow, self.question) = (flow, question)
  }

  init(_ task: OpenTask, of flow: TextKey) {
    self.init(flow: flow, question: TextKey(task.question))
  }

  init(_ cursor: String, of order: TaskQuery.Order) throws(FlowStoreError) {
    let parts = try StoreCursor(cursor, parts: 2).parts
    self.init(flow: TextKey(parts[0]), question: TextKey(parts[1]))
  }

  func cursor(of order: TaskQuery.Order) -> StoreCursor {
    StoreCursor([flow.text, StoreCursor.part(of: question.text)])
  }

  func isPlace(of task: OpenTask, in order: TaskQuery.Order) -> Bool { TextKey(task.question) == question }

  static func < (left: TaskKey, right: TaskKey) -> Bool {
    left.flow == right.flow ? left.question < right.question : left.flow < right.flow
  }
}

/// The place of a question by a time. Questions without the time come last.
struct TimedTaskKey: TaskPlace {
  let time: StoredTime?
  let key: TaskKey

  init(_ task: OpenTask, of flow: TextKey, by order: TaskQuery.Order) {
    (time, key) = (order.time(of: task), TaskKey(task, of: flow))
  }

  init(_ cursor: String, of order: TaskQuery.Order) throws(FlowStoreError) {
    let parts = try StoreCursor(cursor, parts: 4).parts
    time = try order.time(inCursor: parts[0], parts[1])
    key = TaskKey(flow: TextKey(parts[2]), question: TextKey(parts[3]))
  }

  func cursor(of order: TaskQuery.Order) -> StoreCursor {
    StoreCursor(order.cursorParts(time) + key.cursor(of: order).parts)
  }

  func isPlace(of task: OpenTask, in order: TaskQuery.Order) -> Bool {
    key.isPlace(of: task, in: order) && order.time(of: task) == time
  }

  static func < (left: TimedTaskKey, right: TimedTaskKey) -> Bool {
    TaskQuery.Order.precedes(left.time, right.time) ?? (left.key < right.key)
  }
}

extension TaskQuery.Order {
  /// Whether the first time comes before the second one, which no time does; `nil` if they are equal.
  package static func precedes(_ left: StoredTime?, _ right: StoredTime?) -> Bool? {
    guard left != right else { return nil }
    guard let left else { return false }
    return right.map { left < $0 } ?? true
  }

  /// Returns the first two parts of a cursor in an order by time.
  package func cursorParts(_ time: StoredTime?) -> [String] {
    [self == .due ? "due" : "asked", time.map { "\($0.microseconds)" } ?? ""]
  }

  /// Reads the first two parts of a cursor in an order by time.
  package func time(inCursor name: String, _ time: String) throws(FlowStoreError) -> StoredTime? {
    let read = Int64(time).map { StoredTime(microseconds: $0) }
    // A cursor of another order, or of no order by time, has other parts.
    guard StoreCursor(cursorParts(read)) == StoreCursor([name, time]) else {
      throw FlowStoreError(.notFound, "the cursor is not from a list of questions in this order")
    }
    return read
  }
}
