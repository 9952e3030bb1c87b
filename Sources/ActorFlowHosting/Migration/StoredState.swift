public import ActorFlow

/// The stored state of a flow as a ``Move`` may change it: the steps on its stack, and their inputs.
public struct StoredState: Sendable {
  var machine: MachineSnapshot
  let values: any ValueCodec
  /// The steps that were taken from the flow although they may have to be compensated, in the order of the moves.
  var forgotten: [StepID] = []
  /// The names that each renamed step has had before, by its name now.
  private var formerNames: [StepID: Set<StepID>] = [:]

  init(_ machine: MachineSnapshot, values: any ValueCodec) {
    (self.machine, self.values) = (machine, values)
  }

  /// The steps on the stack, oldest first, then those of each open branch.
  public var steps: [StepID] { machine.tracks.flatMap { $0.places.map(\.visit.step) } }

  /// The steps in focus: the newest of the stack and of each branch.
  public var focused: [StepID] { machine.tracks.compactMap { $0.places.last?.visit.step } }

  /// Returns the input of a step as JSON, or `nil` if the step is not on the stack.
  ///
  /// If the step is there several times, the last in ``steps`` counts.
  public func inputJSON(of step: StepID) -> [UInt8]? {
    place(step).map { machine.payloads[machine[$0].payload].value.bytes }
  }

  /// Returns the input of a step, or `nil` if the step is not on the stack.
  ///
  /// - Throws: A `FlowError` with the code `typeMismatch` if the input is not a `Value`.
  public func input<Value: Decodable & Sendable>(of step: StepID, as type: Value.Type) throws -> Value? {
    guard let place = place(step) else { return nil }
    return try StepBody.cast(stored(machine.payloads[machine[place].payload].value), to: type)
  }

  /// Returns whether a step has a record under a key, at any of its places: a result of `once`, or of an `attempt` that
  /// succeeded.
  ///
  /// Also true if the effect has begun and its outcome is not known, and where the step's `backUp` threw and may be
  /// retried. Text is compared byte by byte.
  public func hasRecord(of step: StepID, key: String) -> Bool {
    let focused = places(step).filter { $0.index == machine.tracks[$0.track].places.count - 1 }
    let records =
      places(step).flatMap { machine[$0].records } + focused.flatMap { machine.tracks[$0.track].focus.records }
      + machine.failedPlaces.filter { step.means($0.visit.step) }.flatMap(\.records)
    return records.contains { $0.key.hasBytes(of: key) && ($0.value != nil || $0.failure == nil) }
  }

  /// Replaces the input of a step at all its places, also where its `backUp` threw and may be retried.
  ///
  /// - Throws: A `FlowError` with the code `typeMismatch` if the input is not an `Old`; the error of `change`.
  public mutating func changeInput<Old: Decodable & Sendable, New: Encodable & Sendable>(
    of step: StepID, _ change: (Old) throws -> New
  ) throws {
    for place in places(step) {
      machine[place].payload = try changed(machine[place].payload, change)
      guard machine.isFocused(place), case .anew(let payload)? = machine.tracks[place.track].start?.kind else {
        continue
      }
      let input = try changed(payload, change)
      machine.change(place.track) { $0.start?.kind = .anew(payload: input) }
    }
    var payloads: [Int: Int] = [:]
    for place in machine.failedPlaces where step.means(place.visit.step) {
      payloads[place.payload] = try changed(place.payload, change)
    }
    machine.changeFailedPlaces { place in
      guard let old = place, step.means(old.visit.step), let payload = payloads[old.payload] else { return }
      place?.payload = payload
    }
  }

  /// Renames a step and everything below it; a name is a whole path or its last part.
  public mutating func rename(_ step: StepID, to name: StepID) {
    for path in Set(steps + machine.failedPlaces.map(\.visit.step)) {
      let new = path.renamed(step, to: name)
      if new != path { formerNames[new, default: []].formUnion((formerNames[path] ?? []).union([path])) }
    }
    machine.rename { $0.renamed(step, to: name) }
  }

  /// Whether a name means a step as it is called now, or as it was called before a rename.
  func isMeant(_ path: StepID, by name: StepID) -> Bool {
    name.means(path) || formerNames[path]?.contains { name.means($0) } == true
  }

