@testable import ActorFlow

/// Changes states of a flow at random: replaces a value by the one from another state of the same flow, by a value from
/// elsewhere in the state, or by one that no machine writes.
struct SnapshotMutator {
  var random: RandomState
  /// States of the same flow.
  let donors: [MachineSnapshot]

  /// Returns the state with some changes.
  mutating func mutated(_ snapshot: MachineSnapshot) -> MachineSnapshot {
    var snapshot = snapshot
    for _ in 0...random.below(3) { change(&snapshot) }
    return snapshot
  }

  private mutating func change(_ snapshot: inout MachineSnapshot) {
    let donor = self.donor
    switch random.below(16) {
    case 0: changeNumbers(&snapshot)
    case 1: changeEnd(&snapshot, donor)
    case 2: changePayloads(&snapshot, donor)
    case 3: changeTables(&snapshot, donor)
    case 4: shuffle(&snapshot.branches, donor.branches)
    case 5: changeSignals(&snapshot, donor)
    case 6: changeTimers(&snapshot, donor)
    case 7: snapshot.main = donor.main
    case 8, 9, 10: changeTrack(&snapshot.main, track(of: donor), snapshot)
    default:
      guard !snapshot.branches.isEmpty else { return changeTrack(&snapshot.main, donor.main, snapshot) }
      let index = random.below(snapshot.branches.count)
      changeTrack(&snapshot.branches[index], track(of: donor), snapshot)
    }
  }

  private var donor: MachineSnapshot { mutating get { donors[random.below(donors.count)] } }

  private mutating func track(of donor: MachineSnapshot) -> PackedTrack {
    donor.branches.isEmpty || random.below(3) == 0 ? donor.main : donor.branches[random.below(donor.branches.count)]
  }

  // MARK: - The whole

  private mutating func changeNumbers(_ snapshot: inout MachineSnapshot) {
    var numbers = snapshot.numbers
    switch random.below(7) {
    case 0: numbers.visit = number(numbers.visit)
    case 1: numbers.question = number(numbers.question)
    case 2: numbers.leave = number(numbers.leave)
    case 3: numbers.track = small(numbers.track)
    case 4: numbers.wait = number(numbers.wait)
    case 5: snapshot.run = number(snapshot.run)
    default: snapshot.sequence = number(snapshot.sequence)
    }
    snapshot.numbers = numbers
  }

  private mutating func changeEnd(_ snapshot: inout MachineSnapshot, _ donor: MachineSnapshot) {
    switch random.below(5) {
    case 0: snapshot.ending = random.optional { $0.ending() }
    case 1: snapshot.output = random.optional { $0.value() }
    case 2: snapshot.fault = random.optional { $0.fault() }
    case 3: snapshot.failure = random.optional { $0.failure() }
    default: shuffle(&snapshot.undoFailures, donor.undoFailures)
    }
  }

  private mutating func changePayloads(_ snapshot: inout MachineSnapshot, _ donor: MachineSnapshot) {
    guard !snapshot.payloads.isEmpty, random.below(3) > 0 else { return shuffle(&snapshot.payloads, donor.payloads) }
    let index = random.below(snapshot.payloads.count)
    switch random.below(3) {
    case 0: snapshot.payloads[index].value = value(donor)
    case 1: snapshot.payloads[index].carried = random.bool() ? nil : self.index(snapshot.carried.count)
    default: snapshot.payloads[index].scopes = random.bool() ? nil : self.index(snapshot.frames.count)
    }
  }

  private mutating func changeTables(_ snapshot: inout MachineSnapshot, _ donor: MachineSnapshot) {
    switch random.below(4) {
    case 0: shuffle(&snapshot.carried, donor.carried)
    case 1: shuffle(&snapshot.frames, donor.frames)
    case 2:
      guard !snapshot.carried.isEmpty else { return }
      let index = random.below(snapshot.carried.count)
      snapshot.carried[index].below = random.bool() ? nil : self.index(snapshot.carried.count)
    default:
      guard !snapshot.frames.isEmpty else { return }
      let index = random.below(snapshot.frames.count)
      switch random.below(3) {
      case 0: snapshot.frames[index].payload = self.index(snapshot.payloads.count)
      case 1: snapshot.frames[index].attempt = number(snapshot.frames[index].attempt)
      default: if let scope = pick(donor.frames)?.scope { snapshot.frames[index].scope = scope }
      }
    }
  }

  private mutating func changeSignals(_ snapshot: inout MachineSnapshot, _ donor: MachineSnapshot) {
    switch random.below(3) {
    case 0: shuffle(&snapshot.signals.buffer, donor.signals.buffer)
    case 1: shuffle(&snapshot.signals.keys, donor.signals.keys)
    default: snapshot.signals.buffer.append(PackedSignals.Signal(name: "paid", value: value(donor)))
    }
  }

  private mutating func changeTimers(_ snapshot: inout MachineSnapshot, _ donor: MachineSnapshot) {
    guard !snapshot.timers.isEmpty, random.below(3) > 0 else { return shuffle(&snapshot.timers, donor.timers) }
    let index = random.below(snapshot.timers.count)
    switch random.below(3) {
    case 0: snapshot.timers[index].due = random.duration()
    case 1: snapshot.timers[index].track = small(snapshot.timers[index].track)
    default: snapshot.timers[index].subject = random.subject()
    }
  }

  // MARK: - Parts

  /// Returns a number beside the given one, a small one, or the largest possible.
  mutating func number(_ old: Int) -> Int {
    switch random.below(4) {
    case 0: max(0, old - 1)
    case 1: old + 1
    case 2: random.below(8)
    default: Int.max >> 1
    }
  }

  mutating func small(_ old: Int32) -> Int32 { Int32(clamping: min(number(Int(old)), Int(Int32.max >> 1))) }

  /// Returns an index into a table of this many rows, or one just behind it.
  mutating func index(_ count: Int) -> Int { random.below(8) == 0 ? Int.max >> 1 : random.below(count + 1) }

  mutating func value(_ donor: MachineSnapshot) -> PackedValue {
    random.below(3) == 0 ? random.value() : pick(donor.payloads)?.value ?? random.value()
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[random.below(elements.count)]
  }

  /// Removes one element, duplicates one, swaps two, or inserts one of another table.
  mutating func shuffle<Element>(_ elements: inout [Element], _ others: [Element]) {
    if let other = pick(others), elements.isEmpty || random.below(4) == 0 {
      return elements.insert(other, at: random.below(elements.count + 1))
    }
    guard !elements.isEmpty else { return }
    let index = random.below(elements.count)
    switch random.below(4) {
    case 0: elements.remove(at: index)
    case 1: elements.insert(elements[index], at: random.below(elements.count + 1))
    case 2: elements.swapAt(index, random.below(elements.count))
    default: if let other = pick(others) { elements[index] = other }
    }
  }
}
