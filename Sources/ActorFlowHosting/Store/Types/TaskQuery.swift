import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A query for open questions: those that match every property that is not `nil`.
public struct TaskQuery: Sendable, Equatable {
  /// A person among the assignees.
  public var assignee: String?
  /// The prompt's `promptName`: the qualified name of its type, or the name that the type declares. In flows of a
  /// format before 6, the unqualified name.
  public var prompt: String?
  /// The definition's name.
  public var definition: String?
  /// The time before which the questions must be due.
  public var dueBefore: Date?

  /// Creates a query; a property that is `nil` is ignored.
  public init(assignee: String? = nil, prompt: String? = nil, definition: String? = nil, dueBefore: Date? = nil) {
    self.assignee = assignee
    self.prompt = prompt
    self.definition = definition
    self.dueBefore = dueBefore
  }

  /// Whether a question matches the query. Texts are compared byte by byte.
  public func matches(_ summary: TaskSummary) -> Bool {
    if let assignee, !summary.task.assignees.contains(where: assignee.hasBytes) { return false }
    if let prompt, !summary.task.prompt.hasBytes(of: prompt) { return false }
    if let definition, !summary.definition.hasBytes(of: definition) { return false }
    if let dueBefore {
      guard let due = summary.task.due, due < dueBefore else { return false }
    }
    return true
  }
}
