/// The tracks of the open branches.
///
/// Changed branches are noted, so that events share the views of the unchanged ones, and the number of busy branches is
/// counted, so that `isSettled` need not ask each of them.
struct Branches: Sendable {
  private var map = TrackMap<Track>()
  /// The slots of branches that are over.
  private var free: [Int32] = []
  private var nextSlot = TrackID.firstSlot
  /// The branches that have changed since their views were last made.
  private var changed: [TrackID] = []
  /// The number of branches that were busy when their views were last made.
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

  /// Whether a branch meets a condition. The order of the calls is undefined.
  func contains(where isMeant: (Track) -> Bool) -> Bool { map.contains(where: isMeant) }

  mutating func open(_ branch: Track, numbered number: Int32) -> TrackID {
    let slot = free.popLast() ?? nextSlot
    if slot == nextSlot { nextSlot += 1 }
    let id = TrackID(number, in: slot)
    map.insert(branch, for: id)
    if branch.isBusy { busy += 1 }
    return id
  }

  /// Removes a branch that is over.
  mutating func close(_ branch: TrackID) -> Track? {
    guard let gone = map.remove(branch) else { return nil }
    free.append(branch.slot)
    if gone.wasBusy { busy -= 1 }
    if map.count == 0 { changed = [] }
    return gone
  }
}

// MARK: - Changes

extension Branches {
  private mutating func note(_ branch: TrackID) {
    guard map.contains(branch), !map.look(at: branch, { $0.hasChanged }) else { return }
    map[branch].hasChanged = true
    changed.append(branch)
  }

  /// Whether the views of all branches are current.
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

/// A value that each track has. For a track that is over, `absent` is read instead.
protocol TrackValue: Sendable {
  /// A map without branches, shared by all.
  static var noBranches: ContiguousArray<TrackSlot<Self>> { get }
}

struct TrackSlot<Value: Sendable>: Sendable {
  /// The number of the track; -1 in an empty slot.
  fileprivate(set) var track: Int32
  fileprivate(set) var value: Value

  static func absent(_ value: Value) -> TrackSlot { TrackSlot(track: -1, value: value) }
}

/// A map from branches to values. A lookup takes constant time, and lends the value where it is stored, without a copy.
///
/// A change to the value of a track that is over is dropped.
struct TrackMap<Value: TrackValue>: Sendable {
  /// The value for absent branches, then the branches, each at the index of its slot.
  private var slots = Value.noBranches
  /// The number of branches.
  private(set) var count = 0

  subscript(branch: TrackID) -> Value {
    @inline(__always) get { look(at: branch) { copy $0 } }
    @inline(__always) _modify {
      let index = index(of: branch)
      yield &slots[index].value
      if index == 0 { slots[0] = Value.noBranches[0] }
    }
  }

  /// Calls `body` with a value where it is stored; the subscript copies it.
  @inline(__always)
  func look<Result>(at branch: TrackID, _ body: (borrowing Value) -> Result) -> Result {
    // Through a span, because the subscript of an array copies its element.
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

  /// Whether the value of a branch meets a condition. The order of the calls is undefined.
  func contains(where isMeant: (Value) -> Bool) -> Bool {
    slots.indices.contains { slots[$0].track > 0 && isMeant(slots[$0].value) }
  }
}
