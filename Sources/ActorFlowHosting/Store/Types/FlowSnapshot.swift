public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A flow at rest: what a store keeps of it, and all that a host needs to go on.
///
/// Stores index everything but ``body``, and look into that never. Times are kept to the microsecond. A flow that is
/// at work is ``Status/runnable``: a snapshot never says that somebody runs it, the lease does.
public struct FlowSnapshot: Sendable, Equatable {
  /// The name of the flow's definition.
  public var definition: String
  /// The version of the definition that this flow follows.
  public var version: Int
  /// What the flow waits for, or how it ended.
  public var status: Status
  /// Whether a `backUp` threw when the flow was rolled back.
  public var rollbackFailed: Bool
  /// The steps in focus; several where branches run side by side.
  public var steps: [StepID]
  /// What the host's users attached, to find the flow by.
  public var labels: [String: String]
  /// When the earliest timer is due; nil if there is none. A runnable flow is due at once, an ended one never.
  public var wakeAt: Date?
  /// The open questions.
  public var tasks: [OpenTask]
  /// The machine's state, opaque to stores.
  public var body: [UInt8]

  /// A snapshot of these parts.
  public init(
    definition: String, version: Int, status: Status, rollbackFailed: Bool = false, steps: [StepID] = [],
    labels: [String: String] = [:], wakeAt: Date? = nil, tasks: [OpenTask] = [], body: [UInt8] = []
  ) {
    self.definition = definition
    self.version = version
    self.status = status
    self.rollbackFailed = rollbackFailed
    self.steps = steps
    self.labels = labels
    self.wakeAt = wakeAt
    self.tasks = tasks
    self.body = body
  }

  /// What a flow at rest waits for, or how it ended.
  @nonexhaustive public enum Status: String, Hashable, Sendable, Codable, CaseIterable {
    /// There is work to do at once.
    case runnable
    /// It waits for an answer, a signal or a timer.
    case waiting
    /// A step failed; somebody may retry it.
    case failed
    /// It cannot be taken up: a migration is missing.
    case parked
    /// The last step has returned.
    case finished
    /// Somebody abandoned it.
    case abandoned
    /// It was cancelled.
    case cancelled

    /// Whether the flow has ended for good.
    public var isTerminal: Bool {
      switch self {
      case .finished, .abandoned, .cancelled: true
      case .runnable, .waiting, .failed, .parked: false
      }
    }

    /// Whether a host takes the flow up without being asked: it is runnable, or waits and may have a timer.
    public var isClaimable: Bool { self == .runnable || self == .waiting }
  }
}

extension FlowSnapshot {
  /// The bytes that an encoded snapshot may have at most: 4 MiB. What is larger no store takes.
  public static let maximumBytes = 4 << 20
}
