/// The tracks of the branches that are open.
///
/// It notices which of them are changed, so that what the world is shown of the others can be shared from event to
/// event, and whether the flow is settled is known without asking each of them.
struct Branches: Sendable {
  private var map = TrackMap<Track>()
  /// The slots of branches that are over.
  private var free: [Int32] = []
  private var nextSlot = TrackID.firstSlot
  /// Branches that have changed since they were shown last.
  private var changed: [TrackID] = []
  /// How many of the branches were busy when they were shown last.
  private var busy = 0

  subscript(branch: TrackID) -> Track {
    @inline(__always) get { map[branch] }
    @inline(__always) _modify {
      note(branch)
      yield &map[branch]
    }
  }

  @inline(__always)
  func look<Result>(at branch: TrackID, _ body: (borrowing Track) -> Result) -> Result {
    map.look(at: branch, body)
  }

  var isEmpty: Bool { map.count == 0 }

  /// Of all branches, in no order that counts.
  func contains(where isMeant: (Track) -> Bool) -> Bool { map.contains(where: isMeant) }

  mutating func open(_ branch: Track, numbered number: Int32) -> TrackID {
    let slot = free.popLast() ?? nextSlot
    if slot == nextSlot { nextSlot += 1 }
    let id = TrackID(number, in: slot)
    map.insert(branch, for: id)
    if branch.isBusy { busy += 1 }
    return id
  }

  /// Takes a branch out that is over.
  mutating func close(_ branch: TrackID) -> Track? {
    guard let gone = map.remove(branch) else { return nil }
    free.append(branch.slot)
    if gone.wasBusy { busy -= 1 }
    if map.count == 0 { changed = [] }
    return gone
  }
}

// MARK: - What has changed

extension Branches {
  private mutating func note(_ branch: TrackID) {
    guard map.contains(branch), !map.look(at: branch, { $0.hasChanged }) else { return }
    map[branch].hasChanged = true
    changed.append(branch)
  }

  /// Whether every branch shows what it is.
  var areShown: Bool { changed.isEmpty }

  /// Makes new views of the branches that have changed, and of those around them.
  ///
  /// - Parameter main: The fork of the flow itself.
  mutating func show(on main: inout OpenFork?) {
    while let id = changed.popLast() {
      map[id].hasChanged = false
      guard let branch = map.look(at: id, { $0.branch }) else { continue }  // closed meanwhile
      let (wasBusy, isBusy) = map.look(at: id) { ($0.wasBusy, $0.isBusy) }
      if wasBusy != isBusy {
        busy += isBusy ? 1 : -1
        map[id].wasBusy = isBusy
      }
      let view = map.look(at: id) { $0.view }
      if branch.parent == .main {
        main?.views[branch.number] = view
      } else {
        self[branch.parent].fork?.views[branch.number] = view
      }
    }
  }

  /// Whether a branch has something to do, other than to wait.
  var areBusy: Bool {
    var busy = busy
    for id in changed {
      busy += map.look(at: id) { $0.branch == nil ? 0 : ($0.isBusy ? 1 : 0) - ($0.wasBusy ? 1 : 0) }
    }
    return busy > 0
  }
}

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
