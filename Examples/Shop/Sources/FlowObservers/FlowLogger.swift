import ActorFlow
public import ActorFlowHosting
public import Logging

/// Writes a line for each event of a host.
///
/// The message is one of a few texts, so lines can be counted; the facts are metadata: host, flow, definition, step, question,
/// the kind, key and principal of a request, and the trace id of the flow. Events have no answers, prompts or messages of
/// errors, so no line has any.
public struct FlowLogger: HostObserver {
  private let logger: Logger

  /// - Parameter logger: The logger for all lines. Its level decides which are written: `info` for the course of flows,
  ///   `debug` for steps, effects and commits as well.
  public init(_ logger: Logger) { self.logger = logger }

  public func observe(_ event: HostEvent) {
    let line = Line(event.kind)
    // Most lines of a busy host are not written, so their metadata is not made.
    guard line.level >= logger.logLevel else { return }
    var facts = line.facts
    facts["host"] = event.host
    facts["flow"] = event.flow.map { "\($0)" }
    facts["definition"] = event.definition
    facts["trace-id"] = event.trace.traceID
    logger.log(level: line.level, "\(line.text)", metadata: facts.compactMapValues { $0.map { .string($0) } })
  }
}

/// The level, the text and the facts of an event.
private struct Line {
  let level: Logger.Level
  let text: String
  var facts: [String: String?]

  init(_ level: Logger.Level, _ text: String, _ facts: [String: String?] = [:]) {
    (self.level, self.text, self.facts) = (level, text, facts)
  }

  init(_ kind: HostEvent.Kind) {
    self =
      switch kind {
      case .started(let by): Line(.info, "flow started", ["by": by])
      case .stepBegan(let step): Line(.debug, "step began", step.facts)
      case .stepEnded(let step, let outcome, let time):
        Line(.debug, "step ended", step.facts, outcome, time)
      case .effectBegan(let step, let key): Line(.debug, "effect began", ["step": step?.path, "effect": key])
      case .effectEnded(let step, let key, let outcome, let time):
        Line(.debug, "effect ended", ["step": step?.path, "effect": key], outcome, time)
      case .asked(let question): Line(.info, "question asked", question.facts)
      case .answered(let question, let by, let time):
        Line(
          .info, "question answered",
          question.facts.merging(["by": by, "waited": time.map { "\($0)" }]) { $1 })
      case .committed(let commit):
        Line(
          .debug, "flow written",
          [
            "revision": "\(commit.revision.number)", "bytes": "\(commit.bytes)", "duration": "\(commit.duration)",
            "request-key": commit.requests.first?.key,
          ])
      case .requestEnded(let request, let outcome, let time):
        Line(
          .debug, "request ended", ["request": request.kind.rawValue, "request-key": request.key, "by": request.by],
          outcome, time)
      case .compensationEnded(let step, let outcome, let time):
        Line(.info, "step compensated", ["step": step.path], outcome, time)
      case .suspended(let step, let failure): Line(.error, "flow suspended", ["step": step?.path], failure)
      case .unmigrated(let failure): Line(.error, "flow fits no version", [:], failure)
      case .storeFailed(let failure): Line(.warning, "store failed", [:], failure)
      case .workFailed(let work, let failure): Line(.warning, "work of the host failed", ["work": "\(work)"], failure)
      case .observerFailed(let fault, let failure):
        Line(.warning, "observer failed", ["fault": "\(fault)"], failure)
      case .leaseLost: Line(.warning, "lease lost")
      case .timerFired(let late): Line(.debug, "timer fired", ["late": "\(late)"])
      case .activated, .passivated: Line(.debug, "flow \(kind)")
      case .erased: Line(.notice, "key of the flow was erased")
      case .ended(let status): Line(.info, "flow ended", ["status": status.rawValue])
      case .removed(let by, _): Line(.notice, "flow removed", ["by": by])
      @unknown default: Line(.debug, "event of a later version")
      }
  }

  private init(_ level: Logger.Level, _ text: String, _ facts: [String: String?], _ failure: HostEvent.Failure?) {
    self.init(level, text, facts.merging(["error": failure.map { $0.code ?? $0.type }]) { $1 })
  }

  /// A line about code that has ended. Code that threw is worth a line at a higher level.
  private init(
    _ level: Logger.Level, _ text: String, _ facts: [String: String?], _ outcome: HostEvent.Outcome, _ time: Duration
  ) {
    let facts = facts.merging(["outcome": outcome.word, "duration": "\(time)"]) { $1 }
    self.init(outcome.failure == nil ? level : .notice, text, facts, outcome.failure)
  }
}
