import ActorFlow

// The requests from outside. Each returns its result as a word.
extension Model {
  package func answer(_ command: Command) -> String {
    guard let place = current else { return "noSuchQuestion" }
    let number: Int
    switch place.state {
    case .asking(let asked, _): number = asked + 1
    case .either(let asked, _): number = asked + 1
    case .first(let asked, _, _, _): number = asked + 1
    case .updating(let asked, _, _): number = asked + 1
    default: return "noSuchQuestion"
    }
    if place.latest?.command.isPlain == false { place.plainAnswers = nil }
    place.plainAnswers? += 1
    place.latest = (command, number)
    obey(command, place, number)
    settle()
    return "ok"
  }

  func obey(_ command: Command, _ place: Place, _ number: Int) {
    if place.plan.onlyAsks {
      place.state = .made(place.plan.output(of: place.carried, command))
      return
    }
    place.state = .asking(number + 1)
    switch command {
    case .go(let value): place.state = .made(place.input.with(value, adding: "\(place.plan.name):\(value)"))
    case .fail:
      if !mended.contains("\(place.plan.name).\(number)") { place.state = .failed(place.plan.name) }
    case .ask, .askReplying: place.state = .asking(number)
    case .attempt: if !attempt(number, at: place) { place.failures += 1 }
    case .attemptOrFail:
      guard !attempt(number, at: place) else { break }
      place.latestFailure = "t\(number)"
      place.state = .failed(place.plan.name)
    case .now: break
    case .askWithin(let time): place.state = .asking(number, until: now + .milliseconds(time))
    case .pay, .payAndStumble: pay("\(number)", at: place)
    case .wait(let name): if !takeSignal(name) { place.state = .waiting(number, name) }
    case .waitWithin(let name, let time):
      if !takeSignal(name) { place.state = .waiting(number, name, until: now + .milliseconds(time)) }
    case .waitFor(let name, let remainder, let time):
      guard !takeSignal(name, remainder) else { break }
      place.state = .waiting(number, name, until: time.map { now + .milliseconds($0) }, remainder: remainder)
    case .first(let name, let remainder, let time):
      guard !takeSignal(name, remainder) else { break }
      place.state = .first(number, name, until: time.map { now + .milliseconds($0) }, remainder: remainder)
    case .either(let name, _): if !takeSignal(name) { place.state = .either(number, name) }
    case .askUpdating(let name):
      var times = 0
      while takeSignal(name) { times += 1 }
      place.state = .updating(number, name, times: times)
    case .giveUp: break
    case .send(let act):
      if receiver != nil, act == .hold { place.state = .sending(number) }
    case .deliver(let act):
      guard let receiver, canLeave(over: receiver) else { break }
      back(to: receiver, delivering: Note(act, isDelivered: true))
    case .backUp: if let target = backTarget { back(to: target) }
    case .abandon: end("abandoned", rollingBack: true)
    }
  }

  private func takeSignal(_ name: String, _ remainder: Int? = nil) -> Bool {
    let index = signals.firstIndex { $0.name == name && Command.isMeant($0.value, remainder) }
    guard let index else { return false }
    signals.remove(at: index)
    return true
  }

  /// Whether a question and a wait for this signal are open at once.
  package func isRacing(for name: String) -> Bool {
    switch current?.state {
    case .either(_, name), .updating(_, name, _): true
    default: false
    }
  }

  /// Whether a signal is buffered.
  package func hasSignal(_ name: String) -> Bool { signals.contains { $0.name == name } }

  package func send(_ value: Int, to name: String, key: String?) -> String {
    guard result == nil else { return "flowEnded" }
    guard fault == nil else { return "suspended" }
    if let key, !signalKeys.insert("\(name) \(key)").inserted { return "duplicate" }
    switch current?.state {
    case .waiting(let number, name, _, let remainder) where Command.isMeant(value, remainder),
      .first(let number, name, _, let remainder) where Command.isMeant(value, remainder):
      current?.state = .asking(number + 1)
    case .either(let number, name): current?.state = .asking(number + 1)
    case .updating(let number, name, let times): current?.state = .updating(number, name, times: times + 1)
    default: signals.append((name, value))
    }
    settle()
    return "accepted"
  }

