public import ActorFlow

/// A flow that may move to another version, as the `where:` of a registration sees it.
///
/// See <doc:Versions>, which moves one in twenty of the flows that have not paid yet.
public struct MovingFlow: Sendable {
  /// The flow's id.
  public let id: FlowID
  /// The version that the flow would leave.
  public let version: Int
  /// The labels of the flow.
  public let labels: [String: String]
  /// The stored state: the steps, with their inputs, answers and records. A change of it has no effect.
  public let state: StoredState

  /// Returns a number from 0 up to, but not including, 1 that is the flow's own for ever, at every host.
  ///
  /// Shares are spread evenly: of many flows, nearly as many are in one range as in another of its size. So `share(of: "v2") < 0.05` is true for one flow
  /// in twenty, and the same flows are among those of a later `< 0.5`.
  ///
  /// - Parameter name: The name of a draw: under another name a flow has another number, which does not depend on the
  ///   first. Without that, the same people would try every new version.
  public func share(of name: String) -> Double { Self.share(of: name, flow: id) }

  /// Returns the share of the flow with this id, as ``share(of:)`` does.
  public static func share(of name: String, flow id: FlowID) -> Double {
    // FNV-1a, which scatters the low bits of short texts, and the last step of MurmurHash3, which scatters all bits.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in [Array(name.utf8), [0], Array(id.description.utf8)].joined() {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
    hash ^= hash >> 33
    return Double(hash >> 11) / Double(1 << 53)
  }
}

extension Definition {
  /// Returns whether a flow of another version may move to this one.
  func takes(_ stored: StoredFlow, _ state: StoredState, from version: Int) throws -> Bool {
    guard let admits else { return true }
    var labels = stored.snapshot.labels
    labels[Self.label] = nil
    return try admits(MovingFlow(id: stored.id, version: version, labels: labels, state: state))
  }
}
