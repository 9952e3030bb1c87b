/// One step of a graph, or one fork: what a place can be of.
package final class Node: Sendable {
  /// Which of the graph's nodes it is.
  package let index: Int
  /// Where it stands among the instructions.
  package let address: Int
  /// Its path; below a branch for each element the path of its first branch.
  package let info: StepInfo
  /// The parts of its path between the numbers of the elements; one part if there are none.
  let path: [String]
  package let body: StepBody
  package let backUp: BackUpPolicy
  /// Nil: the definition does not say.
  package let failure: FailurePolicy?
  /// Its branches, if it is a fork.
  package let fork: ForkPlan?

  init(
    index: Int, address: Int, path: [String], body: StepBody, backUp: BackUpPolicy, failure: FailurePolicy?,
    presentation: Presentation?, fork: ForkPlan?
  ) {
    self.index = index
    self.address = address
    self.path = path
    self.body = body
    self.backUp = backUp
    self.failure = failure
    self.fork = fork
    info = StepInfo(id: path.path(at: []), presentation: presentation)
  }

  /// What may be said of the node in the branch of these elements, outermost first.
  package func info(at elements: [Int]) -> StepInfo {
    guard path.count > 1 else { return info }
    return StepInfo(id: path.path(at: elements), presentation: info.presentation)
  }
}

/// The branches of a fork, compiled.
package final class ForkPlan: Sendable {
  package let fork: Fork
  /// Where each branch begins; one for a fork with a branch for each element.
  package let entries: [Int]
  /// The branches' paths, cut as the paths of nodes are.
  let paths: [[String]]

  init(_ fork: Fork, entries: [Int], paths: [[String]]) {
    self.fork = fork
    self.entries = entries
    self.paths = paths
  }

  /// Whether there is a branch for each element of what comes in.
  package var isForEach: Bool {
    if case .each = fork.branches { true } else { false }
  }

  /// Whether its goal is asked after each result.
  package var asksGoal: Bool {
    if case .until = fork.goal { true } else { false }
  }

  /// What each branch is given. Runs a closure of the user's, and throws what it throws.
  package func inputs(from value: any Sendable) throws -> [any Sendable] {
    switch fork.branches {
    case .fixed(let branches): Array(repeating: value, count: branches.count)
    case .each(let elements, _): try elements(value)
    }
  }

  /// What a branch is called: the branch of this number, in the branch of these elements.
  package func name(of branch: Int, at elements: [Int]) -> StepID {
    paths[min(branch, paths.count - 1)].path(at: elements)
  }

  /// What a branch is called that is none of an element's. Nil: there is none of this number.
  package func name(ofFixed branch: Int, at elements: [Int]) -> StepID? {
    !isForEach && paths.indices.contains(branch) ? paths[branch].path(at: elements) : nil
  }

  /// Which of its branches has the instruction at this address, which is one of them.
  package func branch(at address: Int) -> Int? { entries.lastIndex { $0 <= address } }
}
