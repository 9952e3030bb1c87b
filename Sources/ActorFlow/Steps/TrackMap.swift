/// Something for each track: found in one step however many there are, and lent where it stands, never copied.
///
/// A track that is over has none; what is read of it is the value for absent ones, and what is done to it is forgotten.
struct TrackMap<Value: Sendable>: Sendable {
  private struct Slot: Sendable {
    var track: Int32
    var value: Value
  }
  /// The flow's own; from the first branch on what stands for absent tracks; then the branches, each where its id says.
  private var slots: ContiguousArray<Slot>
  private let absent: Value
  /// How many branches there are.
  private(set) var count = 0

  init(main: Value, absent: Value) {
    slots = [Slot(track: TrackID.main.number, value: main)]
    self.absent = absent
  }

  subscript(track: TrackID) -> Value {
    @inline(__always) _read { yield slots.span[index(of: track)].value }
    @inline(__always) _modify {
      let index = index(of: track)
      yield &slots[index].value
      if index == 1 { slots[1].value = absent }
    }
  }

  @inline(__always)
  private func index(of track: TrackID) -> Int {
    let slot = Int(track.slot)
    guard slot != 0 else { return 0 }
    if slot < slots.count, slots[slot].track == track.number { return slot }
    // Where there never was a branch, nobody has a branch's id.
    return slots.count > 1 ? 1 : 0
  }

  mutating func insert(_ value: Value, for track: TrackID) {
    while slots.count <= track.slot { slots.append(Slot(track: -1, value: absent)) }
    slots[Int(track.slot)] = Slot(track: track.number, value: value)
    count += 1
  }

  mutating func remove(_ track: TrackID) -> Value? {
    let index = index(of: track)
    guard index > 1 else { return nil }
    defer { slots[index] = Slot(track: -1, value: absent) }
    count -= 1
    return slots[index].value
  }

  func contains(_ track: TrackID) -> Bool { index(of: track) > 1 }

  /// Of all branches, in no order that counts.
  func contains(where isMeant: (Value) -> Bool) -> Bool {
    slots.indices.contains { slots[$0].track > 0 && isMeant(slots[$0].value) }
  }
}