  package func backUp(to name: String?) -> String {
    errors = 0
    guard result == nil else { return "flowEnded" }
    guard fault == nil else { return "suspended" }
    guard let target = name.map(backTarget) ?? backTarget else { return "cannotBackUp" }
    back(to: target)
    let isWhole = errors == 0  // a failure after the landing is not part of the back
    settle()
    return isWhole ? "ok" : "rollbackFailed"
  }

  package func abandon(rollingBack: Bool) -> String {
    errors = 0
    guard result == nil else { return "flowEnded" }
    end("abandoned", rollingBack: rollingBack)
    return errors > 0 ? "rollbackFailed" : "ok"
  }

  package func cancelCaller() {
    guard result == nil else { return }
    end("cancelled", rollingBack: true)
  }

  /// Releases a step that holds a note.
  package func letGo() {
    switch current?.state {
    case .sending(let number): current?.state = .asking(number + 1)
    case .receiving(let note):
      current?.note = note
      current?.state = .begins
    default: return
    }
    settle()
  }

  package var isHolding: Bool {
    switch current?.state {
    case .sending, .receiving: true
    default: false
    }
  }

  // MARK: Time

  /// The remaining pause before the next attempt of a failed step; nil if the flow does not pause.
  package var pauseLeft: Duration? { pause.map { $0 - now } }

  /// The time of the next timer; nil if no timer is set, or if two are due at once.
  package var nextTimer: Duration? {
    var times = Array(timeouts.values)
    if let pause { times.append(pause) }
    switch current?.state {
    case .asking(_, let until?), .waiting(_, _, let until?, _), .first(_, _, let until?, _): times.append(until)
    default: break
    }
    guard let first = times.min(), times.count(where: { $0 == first }) == 1 else { return nil }
    return first - now
  }

  package func advance(by time: Duration) {
    now += time
    switch current?.state {
    case .asking(let number, let until?) where until <= now: current?.state = .asking(number + 1)
    case .waiting(let number, _, let until?, _) where until <= now,
      .first(let number, _, let until?, _) where until <= now:
      current?.state = .asking(number + 1)
    default: overdue = timeouts.first { $0.value <= now }?.key
    }
    settle()
  }

  // MARK: Observable state

  package var look: Look {
    guard result == nil else { return Look(hasEnded: true) }
    var look = Look(
      isSuspended: fault != nil, stack: shown.map(\.plan.name), canBackUp: fault == nil && backTarget != nil)
    if look.stack.isEmpty, let lastFocus { look.stack = [lastFocus] }
    guard let current else { return look }
    let name = current.plan.name
    let note = (current.note.map { "+\($0.act)" } ?? "") + String(repeating: "!", count: current.failures)
    switch current.state {
    case .asking(let number, _): look.questions = ["\(name).\(number)\(note)"]
    case .waiting(_, let signal, _, _): look.signals = [signal]
    case .either(let number, let signal), .first(let number, let signal, _, _):
      (look.questions, look.signals) = (["\(name).\(number)\(note)"], [signal])
    case .updating(let number, let signal, let times):
      look.questions = ["\(name).\(number)\(note)" + String(repeating: "'", count: times)]
      look.signals = [signal]
    default: break
    }
    return look
  }
}

/// The position of a flow, as far as it can be observed.
package struct Look: Sendable, Hashable, CustomStringConvertible {
  package var hasEnded = false
  package var isSuspended = false
  package var stack: [String] = []
  package var questions: [String] = []
  package var signals: [String] = []
  package var canBackUp = false

  package init(
    hasEnded: Bool = false, isSuspended: Bool = false, stack: [String] = [], questions: [String] = [],
    signals: [String] = [], canBackUp: Bool = false
  ) {
    (self.hasEnded, self.isSuspended, self.stack, self.questions) = (hasEnded, isSuspended, stack, questions)
    (self.signals, self.canBackUp) = (signals, canBackUp)
  }

  package var description: String {
    guard !hasEnded else { return "ended" }
    let text = "\(stack) asks \(questions) waits \(signals)\(canBackUp ? " can back up" : "")"
    return isSuspended ? "suspended at \(text)" : text
  }
}
