import ActorFlow

/// The flows that have work to do, and since when, for each version of each definition; `claimDue` reads this index.
///
/// A leased flow is not in the index: it comes back when its lease ends.
struct DueIndex: Sendable {
  struct Version: Hashable, Sendable {
    let definition: TextKey
    let number: Int

    func isServed(by serving: [String: ClosedRange<Int>]) -> Bool { serving.includes(definition.text, number) }
  }

  /// The time from which a flow can be claimed.
  enum Due: Hashable, Sendable {
    /// The flow can be claimed now, whatever the clock says, and has been waiting since this time.
    case now(since: Int64)
    case at(Int64)

    var time: Int64 {
      switch self {
      case .now(let time), .at(let time): time
      }
    }
  }

  struct Key: Comparable, Sendable {
    let time: Int64
    let flow: TextKey

    static func < (left: Key, right: Key) -> Bool {
      left.time == right.time ? left.flow < right.flow : left.time < right.time
    }
  }

  private struct Queue: Sendable {
    var now = SortedList<Key>()
    var timed = SortedList<Key>()
  }

  private struct Place: Hashable, Sendable {
    let version: Version
    let due: Due
  }

  private var queues: [Version: Queue] = [:]
  private var places: [TextKey: Place] = [:]

  /// Sets when a flow can be claimed; pass `nil` for never.
  mutating func set(_ flow: TextKey, of version: Version, _ due: Due?) {
    let new = due.map { Place(version: version, due: $0) }
    let old = places[flow]
    guard new != old else { return }
    if let old {
      switch old.due {
      case .now(let time): queues[old.version]?.now.remove(Key(time: time, flow: flow))
      case .at(let time): queues[old.version]?.timed.remove(Key(time: time, flow: flow))
      }
    }
    places[flow] = new
    switch due {
    case .now(let time): queues[version, default: Queue()].now.insert(Key(time: time, flow: flow))
    case .at(let time): queues[version, default: Queue()].timed.insert(Key(time: time, flow: flow))
    case nil: break
    }
    if let old, let queue = queues[old.version], queue.now.count + queue.timed.count == 0 { queues[old.version] = nil }
  }

  mutating func remove(_ flow: TextKey) {
    guard let place = places[flow] else { return }
    set(flow, of: place.version, nil)
  }

  /// Returns the time of the next flow that can be claimed later than now.
  func next(after now: Int64, serving: [String: ClosedRange<Int>]) -> Int64? {
    var next: Int64?
    for (version, queue) in queues where version.isServed(by: serving) {
      queue.timed.visit(after: Key(time: now, flow: TextKey(""))) { key in
        guard key.time > now else { return true }
        next = min(next ?? key.time, key.time)
        return false
      }
    }
    return next
  }

  /// Returns the flows that can be claimed, those that are due longest first.
  func due(at now: Int64, serving: [String: ClosedRange<Int>], limit: Int) -> [String] {
    var found: [Key] = []
    for (version, queue) in queues where version.isServed(by: serving) {
      queue.now.take(limit, into: &found) { _ in true }
      queue.timed.take(limit, into: &found) { $0.time <= now }
    }
    return found.sorted().prefix(max(0, limit)).map(\.flow.text)
  }
}

extension SortedList {
  fileprivate func take(_ limit: Int, into found: inout [Element], while fits: (Element) -> Bool) {
    guard limit > 0 else { return }
    var taken: [Element] = []
    visit { element in
      guard fits(element) else { return false }
      taken.append(element)
      return taken.count < limit
    }
    found += taken
  }
}
