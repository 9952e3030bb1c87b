public import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A query for flows: those that match every property that is not `nil`.
public struct FlowQuery: Sendable, Equatable {
  /// The definition's name.
  public var definition: String?
  /// The definition's version.
  public var version: Int?
  /// The statuses that match; an empty set matches none.
  public var status: Set<FlowSnapshot.Status>?
  /// A step in focus: its whole path, or the last part if there is no `/`.
  public var step: StepID?
  /// A label with this value.
  public var label: Label?
  /// The time before which ``FlowSnapshot/wakeAt`` must be.
  public var dueBefore: Date?
  /// Whether a `backUp` must have thrown that can be called again, or must not.
  public var rollbackFailed: Bool?
  /// The time before which the last commit must have been made.
  public var changedBefore: Date?
  /// The time before which the flow must have started. A flow without ``FlowSummary/startedAt`` does not match.
  public var startedBefore: Date?

  /// Creates a query; a property that is `nil` is ignored.
  public init(
    definition: String? = nil, version: Int? = nil, status: Set<FlowSnapshot.Status>? = nil, step: StepID? = nil,
    label: Label? = nil, dueBefore: Date? = nil, rollbackFailed: Bool? = nil, changedBefore: Date? = nil,
    startedBefore: Date? = nil
  ) {
    self.definition = definition
    self.version = version
    self.status = status
    self.step = step
    self.label = label
    self.dueBefore = dueBefore
    self.rollbackFailed = rollbackFailed
    self.changedBefore = changedBefore
    self.startedBefore = startedBefore
  }

  /// A label's key and value.
  ///
  /// Labels are compared byte by byte.
  public struct Label: Sendable, Hashable {
    /// The label's key.
    public var key: String
    /// The label's value.
    public var value: String

    /// A label with this key and value.
    public init(_ key: String, _ value: String) {
      self.key = key
      self.value = value
    }

    /// Whether two labels have the same bytes.
    public static func == (left: Label, right: Label) -> Bool {
      left.key.hasBytes(of: right.key) && left.value.hasBytes(of: right.value)
    }

    /// Hashes the bytes of the label.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(TextKey(key))
      hasher.combine(TextKey(value))
    }
  }

  /// Whether a flow matches the query. Texts are compared byte by byte.
  public func matches(_ flow: FlowSummary) -> Bool {
    if let definition, !flow.definition.hasBytes(of: definition) { return false }
    if let version, flow.version != version { return false }
    if let status, !status.contains(flow.status) { return false }
    if let step, !flow.steps.contains(where: step.matches) { return false }
    if let label, !flow.labels.has(label) { return false }
    if let dueBefore {
      guard let wakeAt = flow.wakeAt, wakeAt < dueBefore else { return false }
    }
    if let rollbackFailed, flow.rollbackFailed != rollbackFailed { return false }
    if let changedBefore, flow.changedAt >= changedBefore { return false }
    if let startedBefore {
      guard let startedAt = flow.startedAt, startedAt < startedBefore else { return false }
    }
    return true
  }
}
