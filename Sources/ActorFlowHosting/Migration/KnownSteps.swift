import ActorFlow

/// The steps of registered definitions, and those that open flows are at or have passed; other steps are unknown.
struct KnownSteps {
  private struct Version: Hashable {
    let definition: String
    let number: Int
  }

  /// The steps by definition and version, with `*` for the numbers of elements.
  private var steps: [Version: Set<StepID>] = [:]
  private let definitions: [Definition]

  init(_ definitions: [String: [Int: Definition]]) {
    self.definitions = definitions.values.flatMap(\.values).sorted { ($0.name, $0.version) < ($1.name, $1.version) }
    for definition in self.definitions {
      steps[Version(definition: definition.name, number: definition.version)] = definition.steps
    }
  }

  /// Adds the steps of an open flow.
  mutating func note(_ machine: MachineSnapshot, of definition: String, _ version: Int) {
    guard definitions.contains(where: { $0.name == definition && $0.from == version }) else { return }
    let places = machine.tracks.lazy.flatMap { $0.places.map(\.visit.step) }
    let branches = machine.branches.compactMap { $0.branch?.path }
    steps[Version(definition: definition, number: version), default: []]
      .formUnion((places + branches + machine.frames.map(\.scope.step)).map(\.withoutNumbers))
  }

  /// Returns the moves that name none of the known steps.
  func unusedMoves() -> [MigrationPlan.UnusedMove] {
    var unused: [MigrationPlan.UnusedMove] = []
    var steps = steps
    for definition in definitions {
      guard let from = definition.from, let old = steps[Version(definition: definition.name, number: from)] else {
        continue
      }
      // The names as the moves so far have left them.
      var now = old
      for move in definition.moves {
        guard let (name, step) = move.subject else { continue }
        // A `rename` names the old step. Other moves may also name a new step that no flow has come to.
        let names = move.newName == nil ? now.union(definition.steps) : now
        if !names.contains(where: move.isAbout) {
          unused.append(
            MigrationPlan.UnusedMove(
              definition: definition.name, version: definition.version, from: from, move: name, step: step,
              known: old.sorted { $0.path < $1.path }))
        }
        if let newName = move.newName { now = Set(now.map { $0.renamed(step, to: newName) }) }
      }
      steps[Version(definition: definition.name, number: definition.version), default: []].formUnion(now)
    }
    return unused
  }
}

extension Definition {
  fileprivate var steps: Set<StepID> { Set(graph.nodes.map(\.info.id.withoutNumbers)) }
}

extension Move {
  /// Whether the move changes anything for a step with this path.
  fileprivate func isAbout(_ path: StepID) -> Bool {
    guard let (_, step) = subject else { return true }
    guard let newName else { return step.withoutNumbers.means(path) }
    return path.renamed(step.withoutNumbers, to: newName) != path
  }
}

extension StepID {
  /// The path with `*` for each number.
  fileprivate var withoutNumbers: StepID {
    guard path.utf8.contains(where: { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else { return self }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return StepID(parts.map { Int($0) == nil ? $0 : "*" }.joined(separator: "/"))
  }
}
