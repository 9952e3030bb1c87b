public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A flow between two commits: all that a store persists, and all that a host needs to continue it.
///
/// Stores index everything but ``body``, ``values`` and ``keyReference``, and never look into these. Times are stored to the microsecond. A flow whose
/// steps are executing is ``Status/runnable``: the lease says whether a host runs it, and the snapshot never does.
public struct FlowSnapshot: Sendable, Equatable {
  /// The name of the flow's definition.
  public var definition: String
  /// The version of the definition that this flow follows.
  public var version: Int
  /// The status: what the flow waits for, or how it ended.
  public var status: Status
  /// Whether a `backUp` has thrown that can be called again, in a flow that is open or has ended.
  public var rollbackFailed: Bool
  /// The steps in focus; there are several while branches run in parallel.
  public var steps: [StepID]
  /// The labels that the host's users attached, to find the flow by.
  public var labels: [String: String]
  /// The time when the earliest timer is due, or `nil` if there is no timer.
  ///
  /// A runnable flow is due at once, and an ended flow never.
  public var wakeAt: Date?
  /// The time of the flow's start, by the clock of the host that started it. It never changes in the flow's life.
  ///
  /// `nil` in rows that earlier versions wrote, and in rows whose ``format`` is below 10: their readers have no place for
  /// it. The next commit in format 10 writes it.
  public var startedAt: Date?
  /// The open questions.
  public var tasks: [OpenTask]
  /// The format of ``body``, from 5; see ``FlowHost/Options/writesFormat``. Bodies of older formats count as 5.
  public var format: Int
  /// The machine's state, opaque to stores.
  public var body: [UInt8]
  /// The values that ``body`` names by their numbers, in the order of the numbers; empty unless the store keeps them
  /// apart, see ``FlowStore/keepsValuesApart``.
  public var values: [FlowValue]
  /// The reference of the key with which the host's codec encrypts the flow; `nil` if the codec has named none. It never
  /// changes in the flow's life. See ``BodyCodec/key(for:labels:)``.
  public var keyReference: String?

  /// A snapshot of these parts.
  public init(
    definition: String, version: Int, status: Status, rollbackFailed: Bool = false, steps: [StepID] = [],
    labels: [String: String] = [:], wakeAt: Date? = nil, startedAt: Date? = nil, tasks: [OpenTask] = [],
    format: Int = newestFormat, body: [UInt8] = [], values: [FlowValue] = [], keyReference: String? = nil
  ) {
    self.definition = definition
    self.version = version
    self.status = status
    self.rollbackFailed = rollbackFailed
    self.steps = steps
    self.labels = labels
    self.wakeAt = wakeAt
    self.startedAt = startedAt
    self.tasks = tasks
    self.format = format
    self.body = body
    self.values = values
    self.keyReference = keyReference
  }

  /// The status of a stored flow: what it waits for, or how it ended.
  @nonexhaustive public enum Status: Hashable, Sendable, Codable, CaseIterable {
    /// The flow has work to do at once.
    case runnable
    /// The flow waits for an answer, a signal or a timer.
    case waiting
    /// A step failed: the flow stands still until it is retried or abandoned.
    ///
    /// A flow that failed for good under a host of an earlier version is indexed so until a host reads it.
    case suspended
    /// The flow fits no registered version and cannot be activated: a migration is missing.
    ///
    /// Hosts whose versions, and those that lead to them, are all newer or all older leave the flow as it is, if the store
    /// gives leases.
    case unmigrated
    /// The key of the flow was erased, so that its state can never be read again: no host activates it. Delete it when
    /// its facts are not needed any more.
    ///
    /// A host finds that out when it activates the flow, or when a request of it comes. Until then the flow is indexed with
    /// its earlier status.
    case erased
    /// The last step has returned.
    case finished
    /// The flow failed, and has ended.
    case failed
    /// The flow was abandoned.
    case abandoned
    /// The flow was cancelled.
    case cancelled

    /// Whether the flow has ended.
    public var isTerminal: Bool {
      switch self {
      case .finished, .failed, .abandoned, .cancelled: true
      case .runnable, .waiting, .suspended, .unmigrated, .erased: false
      }
    }

    /// Whether a host activates the flow without a request: it is runnable, or it waits and may have a timer.
    public var isClaimable: Bool { self == .runnable || self == .waiting }
  }
}

extension FlowSnapshot {
  /// The greatest size of an encoded snapshot in bytes: 4 MiB. No store accepts a larger one.
  public static let maximumBytes = 4 << 20
  /// The newest format of a body that this version reads and writes.
  public static let newestFormat = Int(MachineSnapshot.format)
}

extension FlowSnapshot.Status: RawRepresentable {
  /// The status as stores and JSON name it. Names are never reused: `failed` meant ``suspended`` or ``failed`` in earlier
  /// versions, and `parked` meant ``unmigrated``.
  public var rawValue: String {
    switch self {
    case .runnable: "runnable"
    case .waiting: "waiting"
    case .suspended: "suspended"
    case .unmigrated: "unmigrated"
    case .erased: "erased"
    case .finished: "finished"
    case .failed: "failure"
    case .abandoned: "abandoned"
    case .cancelled: "cancelled"
    }
  }

  /// Reads a name, also one that an earlier version wrote.
  public init?(rawValue: String) {
    switch rawValue {
    case "failed": self = .suspended
    case "parked": self = .unmigrated
    default:
      guard let status = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
      self = status
    }
  }
}
