/// A prompt that names the people who are asked, and whose question an operator can assign to others.
///
/// While such an assignment is in force, the prompt that the question shows has the new people as its ``assignees``, also
/// after each update by the step. The prompt's guards are called on that prompt, so an `authorize` that looks at
/// ``assignees`` admits the new people, and no longer the former ones. On a host, make it an `AssignedPrompt`, too.
///
/// ```swift
/// struct Approval: AssignedPrompt, ReassignablePrompt, Codable {
///   struct Answer: Codable, Sendable { var isApproved: Bool }
///   var assignees: [String]
///   var due: Date? { nil }
///
///   func authorize(_ principal: Principal) throws {
///     guard assignees.contains(principal.id) else { throw Refusal.notAllowed("another person is asked") }
///   }
/// }
/// ```
public protocol ReassignablePrompt: Prompt {
  /// The people who are to answer.
  var assignees: [String] { get set }
}

extension ReassignablePrompt {
  /// Returns the prompt with other people. Runs the setter of the type.
  func assigned(to assignees: [String]) -> any Prompt {
    var prompt = self
    prompt.assignees = assignees
    return prompt
  }
}
