/// The request from outside that caused an input. It goes with the input to the commit, and the machine does not know
/// of it. What the flow's own steps do has no cause.
package protocol CommitCause: AnyObject, Sendable {
  /// Whether the input is refused with ``NotAtRest`` unless the flow is at rest.
  var needsRest: Bool { get }

  /// Notes the answer that the request gives to an audited prompt, before it is accepted or refused.
  ///
  /// - Throws: A ``FlowError`` with the code `notStorable`.
  func notesAuditedAnswer(_ answer: any Sendable) throws
}
