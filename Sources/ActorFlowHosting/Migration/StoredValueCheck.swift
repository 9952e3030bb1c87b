import ActorFlow

/// A check whether the values of a stored flow can be read as the types of a definition and of its ``StoredTypes``.
struct StoredValueCheck {
  /// The values that keep the flow from fitting the definition.
  private(set) var problems: [UnfitSnapshot.Problem] = []
  /// The values whose types nothing declares, or that the flow does not need to go on from where it is.
  private(set) var unchecked: [MigrationPlan.UncheckedValue] = []

  private let definition: Definition
  private let values: any ValueCodec
  /// Whether the flow moves to the definition, so that all places must fit. A flow that stays where it is needs at once
  /// only what the steps in focus read.
  private let isMoving: Bool
  /// Whether unchecked values are listed.
  private let isListing: Bool
  /// The inputs that were read.
  private var read: Set<Int> = []

  /// - Parameter listing: Whether to find the unchecked values as well.
  init(
    _ machine: MachineSnapshot, in definition: Definition, codec: any ValueCodec, isMoving: Bool, listing: Bool = false
  ) {
    (self.definition, values, self.isMoving, isListing) = (definition, codec, isMoving, listing)
    for track in machine.tracks { check(track, machine) }
    guard listing else { return }
    let step = machine.main.places.last?.visit.step ?? ""
    for place in machine.failedPlaces { records(place.records, at: place.visit.step) }
    for frame in machine.frames where !read.contains(frame.payload) && machine.payloads.indices ~= frame.payload {
      loose(machine.payloads[frame.payload].value, at: frame.scope.step, machine)
    }
    for carried in machine.carried { loose(carried.value, at: step, machine) }
    for signal in machine.signals.buffer { buffered(signal, at: step) }
  }

  // MARK: - Places

  private mutating func check(_ track: PackedTrack, _ machine: MachineSnapshot) {
    for (index, place) in track.places.enumerated() {
      let step = place.visit.step
      guard let node = definition.names.node(step) else { continue }
      let isTop = index == track.places.count - 1
      let isNeeded = isMoving || isTop && track.phase == .walking
      if node.fork == nil, machine.payloads.indices ~= place.payload {
        input(place.payload, machine.payloads[place.payload].value, of: node, at: step, isNeeded: isNeeded)
      }
      records(isTop ? track.focus.records : place.records, at: step)
      if let tree = isTop ? track.focus.tree : place.tree { states(tree, of: node, at: step, isNeeded: isNeeded) }
      if let update = isTop ? track.focus.update : place.update, let receiver = node.body.types.receiver {
        known(update, as: receiver.update, .update, nil, at: step, isNeeded: isNeeded)
      }
    }
    guard let step = (track.places.last?.visit ?? track.visit)?.step else { return }
    if track.phase == .walking { answers(track.focus.answers, at: step) }
    if let question = track.question { prompt(question.prompt, at: step) }
    for result in track.fork?.results ?? [] { loose(result.value, at: step, machine) }
    if case .anew(let payload)? = track.start?.kind, let node = definition.names.node(step),
      machine.payloads.indices ~= payload
    {
      input(payload, machine.payloads[payload].value, of: node, at: step, isNeeded: true)
    }
    if case .at(_, let payload)? = track.start?.kind, !read.contains(payload), machine.payloads.indices ~= payload {
      loose(machine.payloads[payload].value, at: step, machine)
    }
  }

  private mutating func input(_ index: Int, _ value: PackedValue, of node: Node, at step: StepID, isNeeded: Bool) {
    guard isNeeded || isListing && !read.contains(index) else { return }
    guard let reason = failure(of: value, as: node.body.types.input) else {
      read.insert(index)
      return
    }
    let type = node.body.types.input
    let text =
      value.type == "\(type)"
      ? "its stored input cannot be read as \(type): \(reason)"
      : "its stored input is of type \(value.type), not \(type)"
    note(.input, nil, value.type, text, reason, at: step, isNeeded: isNeeded)
  }

  private mutating func records(_ records: [PackedRecord], at step: StepID) {
    for record in records where record.type != "Void" {
      guard let type = definition.stores.record(under: record.key, of: record.type) else {
        list(.record, record.key, record.type, at: step)
        continue
      }
      let place = "the record \"\(record.key)\""
      if record.type != "\(type)" {
        problem("\(place) is of type \(record.type), not \(type)\(Self.remedy(.record))", at: step)
      } else if let value = record.value, let reason = failure(of: value, as: type) {
        problem("\(place) cannot be read as \(type): \(reason)\(Self.remedy(.record))", at: step)
      }
    }
  }

  private mutating func answers(_ answers: [PackedAnswer], at step: StepID) {
    for answer in answers {
      guard case .answered(let value, _) = answer.entry else { continue }
      guard let type = definition.stores.answer(under: answer.key) ?? output(answer.key, at: step) else {
        list(.answer, answer.key.text, value.type, at: step)
        continue
      }
      guard let reason = failure(of: value, as: type) else { continue }
      problem("the answer \"\(answer.key.text)\" cannot be read as \(type): \(reason)\(Self.remedy(.answer))", at: step)
    }
  }

