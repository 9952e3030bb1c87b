public import ActorFlow

extension MigrationPlan {
  /// A stored value of which the plan cannot say that it will be read.
  public struct UncheckedValue: Sendable, Hashable {
    /// The role of a stored value.
    @nonexhaustive public enum Kind: String, Sendable {
      /// An answer or a received signal in the journal of a visit.
      case answer
      /// A record of `once`.
      case record
      /// The state of a rendered step, or of a child of one.
      case state
      /// A signal that no step has received yet.
      case signal
      /// The prompt of an open question. The step shows a prompt of its own when the flow is activated.
      case prompt
      /// The input of a step that the flow has passed.
      case input
      /// An update that a step was given.
      case update
      /// A value between two steps, or the result of a branch.
      case value
      /// The reason for which the flow is unmigrated; only activating it shows whether the reason is gone.
      case standstill
    }

    /// The step that the value belongs to.
    public let step: StepID
    /// The role of the value.
    public let kind: Kind
    /// The key of an answer or a record, the name of a signal, or the type of a child; `nil` where there is none.
    public let key: String?
    /// The name of the type that the value was stored with.
    public let type: String
    /// The reason why the value cannot be read; `nil` if no declaration tells its type.
    public let reason: String?
  }

  /// An open flow with values that the plan could not check.
  public struct UncheckedFlow: Sendable, Hashable {
    /// The flow.
    public let flow: FlowID
    /// The definition's name.
    public let definition: String
    /// The version that the flow would continue with.
    public let version: Int
    /// The values, in the order of the flow's steps.
    public let values: [UncheckedValue]
  }
}

extension MigrationPlan.UncheckedValue: CustomStringConvertible {
  /// The place of the value, and why it is not checked.
  public var description: String {
    let key = key.map { " \"\($0)\"" } ?? ""
    if kind == .standstill { return "\(step.path): the flow stands still: \(reason ?? "")" }
    return "\(step.path): \(kind.rawValue)\(key) of type \(type) "
      + (reason.map { "cannot be read: \($0)" } ?? "is not declared in `stores:`")
  }
}