  /// Removes a step from the stack; its effects remain, and its `backUp` is not called any more.
  ///
  /// - Throws: A `FlowError` with the code `badDefinition` for a step in focus; see ``Move/reenter(_:at:_:)``.
  public mutating func forget(_ step: StepID) throws {
    let places = places(step)
    // The newest place of a branch that has ended, or is being left, shares what it has recorded with its track.
    guard !places.contains(where: { $0.index == machine.tracks[$0.track].places.count - 1 }) else {
      throw FlowError(
        .badDefinition, "a step in focus cannot be forgotten; use `reenter` to enter another step", step: step)
    }
    for place in places.reversed() {
      forgotten.append(machine[place].visit.step)
      machine.remove(place)
    }
    for place in machine.failedPlaces where step.means(place.visit.step) { forgotten.append(place.visit.step) }
    machine.changeFailedPlaces { place in
      if let old = place, step.means(old.visit.step) { place = nil }
    }
  }

  /// Lets a flow that is at `step` enter another step instead; discards the answers, records and question of `step`.
  public mutating func reenter<Old: Decodable & Sendable, New: Encodable & Sendable>(
    _ step: StepID, at other: StepID, _ change: (Old) throws -> New
  ) throws {
    for place in places(step) where machine.isFocused(place) {
      machine[place].payload = try changed(machine[place].payload, change)
      forgotten.append(machine[place].visit.step)
      machine.reenter(place, at: machine[place].visit.step.renamed(step, to: other))
    }
  }

  /// Adds a copy of a payload with a changed value, and returns its index.
  private mutating func changed<Old: Decodable & Sendable, New: Encodable & Sendable>(
    _ index: Int, _ change: (Old) throws -> New
  ) throws -> Int {
    guard machine.payloads.indices.contains(index) else {
      throw FlowError(.typeMismatch, "the snapshot is damaged: the input of a step is missing")
    }
    var payload = machine.payloads[index]
    let old: Old = try StepBody.cast(stored(payload.value), to: Old.self)
    payload.value = try PackedValue(change(old), with: values)
    machine.payloads.append(payload)
    return machine.payloads.count - 1
  }

  func stored(_ value: PackedValue) -> StoredValue { StoredValue(value, codec: values) }
  private func place(_ step: StepID) -> PlaceIndex? { places(step).last }

  func places(_ step: StepID) -> [PlaceIndex] {
    machine.tracks.indices.flatMap { track in
      machine.tracks[track].places.indices.compactMap { index in
        let place = PlaceIndex(track: track, index: index)
        return step.means(machine[place].visit.step) ? place : nil
      }
    }
  }
}

/// The position of a place: its track, where 0 is the flow's own, and its depth.
struct PlaceIndex: Sendable {
  let track: Int
  let index: Int
}

extension MachineSnapshot {
  subscript(place: PlaceIndex) -> PackedPlace {
    get { tracks[place.track].places[place.index] }
    set { change(place.track) { $0.places[place.index] = newValue } }
  }

  mutating func change(_ track: Int, _ body: (inout PackedTrack) -> Void) {
    if track == 0 { body(&main) } else { body(&branches[track - 1]) }
  }

  func isFocused(_ place: PlaceIndex) -> Bool {
    let track = tracks[place.track]
    return track.phase == .walking && place.index == track.places.count - 1
  }

  /// Removes a place; places above it that led back to it now lead back to its own back target.
  ///
  /// A way back that the place has closed stays closed, because its effects remain.
  mutating func remove(_ place: PlaceIndex) {
    change(place.track) { track in
      let isClosing = track.closes(at: place.index)
      let gone = track.places.remove(at: place.index)
      let depth = Int32(place.index)
      for index in place.index..<track.places.count {
        let target = track.places[index].backTarget
        let targetDepth = PackedPlace.depth(of: target)
        if targetDepth == depth {
          track.places[index].backTarget = target < 0 ? PackedPlace.closing(gone.backTarget) : gone.backTarget
        } else if targetDepth > depth {
          track.places[index].backTarget = target < 0 ? target + 1 : target - 1
        }
      }
      if track.closedAt >= depth { track.closedAt -= 1 }
      if isClosing { track.close(below: place.index) }
      if case .back(let target, let update)? = track.leave?.goal, target > place.index {
        track.leave?.goal = .back(to: target - 1, update: update)
      }
    }
  }

