import HTTPTypes
public import Hummingbird
public import Tracing

/// Makes a span of each request of a responder, as in `RequestTracer(tracer, around: HummingbirdAdapter(site))`.
///
/// The span is below the one that the request's headers name, and it is the current one for the responder. So a flow that the
/// request starts is part of the client's trace, if the site's `trace` returns the current span. The span ends when the
/// response begins: a stream of events is not part of it. It has the method and the status, and no path, because paths have ids
/// and may have secrets.
public struct RequestTracer<Next: HTTPResponder>: HTTPResponder {
  private let tracer: any Tracer
  private let next: Next

  /// Traces the requests of a responder.
  ///
  /// - Parameters:
  ///   - tracer: The place where the spans go, such as `InstrumentationSystem.tracer`.
  ///   - next: The responder.
  public init(_ tracer: any Tracer, around next: Next) { (self.tracer, self.next) = (tracer, next) }

  /// Returns the response of the responder, called in the span of the request.
  ///
  /// - Throws: The responder's error, whose type the span then has.
  public func respond(to request: Request, context: Next.Context) async throws -> Response {
    var parent = ServiceContext.topLevel
    tracer.extract(request.headers, into: &parent, using: FieldExtractor())
    // A client may invent methods, and the names of spans are few.
    let method = Self.methods.contains(request.method) ? request.method.rawValue : "other"
    let span = tracer.startSpan("HTTP \(method)", context: parent, ofKind: .server)
    defer { span.end() }
    span.attributes["http.request.method"] = method
    do {
      let response = try await ServiceContext.$current.withValue(span.context) {
        try await next.respond(to: request, context: context)
      }
      span.attributes["http.response.status_code"] = response.status.code
      if response.status.kind == .serverError { span.setStatus(SpanStatus(code: .error)) }
      return response
    } catch {
      span.attributes["error.type"] = "\(type(of: error))"
      span.setStatus(SpanStatus(code: .error))
      throw error
    }
  }

  private static var methods: Set<HTTPRequest.Method> { [.get, .head, .post, .put, .patch, .delete, .options] }
}

/// Lets a tracer read the headers of a request.
private struct FieldExtractor: Extractor {
  func extract(key: String, from fields: HTTPFields) -> String? { HTTPField.Name(key).flatMap { fields[$0] } }
}
