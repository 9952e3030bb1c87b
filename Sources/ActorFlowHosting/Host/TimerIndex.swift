import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The timers of waiting flows that fire before the next poll.
///
/// ``FlowHost/run()`` sleeps until the first of them. Each poll reads the timers from the store, page by page. Until
/// the next poll the host notes the changes of its own flows.
struct TimerIndex: Sendable {
  private struct Key: Comparable, Sendable {
    let time: Int64
    let flow: TextKey

    static func < (left: Key, right: Key) -> Bool {
      left.time == right.time ? left.flow < right.flow : left.time < right.time
    }
  }

  private var times: [FlowID: Int64] = [:]
  private var order = SortedList<Key>()
  /// The date up to which the index is complete, or `nil` if the store is to be read first.
  private(set) var horizon: Date?
  /// The timers noted while the store is read, by flow. The values read for these flows may be older.
  private var news: [FlowID: Date?]?
  /// Whether other hosts may have changed the store while it was read, so that it is to be read again.
  private var isStale = false

  /// Notes when a flow is due, or `nil` for never.
  mutating func note(_ id: FlowID, at time: Date?) {
    news?[id] = .some(time)
    set(id, at: horizon.flatMap { horizon in time.flatMap { $0 < horizon ? $0 : nil } })
  }

  private mutating func set(_ id: FlowID, at time: Date?) {
    let flow = TextKey(id.description)
    if let old = times.removeValue(forKey: id) { order.remove(Key(time: old, flow: flow)) }
    guard let time = time?.microseconds else { return }
    times[id] = time
    order.insert(Key(time: time, flow: flow))
  }

  /// Begins to read the store.
  mutating func beginReading() { (news, isStale) = ([:], false) }

  /// Takes over what was read.
  mutating func endReading(_ read: [FlowID: Date], until horizon: Date) {
    let (news, isStale) = (news ?? [:], isStale)
    self = TimerIndex()
    self.horizon = horizon
    for (id, time) in read where !news.keys.contains(id) { set(id, at: time) }
    for (id, time) in news { note(id, at: time) }
    if isStale { expire() }
  }

  /// Has the store read again.
  mutating func expire() { (horizon, isStale) = (nil, true) }

  /// The date of the first timer.
  var first: Date? { order.first.map { Date(microseconds: $0.time) } }

  /// Drops the timers that are due by now. Their flows are activated, or tried again by the next poll.
  mutating func drop(until now: Date) {
    while let first = order.first, first.time <= now.microseconds {
      order.remove(first)
      times[FlowID(first.flow.text)] = nil
    }
  }
}
