import ActorFlow

/// The name of a stored value as a move gives it.
enum StoredKey: Sendable, Hashable {
  case answer(String)
  case record(String)
  /// The states of children of this type.
  case state(String)

  var text: String {
    switch self {
    case .answer(let key), .record(let key), .state(let key): key
    }
  }

  /// The kind of value, for messages.
  var kind: String {
    switch self {
    case .answer: "answer"
    case .record: "record"
    case .state: "state"
    }
  }
}

/// The key of a value that is stored of a step, as a move may name it.
enum FoundKey: Sendable, Hashable {
  case answer(JournalKey)
  /// The key of a record, or the type of children with a state.
  case other(StoredKey)

  var text: String {
    switch self {
    case .answer(let key): key.text
    case .other(let key): key.text
    }
  }

  func isMeant(by key: StoredKey) -> Bool {
    switch (self, key) {
    case (.answer(let own), .answer(let text)): own.isMeant(by: text)
    case (.other(let own), _): own == key
    default: false
    }
  }

  /// Whether the value is of the kind that a move names.
  func isLike(_ key: StoredKey) -> Bool {
    switch (self, key) {
    case (.answer, .answer), (.other(.record), .record), (.other(.state), .state): true
    default: false
    }
  }
}

extension MachineSnapshot {
  /// The keys of the values that are stored of steps, each with the path of its step.
  var foundKeys: [(step: StepID, key: FoundKey)] {
    var found: [(StepID, FoundKey)] = []
    func note(_ records: [PackedRecord], _ tree: PackedTree?, at step: StepID) {
      let keys = records.map { StoredKey.record($0.key) } + (tree?.nodes.dropFirst() ?? []).map { .state($0.type) }
      found += keys.map { (step, .other($0)) }
    }
    for track in tracks {
      for place in track.places { note(place.records, place.tree, at: place.visit.step) }
      guard let step = track.places.last?.visit.step else { continue }
      note(track.focus.records, track.focus.tree, at: step)
      for answer in track.focus.answers {
        if case .answered = answer.entry { found.append((step, .answer(answer.key))) }
      }
    }
    for place in failedPlaces { note(place.records, place.tree, at: place.visit.step) }
    return found
  }
}

/// The use of the moves of registered definitions: the flows that each move changes, and the steps and keys that there
/// are for it.
///
/// Known are the steps of registered definitions, and those that open flows are at or have passed.
struct MoveUse {
  fileprivate struct Version: Hashable {
    let definition: String
    let number: Int
  }

  /// The steps and stored values of open flows, with `*` for the numbers of elements.
  fileprivate struct Seen {
    var steps: Set<StepID> = []
    var values: Set<Value> = []
  }

  fileprivate struct Value: Hashable {
    var step: StepID
    let key: FoundKey
  }

  fileprivate struct Counted: Hashable {
    let version: Version
    let index: Int
  }

  private var seen: [Version: Seen] = [:]
  private var counts: [Counted: Int] = [:]
  private let definitions: [Definition]

  init(_ definitions: TextMap<[Int: Definition]>) {
    self.definitions = definitions.flatMap(\.value.values).sorted { ($0.name, $0.version) < ($1.name, $1.version) }
  }

  /// Adds the steps and the stored values of an open flow.
  mutating func note(_ machine: MachineSnapshot, of definition: String, _ version: Int) {
    guard definitions.contains(where: { $0.name.hasBytes(of: definition) && $0.from == version }) else { return }
    let places = machine.tracks.lazy.flatMap { $0.places.map(\.visit.step) }
    let branches = machine.branches.compactMap { $0.branch?.path }
    let version = Version(definition: definition, number: version)
    seen[version, default: Seen()].steps
      .formUnion((places + branches + machine.frames.map(\.scope.step)).map(\.withoutNumbers))
    for (step, key) in machine.foundKeys {
      seen[version, default: Seen()].values.insert(Value(step: step.withoutNumbers, key: key))
    }
  }

  /// Counts a flow that a move changes.
  mutating func applied(_ index: Int, of definition: Definition) {
    counts[
      Counted(version: Version(definition: definition.name, number: definition.version), index: index), default: 0] += 1
  }

