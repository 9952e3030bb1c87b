/// The extent of a store's damage, for health checks: how much cannot be read, without the names of flows.
public struct StoreDamage: Sendable, Equatable {
  /// The number of flows that cannot be read.
  public var flows: Int
  /// The number of readable flows of whose history a part cannot be read.
  public var histories: Int
  /// Whether flows may be gone of which nothing is known. No flow can be started until that is accepted.
  public var mayHaveUnknown: Bool

  /// Creates the extent of a damage.
  public init(flows: Int = 0, histories: Int = 0, mayHaveUnknown: Bool = false) {
    (self.flows, self.histories, self.mayHaveUnknown) = (flows, histories, mayHaveUnknown)
  }
}