  mutating func reenter(_ place: PlaceIndex, at step: StepID) {
    let track = tracks[place.track]
    let question = track.question?.number
    let waits = Set(track.waits.map(\.number))
    timers.removeAll { timer in
      switch timer.subject {
      case .question(let number), .reminder(let number, _, _, _): number == question
      case .wait(let number): waits.contains(number)
      case .scope, .idle, .pause: false
      }
    }
    change(place.track) { track in
      track.places[place.index].visit.step = step
      (track.places[place.index].records, track.places[place.index].tree) = ([], nil)
      (track.question, track.waits, track.start, track.visit) = (nil, [], nil, nil)
      (track.focus.answers, track.focus.records, track.focus.tree) = ([], [], nil)
    }
  }

  /// Changes every path in the snapshot.
  mutating func rename(_ name: (StepID) -> StepID) {
    for index in frames.indices { frames[index].scope.step = name(frames[index].scope.step) }
    if let step = fault?.step { fault?.step = name(step) }
    changeFailedPlaces { place in
      if let step = place?.visit.step { place?.visit.step = name(step) }
    }
    for index in tracks.indices { change(index) { $0.rename(name) } }
  }
}

extension PackedTrack {
  /// Whether the place at an index is known to be one that was left forwards for good, or is inside a side branch of a
  /// hub that has such a place.
  fileprivate func closes(at index: Int) -> Bool {
    if places[index].isClosed || closedAt == index { return true }
    guard closedAt > index, closedAt < places.count else { return false }
    return places[index...Int(closedAt)].allSatisfy(\.isInner)
  }

  /// Lets no back lead to the places below an index.
  fileprivate mutating func close(below index: Int) {
    guard let shown = places[..<index].lastIndex(where: { !$0.isInner }) else {
      isSealed = true
      return
    }
    places[shown].isClosed = true
  }

  fileprivate mutating func rename(_ name: (StepID) -> StepID) {
    for index in places.indices { places[index].visit.step = name(places[index].visit.step) }
    if let path = branch?.path { branch?.path = name(path) }
    if let step = visit?.step { visit?.step = name(step) }
    if let step = leave?.visit?.step { leave?.visit?.step = name(step) }
    if case .unwind(let frame, var fault, let isTimeout)? = leave?.goal {
      fault.step = name(fault.step)
      leave?.goal = .unwind(frame: frame, fault, isTimeout: isTimeout)
    }
    if let step = fork?.failure?.step { fork?.failure?.step = name(step) }
    switch start?.kind {
    case .at(.behind(let step), let payload)?: start?.kind = .at(.behind(name(step)), payload: payload)
    case .recovery(var fault, let frame)?:
      fault.step = name(fault.step)
      start?.kind = .recovery(fault, frame: frame)
    case .failure(var fault, let frame)?:
      fault.step = name(fault.step)
      start?.kind = .failure(fault, frame: frame)
    case .at?, .top?, .anew?, nil: break
    }
  }
}

extension StepID {
  private var parts: [Substring] { path.split(separator: "/", omittingEmptySubsequences: false) }

  /// Whether this id means `path`; the id is a whole path or a last part, and `*` in it means any number.
  func means(_ path: StepID) -> Bool {
    let (mine, parts) = (parts, path.parts)
    if mine.count == 1, parts.count > 1 { return mine[0] == parts[parts.count - 1] }
    return mine.count == parts.count && Self.fit(mine, parts[...])
  }

  /// Returns this path with `old`, which is its beginning or its last part, renamed to `new`.
  func renamed(_ old: StepID, to new: StepID) -> StepID {
    var parts = parts
    var (pattern, name) = (old.parts, new.parts)
    if pattern.count == 1, parts.count > 1, parts[0] != pattern[0] {
      guard name.count == 1, parts[parts.count - 1] == pattern[0] else { return self }
      parts[parts.count - 1] = name[0]
      return StepID(parts.joined(separator: "/"))
    }
    guard parts.count >= pattern.count, Self.fit(pattern, parts[..<pattern.count]) else { return self }
    var numbers = zip(pattern, parts).filter { $0.0 == "*" }.map(\.1)[...]
    for index in name.indices where name[index] == "*" { name[index] = numbers.popFirst() ?? "*" }
    pattern = name + parts[pattern.count...]
    return StepID(pattern.joined(separator: "/"))
  }

  private static func fit(_ pattern: [Substring], _ parts: ArraySlice<Substring>) -> Bool {
    zip(pattern, parts).allSatisfy { $0 == $1 || ($0 == "*" && Int($1) != nil) }
  }
}
