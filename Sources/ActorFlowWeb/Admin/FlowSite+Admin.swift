extension FlowSite {
  /// Turns on the operators' verbs, below `/admin`: off unless you call this.
  ///
  /// ```swift
  /// site.admin()
  /// ```
  ///
  /// Operators see the flows of the host's store, also those of definitions that the site does not serve, and change them as
  /// the verbs of `HostedFlow` do. Each request asks ``Allow`` for the verb ``Verb/operate(_:)``, with the flow if it is about
  /// one; a request for many flows asks for the whole and then for each of them. So let ``Allow`` refuse that verb to
  /// all but operators. A request without a principal gets 401.
  ///
  /// Operators get no prompts, answers, inputs or outputs, and no secret digits of questions. They get labels, the details
  /// of the history and the messages of errors.
  public mutating func admin() { isAdministered = true }

  /// The intention of an operator, for ``Verb/operate(_:)``.
  @nonexhaustive public enum Operation: String, Sendable, Hashable, CaseIterable {
    /// A look at a list of flows, and at their numbers.
    case list
    /// A look at a flow, its position and the latest entries of its history.
    case show
    /// A look at the history of a flow.
    case history
    /// A look at the list of the open questions of all people.
    case tasks
    /// A look at the plan of the flows' moves to the registered versions.
    case plan
    /// A copy of flows with their histories.
    case export
    /// A suspended flow is retried.
    case retry
    /// A flow is abandoned.
    case abandon
    /// A note is written into the history of a flow.
    case note
    /// A question is assigned to other people.
    case reassign
    /// A step is completed with an output.
    case complete
    /// A step is entered anew, with an input.
    case enter
    /// The open questions of a flow are asked again, under the version that the flow follows then.
    case refresh
    /// A flow continues with the newest version of its definition that takes it, now.
    case move
    /// A flow that was exported from a store is brought into the site's, where it is suspended.
    case `import`
    /// The `backUp`s that failed are called again.
    case compensate
    /// The answers and other texts of people are removed from a flow that has ended.
    case redact
    /// Flows that have ended are removed.
    case purge
  }
}
