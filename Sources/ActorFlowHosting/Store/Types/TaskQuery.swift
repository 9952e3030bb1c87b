import ActorFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A query for open questions: those that match every property that is not `nil`.
public struct TaskQuery: Sendable, Equatable {
  /// The names of which at least one must be among the assignees, such as a person and that person's groups.
  ///
  /// With `nil` questions of all people match, also those without assignees; with no names, none matches. A question
  /// that is assigned to several of the names is found once.
  public var assignees: [String]?
  /// The prompt's `promptName`: the qualified name of its type, or the name that the type declares. In flows of a
  /// format before 6, the unqualified name.
  public var prompt: String?
  /// The definition's name.
  public var definition: String?
  /// A label that the flow has with this value.
  public var label: FlowQuery.Label?
  /// The time before which the questions must be due.
  public var dueBefore: Date?
  /// The order of the list.
  public var order: Order

  /// Creates a query; a property that is `nil` is ignored.
  public init(
    assignees: [String]? = nil, prompt: String? = nil, definition: String? = nil, label: FlowQuery.Label? = nil,
    dueBefore: Date? = nil, order: Order = .flow
  ) {
    self.assignees = assignees
    self.prompt = prompt
    self.definition = definition
    self.label = label
    self.dueBefore = dueBefore
    self.order = order
  }

  /// An order of open questions. Questions that are equal in it are ordered by flow, then by question.
  @nonexhaustive public enum Order: Hashable, Sendable, CaseIterable {
    /// By flow, then by question.
    case flow
    /// By the time when an answer is due, the earliest first. Questions without such a time come last.
    case due
    /// By the time when the question was asked, the oldest first.
    case asked

    /// Returns the time by which a question is ordered, if there is one.
    package func time(of task: OpenTask) -> StoredTime? {
      switch self {
      case .flow: nil
      case .due: task.due.map { StoredTime($0) }
      case .asked: StoredTime(task.askedAt)
      }
    }
  }

  /// Whether a question matches the query. Texts are compared byte by byte.
  public func matches(_ summary: TaskSummary) -> Bool {
    if let assignees {
      guard summary.task.assignees.contains(where: { assignees.contains(where: $0.hasBytes) }) else { return false }
    }
    if let prompt, !summary.task.prompt.hasBytes(of: prompt) { return false }
    if let definition, !summary.definition.hasBytes(of: definition) { return false }
    if let label, !summary.labels.has(label) { return false }
    if let dueBefore {
      guard let due = summary.task.due, due < dueBefore else { return false }
    }
    return true
  }
}
