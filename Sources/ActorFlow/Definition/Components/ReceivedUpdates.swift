/// The updates that steps of a router's parts receive, wherever they stand in them. The steps of a fork's branches are
/// left out: they are not on the stack behind the fork.
struct ReceivedUpdates {
  private var receivers: [(update: Any.Type, name: String)] = []

  init(of segments: [Segment]) {
    add(segments)
  }

  /// Whether some step receives a value of this type.
  func receive(_ type: any Sendable.Type) -> Bool {
    receivers.contains { Self.isSubtype(type, of: $0.update) }
  }

  /// The names of the steps that receive a value of this type, as a part of a sentence.
  func names(for type: any Sendable.Type) -> String {
    receivers.filter { Self.isSubtype(type, of: $0.update) }.map { "\"\($0.name)\"" }.joined(separator: ", ")
  }

  /// Whether one of these updates takes a value of this type.
  func take(_ type: any Sendable.Type, as updates: Set<ObjectIdentifier>) -> Bool {
    receivers.contains { updates.contains(ObjectIdentifier($0.update)) && Self.isSubtype(type, of: $0.update) }
  }

  private mutating func add(_ segments: [Segment]) {
    for segment in segments {
      switch segment {
      case .step(let name, let body):
        if let receiver = body.types.receiver { receivers.append((receiver.update, name)) }
      case .fork: break
      default: for part in segment.parts { add(part) }
      }
    }
  }

  private static func isSubtype(_ type: any Sendable.Type, of update: Any.Type) -> Bool {
    func isSubtype<Update>(of update: Update.Type) -> Bool { type is Update.Type }
    return type == update || isSubtype(of: update)
  }
}

// MARK: - Lost updates

extension Router {
  /// The types that a part makes and that nothing takes, although no step that receives them as an update needs to be
  /// on the stack: a sentence each, in the order of the parts.
  ///
  /// - Parameters:
  ///   - received: The updates of the steps in the parts.
  ///   - evenUnreceived: Whether types that no step receives at all are listed, too.
  func lostUpdates(_ received: ReceivedUpdates, evenUnreceived: Bool) -> [(part: Int, message: String)] {
    let lost = routes.parts.map { $0.filter { !$0.isTaken } }
    guard lost.contains(where: { !$0.isEmpty }) else { return [] }
    let stacks = PossibleStacks.walk(self, from: .empty, received).leaving
    var mistakes: [(part: Int, message: String)] = []
    for (part, stack) in zip(lost.indices, stacks) {
      for made in lost[part] where !stack.receive(made.type, received) {
        let name = choice.cases[part].label
        let maker = "step \"\(name)\" makes \(made.type), which"
        guard received.receive(made.type) else {
          guard evenUnreceived else { continue }
          let message =
            "\(maker) no step takes and no step receives as an update; keep a step that receives it, or add a step that "
            + "takes it"
          mistakes.append((part, message))
          continue
        }
        let message =
          "\(maker) only \(received.names(for: made.type)) receives, as an update, and no receiver is an earlier step on "
          + "every way to \"\(name)\"; lead every way through a receiver that cannot be skipped, and settle nothing "
          + "after it, or add a step that takes \(made.type)"
        mistakes.append((part, message))
      }
    }
    return mistakes
  }
}

extension [Segment] {
  /// The lost updates of all routers in the segments.
  var lostUpdates: [String] {
    flatMap { segment in
      let inner = segment.parts.flatMap(\.lostUpdates)
      guard case .router(let router) = segment else { return inner }
      let received = ReceivedUpdates(of: router.choice.cases.flatMap(\.segments))
      return router.lostUpdates(received, evenUnreceived: true).map(\.message) + inner
    }
  }
}
