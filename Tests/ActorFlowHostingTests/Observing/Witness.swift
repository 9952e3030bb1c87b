import ActorFlow
import ActorFlowHosting

/// An observer that remembers what it has seen.
final class Witness: HostObserver {
  private let seen = Lock<[HostEvent]>([])

  func observe(_ event: HostEvent) { seen.withLock { $0.append(event) } }

  var events: [HostEvent] { seen.withLock { $0 } }

  /// The events about a flow, each in a few words, but for requests that were done: the flow goes on beside their callers.
  func words(of flow: FlowID) -> [String] {
    events.compactMap { event in
      if event.flow != flow { return nil }
      if case .requestEnded(_, .returned, _) = event.kind { return nil }
      return Self.words(event.kind)
    }
  }

  static func words(_ kind: HostEvent.Kind) -> String {
    switch kind {
    case .started(let by): "started by \(by ?? "-")"
    case .stepBegan(let step): "began \(step.step.name)\(step.isReplay ? " again" : "")"
    case .stepEnded(let step, let outcome, _): "ended \(step.step.name): \(words(outcome))"
    case .effectBegan(let step, let key): "effect \(key) of \(step?.name ?? "-")"
    case .effectEnded(_, let key, let outcome, _): "effect \(key): \(words(outcome))"
    case .asked(let question): "asked \(question.number) at \(question.step.name)"
    case .answered(let question, let by, _): "answered \(question.number) by \(by ?? "-")"
    case .committed(let commit): "committed \(commit.requests.map { $0.kind.rawValue }.joined(separator: ", "))"
    case .storeFailed(let failure): "store: \(failure.code ?? failure.type)"
    case .workFailed(let work, let failure): "work \(work): \(failure.code ?? failure.type)"
    case .timerFired(let late): "timer late by \(late)"
    case .activated: "activated"
    case .passivated: "passivated"
    case .suspended(let step, let failure): "suspended at \(step?.name ?? "-"): \(failure.type)"
    case .unmigrated(let failure): "unmigrated: \(failure.code ?? "-")"
    case .erased: "erased"
    case .compensationEnded(let step, let outcome, _): "backUp of \(step.name): \(words(outcome))"
    case .leaseLost: "lease lost"
    case .requestEnded(let request, .threw(let failure), _):
      "refused \(request.kind) by \(request.by ?? "-"): \(failure.code ?? failure.type)"
    case .requestEnded(let request, let outcome, _): "request \(request.kind): \(words(outcome))"
    case .ended(let status): "ended \(status.rawValue)"
    case .removed(let by, let reason): "removed by \(by ?? "-")\(reason.isEmpty ? "" : ": \(reason)")"
    case .observerFailed(let fault, let failure): "observer \(fault)\(failure.map { ": \($0.type)" } ?? "")"
    }
  }

  private static func words(_ outcome: HostEvent.Outcome) -> String {
    switch outcome {
    case .returned: "returned"
    case .threw(let failure): "threw \(failure.type)"
    case .cancelled: "cancelled"
    }
  }
}

extension FlowHost.Options {
  /// Options with these observers.
  static func observed(by observers: any HostObserver...) -> FlowHost.Options {
    var options = FlowHost.Options()
    options.observers = observers
    return options
  }
}
