import ActorFlow

extension FlowHost {
  /// The options of a host. All times are of the host's clock; one longer than 200 years counts as that.
  ///
  /// They are checked when the host is made: ``FlowHost/init(store:clock:owner:options:)`` throws for a value that is not
  /// allowed.
  public struct Options: Sendable {
    /// How long a lease of a flow lasts, on a store that several hosts share. It is renewed three times in that time; a
    /// host that stalls longer loses its flows to others. At least 100 milliseconds.
    public var leaseTime: Duration = .seconds(30)
    /// The time that steps and their `backUp`s have to come back when ``FlowHost/run()`` is cancelled. Zero or more.
    public var gracePeriod: Duration = .seconds(10)
    /// The time for which a flow that waits stays in memory. Zero, the default: it is put away at once. Zero or more.
    public var keepHot: Duration = .zero
    /// How long a flow that waits stays in memory for the effects of its rendered steps. What they do in that time is
    /// kept. One that has not ended then is cancelled, and begins anew when the flow is taken up. Zero or more.
    public var effectTime: Duration = .seconds(10)
    /// The time between two polls: questions to the store for flows that others have left, and for the timers of the time
    /// until the next poll. A timer fires when it is due, whatever the interval. At least a millisecond.
    public var pollInterval: Duration = .seconds(5)
    /// The time for which every poll of ``FlowHost/run()`` may fail before `run()` puts everything away and throws. Until
    /// then the store is asked again and again, with pauses that grow to 30 seconds. Zero or more; with zero `run()`
    /// throws at the first poll that fails.
    public var outageLimit: Duration = .seconds(300)
    /// The number of bytes that the JSON of an answer may have: 1 or more, and at most ``FlowSnapshot/maximumBytes``.
    public var maximumAnswerBytes = 1 << 20
    /// Encrypts or compresses what is stored of a flow; nil: it is stored as it is.
    public var codec: (any BodyCodec)?

    /// The options that fit most.
    public init() {}
  }
}

extension FlowHost.Options {
  /// - Throws: A `FlowError` with the code `badOptions` that lists what no host can work with.
  func check() throws {
    var problems: [String] = []
    func check(_ name: String, _ value: Duration, atLeast least: Duration) {
      guard value < least else { return }
      problems.append("\(name) is \(value.bounded); it must be \(least) or more")
    }
    check("leaseTime", leaseTime, atLeast: .milliseconds(100))
    check("gracePeriod", gracePeriod, atLeast: .zero)
    check("keepHot", keepHot, atLeast: .zero)
    check("effectTime", effectTime, atLeast: .zero)
    check("pollInterval", pollInterval, atLeast: .milliseconds(1))
    check("outageLimit", outageLimit, atLeast: .zero)
    if !(1...FlowSnapshot.maximumBytes).contains(maximumAnswerBytes) {
      problems.append(
        "maximumAnswerBytes is \(maximumAnswerBytes); it must be 1 or more, and at most \(FlowSnapshot.maximumBytes)")
    }
    guard !problems.isEmpty else { return }
    throw FlowError(.badOptions, "no host can work with these options: " + problems.joined(separator: "; "))
  }

  /// The options with times that can be added up.
  var bounded: FlowHost.Options {
    var options = self
    options.leaseTime = leaseTime.bounded
    options.gracePeriod = gracePeriod.bounded
    options.keepHot = keepHot.bounded
    options.effectTime = effectTime.bounded
    options.pollInterval = pollInterval.bounded
    options.outageLimit = outageLimit.bounded
    return options
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
