/// Something that each track has. A track that is over has none: `absent` is read in its place.
protocol TrackValue: Sendable {
  /// A map without branches, shared by all.
  static var noBranches: ContiguousArray<TrackSlot<Self>> { get }
}

struct TrackSlot<Value: Sendable>: Sendable {
  /// Whose it is; -1: nobody's.
  fileprivate(set) var track: Int32
  fileprivate(set) var value: Value

  static func absent(_ value: Value) -> TrackSlot { TrackSlot(track: -1, value: value) }
}

/// Something for each branch: found in one step however many there are, and lent where it stands, never copied.
///
/// What is done to that of a track that is over is forgotten.
struct TrackMap<Value: TrackValue>: Sendable {
  /// What stands for absent ones, then the branches, each where its id says.
  private var slots = Value.noBranches
  /// How many branches there are.
  private(set) var count = 0

  subscript(branch: TrackID) -> Value {
    @inline(__always) get { look(at: branch) { copy $0 } }
    @inline(__always) _modify {
      let index = index(of: branch)
      yield &slots[index].value
      if index == 0 { slots[0] = Value.noBranches[0] }
    }
  }

  /// Looks at one where it stands; the subscript copies it.
  @inline(__always)
  func look<Result>(at branch: TrackID, _ body: (borrowing Value) -> Result) -> Result {
    // By a span: the subscript of an array copies its element.
    body(slots.span[index(of: branch)].value)
  }

  @inline(__always)
  private func index(of branch: TrackID) -> Int {
    let slot = Int(branch.slot)
    return slot < slots.count && slots.span[slot].track == branch.number ? slot : 0
  }

  mutating func insert(_ value: Value, for branch: TrackID) {
    while slots.count <= branch.slot { slots.append(Value.noBranches[0]) }
    slots[Int(branch.slot)] = TrackSlot(track: branch.number, value: value)
    count += 1
  }

  mutating func remove(_ branch: TrackID) -> Value? {
    let index = index(of: branch)
    guard index > 0 else { return nil }
    defer { slots[index] = Value.noBranches[0] }
    count -= 1
    return slots[index].value
  }

  func contains(_ branch: TrackID) -> Bool { index(of: branch) > 0 }

  /// Of all branches, in no order that counts.
  func contains(where isMeant: (Value) -> Bool) -> Bool {
    slots.indices.contains { slots[$0].track > 0 && isMeant(slots[$0].value) }
  }
}
