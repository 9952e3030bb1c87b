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
    var idempotencyKey = "\(flow)/\(place.node.info.id)/\(place.visit.id)/\(key)"
    if let record = focus.memory?.records[key] {
      guard record.type == ObjectIdentifier(type) else {
        throw error(
          .wrongRecordType,
          "the record \"\(key)\" is of type \(record.typeName), not \(type == Done.self ? "Void" : "\(type)")",
          step: place.node.info.id)
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
    if focus.memory == nil { focus.memory = PlaceMemory() }
    focus.memory?.running += 1
    focus.memory?.records[key] = StoredRecord(
      type: ObjectIdentifier(type), typeName: type == Done.self ? "Void" : "\(type)", idempotencyKey: idempotencyKey,
      state: .running)
    return .run(idempotencyKey: idempotencyKey)
  }

  /// The work of a `once` has ended; nil: it threw.
  package mutating func endOnce(_ key: String, scope: RecordScope, value: (any Codable & Sendable)?) {
    guard top?.visit.id == scope.visit, case .running? = focus.memory?.records[key]?.state else { return }
    focus.memory?.running -= 1
    focus.memory?.records[key]?.state = value.map { .done($0) } ?? .interrupted
  }

  /// Whether work begun by a `once` of the top place is still under way; the flow does not move on before it has ended.
  package var hasRunningWork: Bool {
    (focus.memory?.running ?? 0) > 0
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
