// Requests from outside.
extension ComposedReference {
  func end(_ ending: String, _ step: String = "", _ error: String = "", rollingBack: Bool = true) {
    switch ending {
    case "failed": changes.append("failed \(step)")
    default:
      if let focus = main.focus { changes.append("leaving \(focus) \(ending)") }
      changes.append(ending == "abandoned" ? "abandoned why" : ending)
    }
    self.ending = ending
    result = ending == "failed" ? error : ending
    collapse(main)
    let errors = rollingBack ? rollBack(main) { _ in true } : 0
    if rollingBack { changes.append("rolledBack \(errors)") }
    backUpHasFailed = errors > 0
    main.rest = .ended
    main.timers = []
  }

  enum Target {
    case found(Track, Int)
    case refused
    case none
  }

  /// Backs up from one of these tracks; returns the result.
  func backUp(from tracks: [Track], to name: String? = nil) -> String {
    var targets: [(track: Track, index: Int)] = []
    for track in tracks {
      guard case .found(let track, let index) = target(from: track, to: name) else { continue }
      if !targets.contains(where: { $0.track === track && $0.index == index }) { targets.append((track, index)) }
    }
    guard let (track, index) = targets.first else { return "cannotBackUp" }
    guard targets.count == 1 else { return "ambiguousBackUp" }
    let from = track.focus ?? "-"
    changes.append("leaving \(from) back")
    let target = track.places[index]
    collapse(track)
    var undone: Rollback = []
    var errors = 0
    while let place = track.places.last {
      errors += undo(place, &undone)
      if place === target { break }
      track.places.removeLast()
    }
    rollbacks.append(undone)
    changes.append("backedUp \(from)→\(target.name) \(errors)")
    begin(target, track)
    return errors > 0 ? "rollbackFailed" : "ok"
  }

  func target(from track: Track, to name: String?) -> Target {
    for (level, track) in track.lineage.enumerated() {
      if level > 0, track.branches.contains(where: isClosed) { return .refused }
      if level > 0, let top = track.places.lastIndex(where: { !$0.isInner }), name == track.places[top].name {
        return .found(track, top)
      }
      switch target(on: track, to: name) {
      case .none: continue
      case let target: return target
      }
    }
    return .none
  }

  private func target(on track: Track, to name: String?) -> Target {
    guard let top = track.places.lastIndex(where: { !$0.isInner }) else { return .none }
    for index in track.places.indices.reversed() where index != top {
      let place = track.places[index]
      if place.policy == "oneWay" { return .refused }
      if place.isInner || index > top { continue }
      if let name {
        if place.name == name { return place.policy == "passThrough" ? .refused : .found(track, index) }
      } else if place.policy == "returnable" || (place.policy == "automatic" && place.hasAsked) {
        return .found(track, index)
      }
    }
    return .none
  }

  /// Whether a one-way step was left forwards on it, so that its fork is not left backwards.
  private func isClosed(_ track: Track) -> Bool {
    let top = track.hasEnded ? nil : track.top
    return track.places.contains { $0.policy == "oneWay" && $0 !== top } || track.branches.contains(where: isClosed)
  }

  func send(_ value: String, to signal: String, key: String?) -> String {
    guard ending == nil else { return "flowEnded" }
    if let key, !keys.insert("\(signal) \(key)").inserted { return "duplicate" }
    if let waiting = waits.first(where: { $0.signal == signal }) {
      resume(waiting.track, value)
    } else {
      bufferedSignals.append((signal, value))
    }
    return "accepted"
  }
}

// MARK: - Observable state

extension ComposedReference {
  var position: String {
    guard ending == nil else { return "ended \(ending ?? "")" }
    var questions: [String] = []
    for track in main.leaves {
      if case .asking(let place, let number) = track.rest { questions.append("\(place.key)\(number)") }
    }
    let waiting = waits.map { track, signal in "\(signal)@\(track.top?.name ?? "-")" }
    let open = main.leaves.contains { if case .found = target(from: $0, to: nil) { true } else { false } }
    return "\(show(main)) \(questions.sorted()) \(waiting)\(open ? " back" : "")"
  }

  private func show(_ track: Track) -> String {
    let places = track.places.filter { !$0.isInner }.map(\.name)
    let stack = (places.isEmpty ? [track.last].compactMap(\.self) : places).joined(separator: " ")
    let branches = track.branches.map { branch in
      show(branch) + (branch.hasEnded ? " over" : canBackUp(branch) ? " back" : "")
    }
    return "[\(([stack] + branches).joined(separator: " "))]"
  }

  private func canBackUp(_ track: Track) -> Bool {
    guard !track.hasEnded, case .found = target(on: track, to: nil) else { return false }
    return true
  }
}
