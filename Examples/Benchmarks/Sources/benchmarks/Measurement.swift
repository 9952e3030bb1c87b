/// Takes figures in this process, on the cores it was given.
struct Measurement {
  let effort: Effort

  /// The figures of `wanted`, and what a hop took, in nanoseconds.
  ///
  /// Each sample of a timed figure stands between two samples of the hop, and all figures take turns in each round, so
  /// that what drifts on the machine drifts for all of them.
  @concurrent func take(_ wanted: [Figure]) async throws -> (hop: Double, figures: [Figure: Double]) {
    let timers = timers().filter { wanted.contains($0.figure) }
    var hops: [Double] = []
    var samples: [Figure: [Double]] = [:]
    for round in 0...effort.samples {
      for timer in timers {
        let before = try await Hop.nanoseconds(over: effort.hops)
        let sample = try await timer.sample()
        let after = try await Hop.nanoseconds(over: effort.hops)
        guard round > 0 else { continue }  // the first round warms up
        hops += [before, after]
        samples[timer.figure, default: []].append(
          timer.figure.unit == .hops ? sample / ((before + after) / 2) : sample)
      }
    }
    let longRun = LongRun(steps: effort.longRun)
    for figure in wanted {
      switch figure {
      case .bytesPerWaitingFlow: samples[figure] = [try await Memory.perWaitingFlow(effort.waitingFlows)]
      case .bytesPerRendered: samples[figure] = [try await Memory.perRendered(effort.waitingFlows)]
      case .millionth: samples[figure] = try await longRun.slowdown(rounds: effort.rounds)
      case .settledBytesPerStep: samples[figure] = try await longRun.settledGrowth(rounds: effort.rounds)
      case .bytesPerParkedFlow: samples[figure] = [try await Waiting.bytesPerFlow(effort.hostedFlows)]
      case .inboxAmong100000:
        samples[figure] = try await Waiting.inbox(among: effort.hostedFlows, rounds: effort.rounds)
      case .hostedAnswerFile:
        samples[figure] = try await FileRace(flows: effort.filedFlows).ratios(rounds: effort.rounds)
      case .resumeAfter10000, .resumeUnsettled: samples[figure] = try await resuming(figure)
      default: break
      }
    }
    return (hops.median, samples.mapValues(\.median))
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

  /// Does what a sample of each timed figure does, with no hops around it.
  @concurrent func repeatOnly(_ wanted: [Figure], times: Int) async throws {
    for timer in timers() where wanted.contains(timer.figure) {
      for _ in 0..<times { _ = try await timer.sample() }
    }
  }

  private struct Timer {
    let figure: Figure
    let sample: () async throws -> Double
  }

  private func timers() -> [Timer] {
    let (walking, asking, composing, batch) = (Walking(), Asking(), Composing(), effort.batch)
    let (rendering, hosting) = (Rendering(), Hosting())
    return [
      Timer(figure: .run8) { try await walking.run8(batch: batch) },
      Timer(figure: .step) { try await walking.step(.none, batch: batch) },
      Timer(figure: .stepWith64Parked) { try await walking.step(.parked(64), batch: batch) },
      Timer(figure: .stepWithSubscriber) { try await walking.step(.reading(1), batch: batch) },
      Timer(figure: .stepWith64Waiting) { try await walking.step(.reading(64), batch: max(1, batch / 20)) },
      Timer(figure: .question) { try await asking.question(batch: batch) },
      Timer(figure: .backUp) { try await asking.backUp(batch: batch) },
      Timer(figure: .abandon5) { try await asking.abandon5(batch: batch) },
      Timer(figure: .parallel2) { try await composing.parallel2(batch: batch) },
      Timer(figure: .choice) { try await composing.choice(batch: batch) },
      Timer(figure: .loop) { try await composing.loop(batch: batch) },
      Timer(figure: .timeoutArmed) { try await composing.timeoutArmed(batch: batch) },
      Timer(figure: .wideFork) { try await composing.wideFork() },
      Timer(figure: .action) { try await rendering.action(batch: batch) },
      Timer(figure: .action8) { try await rendering.action8(batch: batch) },
      Timer(figure: .effectKept) { try await rendering.effectKept(batch: batch) },
      Timer(figure: .scaling2) { try await walking.scaling(batch: batch * 4) },
      Timer(figure: .hostedAnswerMemory) { try await hosting.answer(batch: batch) },
      Timer(figure: .hostedAnswerHot) { try await hosting.answer(batch: batch, keepHot: .seconds(60)) },
      Timer(figure: .define) { try await walking.define(batch: batch) },
    ]
  }
}
