/// The reasons why a snapshot does not fit a definition: all problems at once.
package struct UnfitSnapshot: Error, Sendable, CustomStringConvertible {
  package struct Problem: Sendable, Hashable {
    package let step: StepID
    package let reason: String

    package init(step: StepID, reason: String) {
      (self.step, self.reason) = (step, reason)
    }
  }

  package let problems: [Problem]

  package init(_ problems: [Problem]) {
    self.problems = problems
  }

  package var description: String { problems.map { "\($0.step): \($0.reason)" }.joined(separator: "; ") }
}
