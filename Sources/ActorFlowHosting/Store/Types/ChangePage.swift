/// A page of the flows that have changed, in the order of their latest changes.
public struct ChangePage: Sendable, Equatable {
  /// The flows, each once, that whose latest change is oldest first. There are fewer than the limit only if the store
  /// has no more at this moment.
  public var changes: [FlowChange]
  /// The cursor of the next page. It is behind all that was looked at, so it may be later than that of the last flow,
  /// and it is there if the page is empty, too.
  public var cursor: String

  /// A page of these flows.
  public init(changes: [FlowChange], cursor: String) {
    self.changes = changes
    self.cursor = cursor
  }
}

/// A flow that has changed, as it was when the page was read.
public struct FlowChange: Sendable, Equatable {
  /// The flow, which may have changed several times since it was last read.
  public var flow: FlowSummary
  /// The cursor behind this change, which only the store that made it can read. Reading goes on after it, also in
  /// another process and at another host.
  public var cursor: String

  /// A change with the cursor behind it.
  public init(flow: FlowSummary, cursor: String) {
    self.flow = flow
    self.cursor = cursor
  }
}
