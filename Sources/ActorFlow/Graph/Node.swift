/// A step or a fork of a graph.
package final class Node: Sendable {
  /// The index of the node in its graph.
  package let index: Int
  /// The address of the node's instruction.
  package let address: Int
  /// The path and presentation of the node. Below a branch for each element, the path has `*` for the numbers.
  package let info: StepInfo
  /// The parts of the path between the numbers of the elements; a single part if there are none.
  let path: [String]
  package let body: StepBody
  /// The back-up policy; `.automatic` if it is chosen by the step's input.
  package let backUp: BackUpPolicy
  /// Chooses the back-up policy by the step's input; `nil` if the definition fixes the policy.
  let chosenBackUp: ChosenBackUpPolicy?
  /// The failure policy; `nil` if the definition sets none.
  package let failure: FailurePolicy?
  /// Whether the entry of the step is committed before its `proceed` is called.
  package let entersDurably: Bool
  /// The finalizer, if the node is one. It has places on the stack, but is no step: no flow stops at it.
  package let finalizer: Finalizer?
  /// The branches, if the node is a fork.
  package let fork: ForkPlan?

  init(
    index: Int, address: Int, path: [String], body: StepBody, backUp: BackUpPolicy,
    chosenBackUp: ChosenBackUpPolicy? = nil, failure: FailurePolicy?, presentation: Presentation?, fork: ForkPlan?,
    finalizer: Finalizer? = nil, entersDurably: Bool = false
  ) {
    self.index = index
    self.address = address
    self.path = path
    self.body = body
    self.backUp = backUp
    self.chosenBackUp = chosenBackUp
    self.failure = failure
    self.fork = fork
    self.finalizer = finalizer
    self.entersDurably = entersDurably
    info = StepInfo(id: path.path(at: []), presentation: presentation)
  }

  /// Returns the back-up policy for an input of the step; `nil` if it is that of the definition. Runs the user's
  /// closure.
  package func backUp(for input: any Sendable) throws -> BackUpPolicy? {
    guard let chosenBackUp else { return nil }
    return try chosenBackUp.choose(input)
  }

  /// The path and presentation of the node in the branch of these elements, outermost first.
  package func info(at elements: [Int]) -> StepInfo {
    guard path.count > 1 else { return info }
    return StepInfo(id: path.path(at: elements), presentation: info.presentation)
  }
}

/// The branches of a fork, compiled.
package final class ForkPlan: Sendable {
  package let fork: Fork
  /// The address of each branch; a single one for a fork with a branch for each element.
  package let entries: [Int]
  /// The branches' paths, cut as the paths of nodes are.
  let paths: [[String]]

  init(_ fork: Fork, entries: [Int], paths: [[String]]) {
    self.fork = fork
    self.entries = entries
    self.paths = paths
  }

  /// Whether there is a branch for each element of the input.
  package var isForEach: Bool {
    if case .each = fork.branches { true } else { false }
  }

  /// Whether the goal is asked after each result.
  package var asksGoal: Bool {
    if case .until = fork.goal { true } else { false }
  }

  /// Returns the input of each branch. Runs a closure of the user and throws its errors.
  package func inputs(from value: any Sendable) throws -> [any Sendable] {
    switch fork.branches {
    case .fixed(let branches): Array(repeating: value, count: branches.count)
    case .each(let elements, _): try elements(value)
    }
  }

  /// The name of the branch with this number, in the branch of these elements.
  package func name(of branch: Int, at elements: [Int]) -> StepID {
    paths[min(branch, paths.count - 1)].path(at: elements)
  }

  /// The name of a branch of a fork with fixed branches; `nil` if the fork is of another kind or has no such branch.
  package func name(ofFixed branch: Int, at elements: [Int]) -> StepID? {
    !isForEach && paths.indices.contains(branch) ? paths[branch].path(at: elements) : nil
  }

  /// The number of the branch with the instruction at this address, which has to be in one of them.
  package func branch(at address: Int) -> Int? { entries.lastIndex { $0 <= address } }
}
