import ActorFlow
import ActorFlowHosting
import Tracing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension HostEvent.Outcome {
  /// The outcome in a word, for a dimension or an attribute.
  var word: String {
    switch self {
    case .returned: "returned"
    case .threw: "threw"
    case .cancelled: "cancelled"
    @unknown default: "other"
    }
  }

  /// The error of code that threw.
  var failure: HostEvent.Failure? {
    if case .threw(let failure) = self { failure } else { nil }
  }
}

extension TraceContext {
  /// The trace id of the W3C header `traceparent`, if the context has one.
  var traceID: String? {
    guard let parts = self["traceparent"]?.split(separator: "-"), parts.count >= 4, parts[1].count == 32 else {
      return nil
    }
    return String(parts[1])
  }
}

/// Lets a tracer write into the context of a flow, and read it.
struct TraceCarrier: Injector, Extractor {
  func inject(_ value: String, forKey key: String, into carrier: inout TraceContext) { carrier[key] = value }
  func extract(key: String, from carrier: TraceContext) -> String? { carrier[key] }
}

extension StepID {
  /// The path with `*` for the numbers of elements, so that a step of a `ForEach` is one step.
  var dimension: String {
    path.split(separator: "/").map { $0.allSatisfy(\.isNumber) ? "*" : $0 }.joined(separator: "/")
  }
}

extension ObservedStep {
  /// The facts of a line about the step.
  var facts: [String: String?] {
    ["step": step.path, "visit": "\(visit)", "replay": isReplay ? "true" : nil]
  }
}

extension ObservedQuestion {
  /// The facts of a line about the question.
  var facts: [String: String?] { ["step": step.path, "question": "\(number)", "prompt": prompt] }
}

/// The flow whose span is current.
enum FlowKey: ServiceContextKey {
  typealias Value = FlowID
}

extension Span {
  /// Marks the span as failed, without the message of the error.
  func fail(_ error: String) {
    setStatus(SpanStatus(code: .error))
    attributes["error.type"] = error
  }

  /// Runs code of a flow within the span, and ends the span.
  nonisolated(nonsending) func enclose(
    _ body: nonisolated(nonsending) () async throws -> Void, _ clock: any WallClock
  ) async throws {
    defer { end(at: clock.now.instant) }
    do { try await ServiceContext.$current.withValue(context) { try await body() } } catch {
      // A step that is left, or whose flow is passivated while it waits, has not failed.
      if !Task.isCancelled { fail("\(type(of: error))") } else { attributes["flow.cancelled"] = true }
      throw error
    }
  }
}

extension Date {
  /// The time as tracers have it.
  var instant: DefaultTracerClock.Timestamp {
    DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: UInt64(max(0, timeIntervalSince1970 * 1e9)))
  }
}
