import ActorFlow

// Leaving. Each request returns the code of the error that refuses it, or nil.
extension Reference {
  mutating func backUp(to name: String?) -> String? {
    if at == .idle { return "notRunning" }
    if ending != nil { return "flowEnded" }
    if let leave { return leave.target != nil ? "moving" : "ending" }
    guard let target = name.map({ target(named: $0) }) ?? target else { return "cannotBackUp" }
    accept(Leave(target: target, reason: "back"))
    return nil
  }

  mutating func abandon(_ reason: String, rollsBack: Bool) -> String? {
    if at == .idle { return "notRunning" }
    if ending != nil { return "flowEnded" }
    accept(Leave(reason: "abandoned \(reason)", rollsBack: rollsBack))
    return nil
  }

  mutating func cancelCaller() {
    guard at != .idle, ending == nil else { return }
    accept(Leave(reason: "cancelled"))
  }

  /// The table "While leaving", for the requests that it does not refuse.
  mutating func accept(_ request: Leave, isInside: Bool = false) {
    if let current = leave {
      guard current.target != nil else { return }
      leave?.target = nil
      leave?.reason = request.reason
      leave?.rollsBack = request.rollsBack
      publish("leaving \(current.visit ?? "-") \(request.reason)")
      release(.landed, "ending")
      return
    }
    leave = request
    leave?.visit = shown.last
    question = nil
    if let visit = shown.last { publish("leaving \(visit) \(request.reason)") }
    if isInside { isDeaf ? refused("CancellationError") : unwind() } else { cancelWalk() }
  }

  /// Cancels the task in which the flow waits.
  private mutating func cancelWalk() {
    switch at {
    case .make(let step, _): if !plan.steps[step].make.isDeaf { unwind() }
    case .skip(let step, _): if !plan.steps[step].skip.isDeaf { unwind() }
    case .proceed: if !isDeaf { unwind() }
    case .asking: if isDeaf { refused("CancellationError") } else { unwind() }
    case .idle, .effect, .backUp, .end: break
    }
  }

  // MARK: Rollback

  /// No step's code runs any more: compensates, newest first, then lands or ends.
  mutating func unwind() {
    while let leave {
      if leave.target == nil, !leave.isAnnounced {
        self.leave?.isAnnounced = true
        if !leave.rollsBack {
          places = []
          return end(leave.reason, as: leave.reason, errors: leave.errors)
        }
        publish(leave.reason)
      }
      guard let top = places.last else {
        shown = []
        let name = leave.reason == "failed" ? "failed" : leave.reason
        return end(name, as: "rolledBack \(leave.errors)", errors: leave.errors)
      }
      if top.isEntered {
        let step = plan.steps[top.step]
        if step.kind == .closure {
          compensated(failed: false)
          continue
        }
        lines.append(.backUp(top.step, top.instance, leave.reason.split(separator: " ").first.map(String.init) ?? ""))
        if step.isBackUpGated { return stop(.backUp) }
        undo()
      } else if leave.target == places.count - 1 {
        return land(leave)
      } else {
        places.removeLast()
      }
    }
  }

  /// Continues the top place's `backUp`.
  mutating func undo() {
    let top = places.count - 1
    let backUp = plan.steps[places[top].step].backUp
    if backUp == .failsBefore { return compensated(failed: true) }
    for key in Puppet.effectKeys {
      let id: String
      switch places[top].records[key] {
      case nil: continue
      case .done(let known), .interrupted(let known): id = known
      }
      // Compensated by an earlier `backUp` that then threw.
      if places[top].records["undo \(key)"] != nil { continue }
      places[top].records["undo \(key)"] = .done("")
      lines.append(.undo(id))
      world.remove(id)
    }
    compensated(failed: backUp == .failsAfter)
  }

  private mutating func compensated(failed: Bool) {
    places[places.count - 1].isEntered = false
    if failed { leave?.errors += 1 } else { places[places.count - 1].records = [:] }
  }

  private mutating func land(_ leave: Leave) {
    let top = places.count - 1
    visits += 1
    places[top].visit = visits
    places[top].isEntered = true
    places[top].isSkipped = false
    places[top].hasAsked = false
    self.leave = nil
    show()
    publish("backedUp \(leave.visit ?? "-")→\(shown[top]) \(leave.errors)")
    release(.landed, leave.errors > 0 ? "rollbackFailed" : "ok")
    proceed()
  }

  /// The run is over.
  mutating func end(_ name: String, as change: String, errors: Int = 0) {
    ending = name
    leave = nil
    question = nil
    if result == nil { result = name.hasPrefix("abandoned") ? "threw \(name)" : "threw CancellationError" }
    publish(change)
    release(.landed, "ending")
    release(.ended, errors > 0 ? "rollbackFailed" : "ok")
    release(.settled, position)
    stop(.end)
  }
}