  /// The output of a rendered step is stored like an answer.
  private func output(_ key: JournalKey, at step: StepID) -> Any.Type? {
    guard case .given("output") = key.name, let node = definition.names.node(step), node.state != nil else {
      return nil
    }
    return node.body.types.output
  }

  private mutating func states(_ tree: PackedTree, of node: Node, at step: StepID, isNeeded: Bool) {
    for (index, child) in tree.nodes.enumerated() where child.state.type != "()" {
      guard index > 0 else {
        if let type = node.state { known(child.state, as: type, .state, nil, at: step, isNeeded: isNeeded) }
        continue
      }
      guard let type = definition.stores.child(of: child.type) else {
        list(.state, child.type, child.state.type, at: step)
        continue
      }
      known(child.state, as: type, .state, child.type, at: step, isNeeded: isNeeded)
    }
  }

  /// Checks the prompt of an open question. No flow stands still for it: the step shows a new one.
  private mutating func prompt(_ value: PackedValue, at step: StepID) {
    guard isListing, let type = definition.stores.value(of: value.type) ?? definition.names.node(step)?.rendering,
      let reason = failure(of: value, as: type)
    else { return }
    list(.prompt, nil, value.type, reason, at: step)
  }

  // MARK: - Values of the flow

  private mutating func buffered(_ signal: PackedSignals.Signal, at step: StepID) {
    guard let type = definition.stores.signal(signal.name, of: signal.value.type) else {
      return list(.signal, signal.name, signal.value.type, at: step)
    }
    // A wait takes no signal of a type with another name.
    let reason = "\(type)" == signal.value.type ? failure(of: signal.value, as: type) : "\(type) is waited for"
    if let reason { list(.signal, signal.name, signal.value.type, reason, at: step) }
  }

  /// Checks a value whose place does not tell its type, by the name that it was stored with.
  private mutating func loose(_ value: PackedValue, at step: StepID, _ machine: MachineSnapshot) {
    guard isListing, value.type != "()", !read.contains(where: { machine.payloads[$0].value == value }) else { return }
    guard let type = definition.stores.value(of: value.type) ?? definition.types[value.type] else {
      return list(.value, nil, value.type, at: step)
    }
    if let reason = failure(of: value, as: type) { list(.value, nil, value.type, reason, at: step) }
  }

  private mutating func known(
    _ value: PackedValue, as type: Any.Type, _ kind: MigrationPlan.UncheckedValue.Kind, _ key: String?, at step: StepID,
    isNeeded: Bool
  ) {
    guard isNeeded || isListing, let reason = failure(of: value, as: type) else { return }
    let of = key.map { " of the child \($0)" } ?? ""
    let text = "its \(kind.rawValue)\(of) cannot be read as \(type): \(reason)\(Self.remedy(kind))"
    note(kind, key, value.type, text, reason, at: step, isNeeded: isNeeded)
  }

  // MARK: - Notes

  private func failure(of value: PackedValue, as type: Any.Type) -> String? {
    do { _ = try StoredValue(value, codec: values).unpacked(asAny: type) } catch {
      return "\(DecodingReason((error as? FlowError)?.underlying ?? error))"
    }
    return nil
  }

  private static func remedy(_ kind: MigrationPlan.UncheckedValue.Kind) -> String {
    switch kind {
    case .answer: "; convert it with `Move.answer(of:key:)`, or drop it with `Move.forgetAnswer(of:key:)`"
    case .record: "; convert it with `Move.record(of:key:)`"
    case .state: "; convert it with `Move.state(of:)`"
    default: ""
    }
  }

  private mutating func note(
    _ kind: MigrationPlan.UncheckedValue.Kind, _ key: String?, _ type: String, _ text: String, _ reason: String,
    at step: StepID, isNeeded: Bool
  ) {
    if isNeeded { problem(text, at: step) } else { list(kind, key, type, reason, at: step) }
  }

  private mutating func problem(_ reason: String, at step: StepID) {
    problems.append(UnfitSnapshot.Problem(step: step, reason: reason))
  }

  private mutating func list(
    _ kind: MigrationPlan.UncheckedValue.Kind, _ key: String?, _ type: String, _ reason: String? = nil, at step: StepID
  ) {
    unchecked.append(
      MigrationPlan.UncheckedValue(step: step, kind: kind, key: key, type: type, reason: reason))
  }
}

extension Node {
  /// The type of a rendered step's state; `nil` for any other step.
  fileprivate var state: Any.Type? { kept("state") }
  /// The type of a rendered step's prompt.
  fileprivate var rendering: Any.Type? { kept("rendering") }

  private func kept(_ what: String) -> Any.Type? { body.types.kept.first { $0.what == what }?.type }
}
