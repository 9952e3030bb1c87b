public import ActorFlow
public import ActorFlowHosting
public import Tracing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Makes a span of each request, step, effect, commit and compensation. What a step or an effect calls is within its span.
///
/// The parent of a flow's spans is the context that the flow keeps, so they are one trace on whichever day and in whichever
/// process they are made. Start a flow with ``context()``, for example `start(id:with:trace: tracer.context())`. A request's
/// span is linked with the span in which the caller makes it.
///
/// Spans have the types and codes of errors, and no messages, which may have personal data.
public struct FlowTracer: StepObserver, EffectObserver {
  private let tracer: any Tracer
  private let clock: any WallClock

  /// - Parameters:
  ///   - tracer: The place where the spans go, such as `InstrumentationSystem.tracer`.
  ///   - clock: The clock of the host.
  public init(_ tracer: any Tracer, clock: any WallClock = .system) { (self.tracer, self.clock) = (tracer, clock) }

  /// The context of the current span, for the flow that is started in it; empty outside of spans.
  public func context() -> TraceContext {
    var trace = TraceContext()
    if let current = ServiceContext.current { tracer.inject(current, into: &trace, using: TraceCarrier()) }
    return trace
  }

  public func around(_ step: ObservedStep, _ body: nonisolated(nonsending) () async throws -> Void) async throws {
    let span = span("step \(step.step.name)", (step.flow, step.definition, step.trace), from: clock.now)
    span.attributes["flow.step"] = step.step.path
    span.attributes["flow.visit"] = "\(step.visit)"
    span.attributes["flow.replay"] = step.isReplay
    try await span.enclose(body, clock)
  }

  public func around(_ effect: ObservedEffect, _ body: nonisolated(nonsending) () async throws -> Void) async throws {
    let span = span("effect \(effect.key)", (effect.flow, effect.definition, effect.trace), from: clock.now)
    span.attributes["flow.step"] = effect.step?.path
    try await span.enclose(body, clock)
  }

  public func observe(_ event: HostEvent) {
    switch event.kind {
    case .requestEnded(let request, let outcome, let time):
      write("request \(request.kind)", event, time, outcome, linked: true) { span in
        span.attributes["flow.request.key"] = request.key
        span.attributes["flow.principal"] = request.by
      }
    case .compensationEnded(let step, let outcome, let time):
      write("compensate \(step.name)", event, time, outcome) { $0.attributes["flow.step"] = step.path }
    case .committed(let commit):
      write("commit", event, commit.duration, .returned) { span in
        span.attributes["flow.revision"] = commit.revision.number
        span.attributes["flow.bytes"] = commit.bytes
      }
    default: break
    }
  }

  /// Writes a span that has ended with an event.
  private func write(
    _ name: String, _ event: HostEvent, _ time: Duration, _ outcome: HostEvent.Outcome, linked: Bool = false,
    _ change: (any Span) -> Void
  ) {
    let span = span(name, (event.flow, event.definition, event.trace), from: event.at - (time / .seconds(1)))
    change(span)
    if linked, let current = ServiceContext.current { span.addLink(SpanLink(context: current, attributes: [:])) }
    if let failure = outcome.failure { span.fail(failure.code ?? failure.type) }
    span.end(at: event.at.instant)
  }

  private func span(_ name: String, _ subject: Subject, from start: Date) -> any Span {
    let span = tracer.startSpan(name, context: parent(subject), at: start.instant)
    span.attributes["flow.id"] = subject.flow.map { "\($0)" }
    span.attributes["flow.definition"] = subject.definition
    return span
  }

  /// The span that the code is in, if that is one of the flow; otherwise the context that the flow keeps, or the current
  /// span for a flow that keeps none. The task of a request is in a span of another trace, as a rule.
  private func parent(_ subject: Subject) -> ServiceContext {
    let current = ServiceContext.current ?? .topLevel
    if current[FlowKey.self] == subject.flow, subject.flow != nil { return current }
    var parent = subject.trace.isEmpty ? current : ServiceContext.topLevel
    tracer.extract(subject.trace, into: &parent, using: TraceCarrier())
    parent[FlowKey.self] = subject.flow
    return parent
  }
}

/// The flow that a span is about.
private typealias Subject = (flow: FlowID?, definition: String?, trace: TraceContext)