  /// Returns the moves that change flows.
  func applied() -> [MigrationPlan.AppliedMove] {
    definitions.flatMap { definition in
      definition.moves.enumerated().compactMap { index, move in
        let version = Version(definition: definition.name, number: definition.version)
        guard let flows = counts[Counted(version: version, index: index)] else { return nil }
        return MigrationPlan.AppliedMove(
          definition: definition.name, version: definition.version, move: move.subject?.name ?? "custom",
          step: move.subject?.step, key: move.value?.text, flows: flows)
      }
    }
  }

  /// Returns the moves that name none of the known steps, or a key that no flow at the step has.
  func unused() -> [MigrationPlan.UnusedMove] {
    var unused: [MigrationPlan.UnusedMove] = []
    var (steps, seen) = (knownSteps, seen)
    for definition in definitions {
      guard let from = definition.from, let old = steps[Version(definition: definition.name, number: from)] else {
        continue
      }
      // The names as the moves so far have left them, by the old ones.
      var now = Dictionary(uniqueKeysWithValues: old.map { ($0, $0) })
      var found = seen[Version(definition: definition.name, number: from)] ?? Seen()
      for move in definition.moves {
        guard let (name, step) = move.subject else { continue }
        // Moves that take a step away name an old one. Others may also name a new step that no flow has come to.
        let names = move.takesStepAway ? Set(now.values) : definition.steps.union(now.values)
        let keys = found.keys(for: move)
        let isUnknown = !names.contains(where: move.isAbout)
        if isUnknown || keys != nil {
          let renamed = isUnknown ? now.filter { move.isAbout($0.key) }.map(\.value) : []
          unused.append(
            MigrationPlan.UnusedMove(
              definition: definition.name, version: definition.version, from: from, move: name, step: step,
              newName: renamed.min { $0.path < $1.path }, known: old.sorted { $0.path < $1.path },
              key: keys == nil ? nil : move.value?.text, knownKeys: keys ?? []))
        }
        if let newName = move.newName {
          now = now.mapValues { $0.renamed(step, to: newName) }
          found.rename(step, to: newName)
        }
      }
      let version = Version(definition: definition.name, number: definition.version)
      steps[version, default: []].formUnion(now.values)
      seen[version, default: Seen()].add(found)
    }
    return unused
  }

  /// The steps by definition and version.
  private var knownSteps: [Version: Set<StepID>] {
    var steps = seen.mapValues(\.steps)
    for definition in definitions {
      steps[Version(definition: definition.name, number: definition.version), default: []].formUnion(definition.steps)
    }
    return steps
  }
}

extension MoveUse.Seen {
  fileprivate mutating func add(_ other: Self) {
    steps.formUnion(other.steps)
    values.formUnion(other.values)
  }

  fileprivate mutating func rename(_ step: StepID, to name: StepID) {
    steps = Set(steps.map { $0.renamed(step, to: name) })
    values = Set(values.map { .init(step: $0.step.renamed(step, to: name), key: $0.key) })
  }

  /// Returns the keys that flows have at a move's step, if flows have the step and none has the move's key; else `nil`.
  fileprivate func keys(for move: Move) -> [String]? {
    guard let value = move.value, steps.contains(where: move.isAbout) else { return nil }
    let there = values.filter { move.isAbout($0.step) && $0.key.isLike(value) }
    return there.contains { $0.key.isMeant(by: value) } ? nil : Set(there.map(\.key.text)).sorted()
  }
}

extension Definition {
  /// The paths of the steps, with `*` for each number.
  var steps: Set<StepID> { Set(graph.nodes.map(\.info.id.withoutNumbers)) }
}

extension Move {
  /// Whether a step with the old name is not there any more afterwards.
  fileprivate var takesStepAway: Bool {
    newName != nil || subject?.name == "forget" || subject?.name == "reenter"
  }

  /// Whether the move changes anything for a step with this path.
  fileprivate func isAbout(_ path: StepID) -> Bool {
    guard let (_, step) = subject else { return true }
    guard let newName else { return step.withoutNumbers.means(path) }
    return path.renamed(step.withoutNumbers, to: newName) != path
  }
}

extension StepID {
  /// The path with `*` for each number.
  var withoutNumbers: StepID {
    guard path.utf8.contains(where: { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) else { return self }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return StepID(parts.map { Int($0) == nil ? $0 : "*" }.joined(separator: "/"))
  }
}
