// What `once` recorded.
extension FlowMachine {
  package enum OnceBegun: Sendable {
    /// Run the work with this key.
    case run(idempotencyKey: String)
    /// Another call is running it; wait for that one, then ask again.
    case wait
    case done(any Codable & Sendable)
  }

  /// A step calls `once`.
  ///
  /// - Throws: `CancellationError` while the visit is being left and there is no record, else a `FlowError`.
  package mutating func beginOnce<T: Codable & Sendable>(
    _ key: String, scope: RecordScope, type: T.Type
  ) throws -> OnceBegun {
    guard let place = place(in: scope) else {
      throw error(.notActive, "the visit that this context belongs to has ended; it can no longer begin an effect")
    }
    var memory = focus.memory ?? PlaceMemory()
    var idempotencyKey = "\(flow)/\(place.node.info.id)/\(place.visit.id)/\(key)"
    if let record = memory.records[key] {
      guard record.type == ObjectIdentifier(type) else {
        throw error(
          .wrongRecordType, "the record \"\(key)\" is a \(record.typeName), not a \(type)", step: place.node.info.id)
      }
      switch record.state {
      case .done(let value): return .done(value)
      case .running: return .wait
      case .interrupted: idempotencyKey = record.idempotencyKey
      }
    }
    if scope.isRollback {
      guard !focus.hasReturned else {
        throw error(
          .notActive, "this rollback has returned; it can no longer begin an effect", step: place.node.info.id)
      }
    } else {
      _ = try activePlace(of: scope.visit, to: "begin an effect")
    }
    memory.records[key] = StoredRecord(
      type: ObjectIdentifier(type), typeName: "\(type)", idempotencyKey: idempotencyKey, state: .running)
    focus.memory = memory
    return .run(idempotencyKey: idempotencyKey)
  }

  /// The work of a `once` has ended; nil: it threw.
  package mutating func endOnce(_ key: String, scope: RecordScope, value: (any Codable & Sendable)?) {
    guard top?.visit.id == scope.visit, var memory = focus.memory else { return }
    memory.records[key]?.state = value.map { .done($0) } ?? .interrupted
    focus.memory = memory
  }

  /// Whether work begun by a `once` of the top place is still under way; the flow does not move on before it has ended.
  package var hasRunningWork: Bool {
    guard let memory = focus.memory else { return false }
    return memory.records.values.contains { if case .running = $0.state { true } else { false } }
  }

  /// What `once` left under `key`.
  package func record(_ key: String, scope: RecordScope) -> StoredRecord? {
    place(in: scope) == nil ? nil : focus.memory?.records[key]
  }

  private func place(in scope: RecordScope) -> Place? {
    guard let place = top, place.visit.id == scope.visit else { return nil }
    switch phase {
    case .walking, .leaving: return scope.isRollback ? nil : place
    case .compensating: return scope.isRollback ? place : nil
    case .idle, .ended: return nil
    }
  }
}
