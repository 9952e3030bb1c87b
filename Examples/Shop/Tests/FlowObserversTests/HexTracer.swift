import InMemoryTracing
import Synchronization
import Tracing

/// A tracer in memory whose ids and headers are those of the W3C's trace context.
struct HexTracer: Tracer {
  let memory: InMemoryTracer

  /// - Parameter process: A number that is part of all ids, so that two processes make different ones.
  init(process: Int) {
    let count = Count()
    @Sendable func hex(_ digits: Int) -> String {
      let number = String(process * 0x100 + count.next(), radix: 16)
      return String(repeating: "0", count: digits - number.count) + number
    }
    memory = InMemoryTracer(idGenerator: .init(nextTraceID: { hex(32) }, nextSpanID: { hex(16) }))
  }

  private final class Count: Sendable {
    private let value = Mutex(0)
    func next() -> Int {
      value.withLock {
        $0 += 1
        return $0
      }
    }
  }

  func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
  ) -> InMemorySpan {
    memory.startSpan(
      operationName, context: context(), ofKind: kind, at: instant(), function: function, file: fileID, line: line)
  }

  func activeSpan(identifiedBy context: ServiceContext) -> InMemorySpan? { memory.activeSpan(identifiedBy: context) }

  func forceFlush() { memory.forceFlush() }

  func inject<Carrier, Inject: Injector>(
    _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {
    guard let span = context.inMemorySpanContext else { return }
    injector.inject("00-\(span.traceID)-\(span.spanID)-01", forKey: "traceparent", into: &carrier)
  }

  func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {
    guard let parts = extractor.extract(key: "traceparent", from: carrier)?.split(separator: "-"), parts.count == 4
    else { return }
    context.inMemorySpanContext = InMemorySpanContext(
      traceID: String(parts[1]), spanID: String(parts[2]), parentSpanID: nil)
  }
}
