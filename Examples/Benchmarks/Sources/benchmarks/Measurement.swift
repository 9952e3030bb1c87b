/// Takes figures in this process, on the cores it was given.
struct Measurement {
  let effort: Effort

  /// The figures of `wanted` and their floors by their keys, and what a hop took, in nanoseconds.
  ///
  /// Each sample of a timed figure stands between two samples of the hop, and all figures and floors take turns in each
  /// round, so that what drifts on the machine drifts for all of them.
  ///
  /// - Parameter floor: Whether only floors are taken.
  @concurrent func take(_ wanted: [Figure], floor: Bool) async throws -> (hop: Double, figures: [String: Double]) {
    let timers = (floor ? [] : figureTimers()) + floorTimers()
    let (hops, timed) = try await sample(timers.filter { wanted.contains($0.figure) })
    var samples = timed
    for figure in wanted where figure == .bytesPerWaitingFlow && floor {
      samples[figure.floorKey] = [try await Plain().bytesPerWaitingFlow(effort.waitingFlows)]
    }
    if wanted.contains(where: { $0 == .openFile || $0 == .openFileMemory }), !floor {
      let opening = StoreOpening(waiting: effort.storedFlows.waiting, finished: effort.storedFlows.finished)
      let (milliseconds, megabytes) = try await opening.measure()
      samples[Figure.openFile.rawValue] = [milliseconds]
      samples[Figure.openFileMemory.rawValue] = [megabytes]
    }
    for figure in wanted where !floor {
      if let taken = try await takeAlone(figure) { samples[figure.rawValue] = taken }
    }
    return (hops.median, samples.mapValues(\.median))
  }

  private func sample(_ timers: [Timer]) async throws -> (hops: [Double], samples: [String: [Double]]) {
    var hops: [Double] = []
    var samples: [String: [Double]] = [:]
    for round in 0...effort.samples {
      for timer in timers {
        let before = try await Hop.nanoseconds(over: effort.hops)
        let sample = try await timer.sample()
        let after = try await Hop.nanoseconds(over: effort.hops)
        guard round > 0 else { continue }  // the first round warms up
        hops += [before, after]
        samples[timer.key, default: []].append(
          timer.figure.unit == .hops ? sample / ((before + after) / 2) : sample)
      }
    }
    return (hops, samples)
  }

  /// A figure that is not sampled in turn with others.
  private func takeAlone(_ figure: Figure) async throws -> [Double]? {
    let longRun = LongRun(steps: effort.longRun)
    switch figure {
    case .bytesPerWaitingFlow: return [try await Memory.perWaitingFlow(effort.waitingFlows)]
    case .bytesPerRendered: return [try await Memory.perRendered(effort.waitingFlows)]
    case .bytesPerRendered8: return [try await Memory.perRendered(effort.waitingFlows, depth: 8)]
    case .millionth: return try await longRun.slowdown(rounds: effort.rounds)
    case .committedStepAt100000:
      return try await CommittedRun(depth: effort.committedDepth).slowdown(rounds: effort.rounds)
    case .settledBytesPerStep: return try await longRun.settledGrowth(rounds: effort.rounds)
    case .bytesPerParkedFlow: return [try await Waiting.bytesPerFlow(effort.hostedFlows)]
    case .inboxAmong100000: return try await Waiting.inbox(among: effort.hostedFlows, rounds: effort.rounds)
    case .hostedAnswerFile: return try await FileRace(flows: effort.filedFlows).ratios(rounds: effort.rounds)
    case .resumeAfter10000, .resumeUnsettled: return try await resuming(figure)
    default: return nil
    }
  }

  /// Both flows take turns in each round.
  private func resuming(_ figure: Figure) async throws -> [Double] {
    let isSettled = figure == .resumeAfter10000
    let most = isSettled ? effort.iterations.settled : effort.iterations.kept
    let flows = try await Resuming(after: [10, most], settling: isSettled)
    var ratios: [Double] = []
    for round in 0...effort.samples {
      let few = try await flows.nanoseconds(after: 10, batch: effort.batch)
      let many = try await flows.nanoseconds(after: most, batch: effort.batch)
      if round > 0 { ratios.append(many / few) }  // the first round warms up
    }
    return ratios
  }

  private struct Timer {
    let figure: Figure
    var isFloor = false
    let sample: () async throws -> Double

    var key: String { isFloor ? figure.floorKey : figure.rawValue }
  }

  private func floorTimers() -> [Timer] {
    let (plain, batch) = (Plain(), effort.batch)
    return [
      Timer(figure: .run8, isFloor: true) { try await plain.run8(batch * 10) },
      Timer(figure: .step, isFloor: true) { try await plain.step(batch: batch) },
      Timer(figure: .question, isFloor: true) { try await plain.question(batch * 20) },
      Timer(figure: .backUp, isFloor: true) { try await plain.backUp(batch * 10) },
      Timer(figure: .abandon5, isFloor: true) { try await plain.abandon5(batch * 5, of: batch * 5) },
      Timer(figure: .stepOfAnOutsideCall, isFloor: true) { try await plain.stepOfAnOutsideCall(batch * 15) },
      Timer(figure: .parallel2, isFloor: true) { try await plain.twoTasks(batch * 40) },
    ]
  }

  private func figureTimers() -> [Timer] {
    let (walking, asking, composing, batch) = (Walking(), Asking(), Composing(), effort.batch)
    let (rendering, hosting) = (Rendering(), Hosting())
    return [
      Timer(figure: .run8) { try await walking.run8(batch * 10) },
      Timer(figure: .step) { try await walking.step(.none, batch: batch) },
      Timer(figure: .stepWith64Parked) { try await walking.step(.unread(64), batch: batch) },
      Timer(figure: .stepWithSubscriber) { try await walking.step(.reading(1), batch: batch) },
      Timer(figure: .stepWith64Waiting) { try await walking.step(.reading(64), batch: max(1, batch / 20)) },
      Timer(figure: .question) { try await asking.question(batch * 20) },
      Timer(figure: .backUp) { try await asking.backUp(batch * 10) },
      Timer(figure: .abandon5) { try await asking.abandon5(batch * 5, of: batch * 5) },
      Timer(figure: .stepOfAnOutsideCall) { try await asking.stepOfAnOutsideCall(batch * 15) },
      Timer(figure: .parallel2) { try await composing.parallel2(batch: batch) },
      Timer(figure: .choice) { try await composing.choice(batch: batch) },
      Timer(figure: .loop) { try await composing.loop(batch: batch) },
      Timer(figure: .timeoutArmed) { try await composing.timeoutArmed(batch: batch) },
      Timer(figure: .wideFork) { try await composing.wideFork() },
      Timer(figure: .action) { try await rendering.action(batch * 20) },
      Timer(figure: .action8) { try await rendering.action8(batch * 5) },
      Timer(figure: .effectKept) { try await rendering.effectKept(batch: batch) },
      Timer(figure: .scaling2) { try await walking.scaling(batch: batch * 4) },
      Timer(figure: .hostedAnswerMemory) { try await hosting.answer(batch: batch) },
      Timer(figure: .hostedAnswerHot) { try await hosting.answer(batch: batch, keepHot: .seconds(60)) },
      Timer(figure: .define) { try await walking.define(batch * 5) },
    ]
  }
}
