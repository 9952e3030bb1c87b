@testable import ActorFlow

// The work of the coordinator between steps.
extension TrackDriver {
  /// Takes turns until a step runs, or the track is over.
  mutating func stint(of track: TrackID) {
    while true {
      switch give({ $0.turn(on: track) }) {
      case .compensate(let place, _):
        let name = place.visit.info.id.name
        if place.node.fork == nil { undone.append(name) }
        if holding == name {
          held = track
          return
        }
        let error = failing.contains(name) ? Failure(name) : nil
        give { $0.compensated(error, on: track) }
      case .again: continue
      case .start:
        guard let pause = machine[track].start?.pause, pause > .zero else { return begin(track) }
        if give({ [now] in $0.pause(pause, on: track, at: now) }) { return }
      case .proceed(let place):
        give { [now] in $0.watch(place.payload.scopes, on: track, at: now) }
        guard let plan = place.node.fork else {
          running[track] = place
          return
        }
        return refork(place.node, plan, place.payload, on: track)
      case .reload: return
      case .ended:
        if track != .main, give({ $0.isOver(track) }) { branchIsOver(track) }
        return
      }
    }
  }

  /// Begins a walk at the track's start.
  mutating func begin(_ track: TrackID) {
    guard let start = machine[track].start else { return }
    switch start.kind {
    case .at(let address, let payload): advance(track, from: address, payload)
    case .anew(let payload): advance(track, from: machine[track].top?.node.address ?? 0, payload)
    case .top:
      guard give({ $0.beginAttempt(on: track) }) else { return stint(of: track) }
      running[track] = machine[track].top
      give { [now] in $0.watch($0[track].top?.payload.scopes, on: track, at: now) }
    case .failure(let step, let error, let scopes): failed(step, error, scopes, on: track)
    case .recovery(let step, let frame, let error):
      do {
        let payload = frame.payload.with(try recovery(error))
        guard give({ $0.recovered(making: payload, at: frame.scope.next, on: track) }) else { return stint(of: track) }
        advance(track, from: frame.scope.next, payload)
      } catch { failed(step, error, frame.below, on: track) }
    }
  }

  mutating func failed(_ step: StepID, _ error: any Error, _ scopes: ScopeFrame?, on track: TrackID) {
    if give({ $0.fail(step, error, under: scopes, on: track) }) { stint(of: track) }
  }

  mutating func advance(_ track: TrackID, from address: Int, _ payload: Payload) {
    var (payload, address) = (payload, address)
    var step: StepID = machine.position.step ?? ""
    do {
      while true {
        let arrival = try graph.advance(from: address, &payload)
        give { [now, payload] in $0.watch(payload.scopes, on: track, at: now) }
        switch arrival {
        case .step(let node):
          let backUp = try node.backUp(for: payload.value)
          let place = give { [payload] in
            $0.enter(node, instance: nil, payload: payload, backUp: backUp, on: track)
          }
          guard let place else { return stint(of: track) }
          running[track] = place
          return
        case .fork(let node):
          step = node.info.id
          guard let plan = node.fork else { return }
          let inputs = try plan.inputs(from: payload.value)
          let tracks = give { [payload] in $0.fork(node, plan, payload: payload, inputs: inputs, on: track) }
          guard let tracks else { return stint(of: track) }
          return start(tracks, of: node, on: track)
        case .resume(let menu):
          if let place = give({ [payload] in $0.resume(menu, with: payload, on: track) }) {
            running[track] = place
            return
          }
          address = menu.address
        case .deliver(let next), .round(let next): address = next
        case .guarded(let frame, let next):
          if let refusal = refusal(frame.payload.value) { throw refusal }
          address = next
        case .enterFinally(let node):
          address = node.address + 1
          let isEntered = give { [payload] in $0.enterFinalizer(node, payload: payload, on: track) }
          guard isEntered else { return stint(of: track) }
        case .leaveFinally(let node, let next):
          address = next
          switch give({ $0.finish(node, on: track) }) {
          case .left: return stint(of: track)
          case .nothing: break
          case .run(let input):
            finalized.append("\(node.info.id.name)(\(input))")
            give { $0.finalized(node, on: track) }
          }
        case .choose: throw Failure("this driver cannot suspend")
        case .end:
          let output = payload.value
          _ = give { track == .main ? $0.finish(output) : $0.finishBranch(track, output) }
          return stint(of: track)
        }
      }
    } catch { failed(step, error, payload.scopes, on: track) }
  }
}

// MARK: - Forks

extension TrackDriver {
  private mutating func refork(_ node: Node, _ plan: ForkPlan, _ payload: Payload, on track: TrackID) {
    do {
      let inputs = try plan.inputs(from: payload.value)
      guard let tracks = give({ $0.refork(plan, inputs: inputs, on: track) }) else { return }
      start(tracks, of: node, on: track)
    } catch { failed(node.info.id, error, payload.scopes, on: track) }
  }

  private mutating func start(_ tracks: [TrackID], of node: Node, on track: TrackID) {
    forks[track] = node
    (outcomes[track], judges[track]) = (nil, nil)
    for branch in tracks { stint(of: branch) }
    judge(track)
  }

  func branchesAreOver(of track: TrackID) -> Bool {
    machine[track].fork?.tracks.allSatisfy { machine[$0].phase == .ended } ?? true
  }

  private mutating func branchIsOver(_ branch: TrackID) {
    running[branch] = nil
    if let parent = machine[branch].branch?.parent { judge(parent) }
  }

  /// Judges a fork. When all its branches are over, the walk goes on.
  private mutating func judge(_ track: TrackID) {
    guard let node = forks[track], let goal = node.fork?.fork.goal else { return }
    if outcomes[track] == nil { outcomes[track] = outcome(goal, on: track) }
    guard branchesAreOver(of: track), let payload = machine[track].top?.shown?.payload, forks[track] != nil else {
      return
    }
    forks[track] = nil
    switch outcomes.removeValue(forKey: track) {
    case nil: stint(of: track)
    case .failed(let step, let error)?: failed(step, error, payload.scopes, on: track)
    case .made(let value)?:
      let made = payload.with(value)
      switch give({ $0.join(node, making: made, on: track) }) {
      case .joined: advance(track, from: node.address + 1, made)
      case .cleansUp, .left: stint(of: track)
      }
    }
  }

  private mutating func outcome(_ goal: Fork.Goal, on track: TrackID) -> Outcome? {
    while true {
      do {
        switch give({ $0.verdict(on: track) }) {
        case .wait: return nil
        case .failed(let step, let error): return .failed(step, error)
        case .join(let results):
          guard case .all(let join) = goal else { return nil }
          return .made(try join(results))
        case .judge(let newest, let open):
          if judges[track] == nil { judges[track] = goal.judge }
          guard let value = try judges[track]?(newest, open) else { continue }
          give { $0.decided(on: track) }
          return .made(value)
        }
      } catch {
        give { $0.decided(on: track) }
        return .failed(machine[track].visit?.info.id ?? "", error)
      }
    }
  }
}
