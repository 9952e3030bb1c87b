/// The updates that steps of a router's parts receive, wherever they stand in them. The steps of a fork's branches are
/// left out: they are not on the stack behind the fork.
struct ReceivedUpdates {
  private var receivers: [Any.Type] = []

  init(of segments: [Segment]) {
    add(segments)
  }

  /// Whether some step receives a value of this type.
  func receive(_ type: any Sendable.Type) -> Bool {
    receivers.contains { Self.isSubtype(type, of: $0) }
  }

  private mutating func add(_ segments: [Segment]) {
    for segment in segments {
      switch segment {
      case .step(_, let body):
        if let receiver = body.types.receiver { receivers.append(receiver.update) }
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
