import ActorFlowTesting
import Foundation
import Testing

@testable import ActorFlow
@testable import ActorFlowHosting

/// Sends random requests to a ``MixedFlow`` whenever it waits, and ends it after some time.
struct MixedFlowPlayer {
  let host: FlowHost
  let clock: ManualWallClock
  var random: RandomState

  /// The reason why a flow makes no progress.
  struct Stuck: Error, CustomStringConvertible {
    let description: String
  }

  /// Plays the flow until it has ended or this many turns were taken, then abandons it.
  ///
  /// - Throws: ``Stuck`` if it has not ended then, or the host's error if the flow cannot be activated.
  mutating func play(turns: Int) async throws {
    for _ in 0..<turns {
      let view = try await host.flow(MixedFlow.id).settled(within: .seconds(100_000_000))
      if try await hasEnded() { return }
      if view.status == .runnable { throw Stuck(description: "it is at work, and does not settle") }
      do { try await act(view) } catch let error as FlowError { try Self.check(error) } catch is Refused {}
    }
    try await end()
  }

  private static func check(_ error: FlowError) throws {
    if error.code == .suspended || error.code == .unmigrated { throw error }
  }

  /// Abandons the flow.
  func end() async throws {
    do { try await host.flow(MixedFlow.id).abandon(reason: "enough") } catch let error as FlowError
      where error.code == .rollbackFailed || error.code == .flowEnded
    {} catch let error as FlowError where error.code == .ending || error.code == .moving {}
    let view = try await host.flow(MixedFlow.id).settled(within: .seconds(100_000_000))
    guard try await hasEnded() else { throw Stuck(description: "it was abandoned, and is \(view.status)") }
  }

  private func hasEnded() async throws -> Bool { try await host.stored(MixedFlow.id).1.machine.ending != nil }

  private mutating func act(_ view: FlowView) async throws {
    if view.status == .suspended || view.status == .unmigrated {
      if random.below(3) == 0 { return _ = try await host.flow(MixedFlow.id).abandon() }
      return _ = try await host.flow(MixedFlow.id).retry()
    }
    switch random.below(24) {
    case 0: _ = try await host.flow(MixedFlow.id).backUp()
    case 1: _ = try await host.flow(MixedFlow.id).backUp(from: view.questions.first?.id)
    case 2, 3: try await advance(view)
    case 4: _ = try await host.flow(MixedFlow.id).send("s", to: MixedFlow.paid, key: "\(random.below(5))")
    case 5 where random.below(6) == 0: _ = try await host.flow(MixedFlow.id).abandon()
    default: try await answer(view)
    }
  }

  private mutating func answer(_ view: FlowView) async throws {
    guard !view.questions.isEmpty else {
      guard !view.signals.isEmpty, random.below(3) > 0 else { return try await advance(view) }
      return _ = try await host.flow(MixedFlow.id).send("s", to: MixedFlow.paid, key: "k\(random.below(9))")
    }
    let question = view.questions[random.below(view.questions.count)]
    let isShelf = (try? question.prompt(as: Shelf.View.self)) != nil
    let json: String
    if isShelf {
      json = [#"{"add":{"_0":"tea"}}"#, #"{"add":{"_0":"milk"}}"#, #"{"done":{}}"#][random.below(3)]
    } else {
      json = [#""y""#, #""z""#, #""again""#, #""fail""#, #""edit""#, #""count""#][random.below(6)]
    }
    _ = try await host.flow(MixedFlow.id).answer(question.id, json: json.utf8, key: "\(question.id)\(json)")
  }

  private func advance(_ view: FlowView) async throws {
    guard let wakeAt = view.wakeAt else { return }
    let seconds = wakeAt.timeIntervalSince(clock.now)
    clock.advance(by: .seconds(max(1, min(seconds, 1_000_000))))
    _ = try await host.catchUp()
  }
}
