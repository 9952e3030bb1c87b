// Walking forward, to the next stop.
extension ComposedReference {
  func walk(
    _ pieces: ArraySlice<Piece>, _ value: String, _ frames: Frame?, _ track: Track,
    _ next: @escaping (String) -> Void
  ) {
    guard let piece = pieces.first else { return next(value) }
    let rest = pieces.dropFirst()
    let goOn = { [unowned self] (value: String) in walk(rest, value, frames, track, next) }
    switch piece {
    case .step(let step): enter(Place(.step(step), value, frames, next: goOn), track)
    case .fork(let fork, let branches): enter(Place(.fork(fork, branches), value, frames, next: goOn), track)
    case .loop(let name, let rounds, let body): loop(name, rounds, body, value, frames, track, goOn)
    case .choice(let cases): walk(cases[value.utf8.count % cases.count][...], value, frames, track, goOn)
    case .scope(let kind, let body):
      pass(Frame(kind, below: frames, input: value, body: body, next: goOn), track)
    }
  }

  private func loop(
    _ name: String, _ rounds: Int, _ body: [Piece], _ value: String, _ frames: Frame?, _ track: Track,
    _ next: @escaping (String) -> Void
  ) {
    walk(body[...], value, frames, track) { [unowned self] value in
      guard ComposedPlan.goesOn(name, rounds, value) else { return next(value) }
      loop(name, rounds, body, value + "~\(name)", frames, track, next)
    }
  }

  func pass(_ frame: Frame, _ track: Track) {
    walk(frame.body[...], frame.input, frame, track, frame.next)
  }

  private func enter(_ place: Place, _ track: Track) {
    track.places.append(place)
    track.last = nil
    changes.append("moved →\(place.name)")
    begin(place, track)
  }

  /// Calls `proceed`, or opens the branches.
  ///
  /// - Parameter isNewVisit: Whether the call begins a visit of its own, and no further attempt.
  func begin(_ place: Place, _ track: Track, isNewVisit: Bool = true) {
    if isNewVisit {
      stamps += 1
      place.stamp = stamps
      place.hasAsked = false
    }
    watch(place.frames, track)
    switch place.kind {
    case .step:
      entered.append(place.key)
      act(place, 0, place.input, track)
    case .fork(let fork, let branches): open(fork, branches, place, track)
    }
  }

  /// Continues with a step's action of this number.
  func act(_ place: Place, _ number: Int, _ output: String, _ track: Track) {
    guard case .step(let step) = place.kind else { return }
    guard number < step.actions.count else {
      track.rest = .moving
      return place.next(output + step.name)
    }
    place.output = output
    switch step.actions[number] {
    case .ask, .askWithin:
      (place.hasAsked, track.hasAsked) = (true, true)
      track.rest = .asking(place, number)
      if case .askWithin(let limit) = step.actions[number] { arm(limit, .rest, track) }
      changes.append("asked \(step.name)")
    case .wait(let signal), .waitWithin(let signal, _):
      if let index = bufferedSignals.firstIndex(where: { $0.signal == signal }) {
        return act(place, number + 1, output + ".\(bufferedSignals.remove(at: index).value)", track)
      }
      track.rest = .waiting(place, number, signal)
      waits.append((track, signal))
      if case .waitWithin(_, let limit) = step.actions[number] { arm(limit, .rest, track) }
      changes.append("waiting \(step.name) \(signal)")
    case .backUp, .abandon, .once: return act(place, number + 1, output, track)  // in scrambles only
    case .fail(let times):
      let count = failures["\(place.key)\(number)", default: 0]
      failures["\(place.key)\(number)"] = count + 1
      guard count < times else { return act(place, number + 1, output, track) }
      fail(track, step.name, step.name, place.frames)
    }
  }

  /// Gives a value to the asker or waiter on a track, or nil if its time is over.
  func resume(_ track: Track, _ value: String?) {
    track.timers.removeAll { if case .rest = $0.kind { true } else { false } }
    switch track.rest {
    case .asking(let place, let number):
      changes.append(value == nil ? "withdrawn" : "answered")
      track.rest = .moving
      act(place, number + 1, place.output + ".\(value ?? "late")", track)
    case .waiting(let place, let number, let signal):
      waits.removeAll { $0.track === track }
      changes.append("\(value == nil ? "stoppedWaiting" : "received") \(place.name) \(signal)")
      track.rest = .moving
      act(place, number + 1, place.output + ".\(value ?? "late")", track)
    case .pausing(let goOn):
      track.rest = .moving
      goOn()
    case .moving, .forked, .ended: break
    }
  }
}
