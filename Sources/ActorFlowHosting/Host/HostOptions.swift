extension FlowHost {
  /// How a host works. All times are of the host's clock.
  public struct Options: Sendable {
    /// How long a lease of a flow lasts, on a store that several hosts share. It is renewed three times in that time; a
    /// host that stalls longer loses its flows to others.
    public var leaseTime: Duration = .seconds(30)
    /// How long steps may take to come back when ``FlowHost/run()`` is cancelled.
    public var gracePeriod: Duration = .seconds(10)
    /// How long a flow that waits stays in memory. Zero: it is put away at once.
    public var keepHot: Duration = .zero
    /// How long a flow that waits stays in memory for the effects of its rendered steps. What they do in that time is
    /// kept. One that has not ended then is cancelled, and begins anew when the flow is taken up.
    public var effectTime: Duration = .seconds(10)
    /// How often the store is asked for flows that others have left or that became due.
    public var pollInterval: Duration = .seconds(5)
    /// How many bytes the JSON of an answer may have.
    public var maximumAnswerBytes = 1 << 20
    /// Encrypts or compresses what is stored of a flow; nil: it is stored as it is.
    public var codec: (any BodyCodec)?

    /// The options that fit most.
    public init() {}
  }
}

/// Changes the bytes of a flow's state on their way to the store and back: encryption, compression.
///
/// What stores index (names, steps, labels, open questions) does not pass through it.
public protocol BodyCodec: Sendable {
  /// The bytes to store.
  func encode(_ body: [UInt8]) throws -> [UInt8]
  /// The bytes that were given to ``encode(_:)``.
  func decode(_ body: [UInt8]) throws -> [UInt8]
}
