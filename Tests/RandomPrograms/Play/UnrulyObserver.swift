import ActorFlow
import ActorFlowHosting

/// An observer that keeps to its rules, or breaks them, at random. Nothing of that may change a flow.
final class UnrulyObserver: StepObserver, EffectObserver {
  private let random: Lock<Chance>

  init(seed: UInt64) { random = Lock(Chance(seed: seed &+ 0x0B5E_27E2)) }

  func observe(_ event: HostEvent) { _ = "\(event.kind)" }

  func around(_ step: ObservedStep, _ body: () async throws -> Void) async throws { try await run(body) }

  func around(_ effect: ObservedEffect, _ body: () async throws -> Void) async throws { try await run(body) }

  private func run(_ body: () async throws -> Void) async throws {
    let (choice, before, after) = random.withLock { ($0.below(12), $0.below(4), $0.below(4)) }
    for _ in 0..<before { await Task.yield() }
    switch choice {
    case 0: throw Unruly()
    case 1: return
    case 2:
      try await body()
      throw Unruly()
    case 3:
      try? await body()
      try await body()
    case 4: try? await body()
    case 5:
      cancelCurrentTask()
      try await body()
    case 6:
      try await body()
      cancelCurrentTask()
      try Task.checkCancellation()
    default: try await body()
    }
    for _ in 0..<after { await Task.yield() }
  }

  private struct Unruly: Error {}
}

/// Cancels the current task. A function that does not suspend, because the one of an async context is another.
private func cancelCurrentTask() { withUnsafeCurrentTask { $0?.cancel() } }
