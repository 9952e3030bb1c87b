public import ActorFlowWeb
import HTTPTypes
public import Hummingbird
import NIOCore

/// Serves a site with Hummingbird: a responder for all paths, as in `Application(responder: HummingbirdAdapter(site))`.
///
/// A request's body is read no further than the site takes. A stream of events is written at the pace of its reader, and
/// ends when the client goes away or the server shuts down.
public struct HummingbirdAdapter: HTTPResponder {
  /// The context of a request: its connection, besides the basic one.
  public struct Context: RequestContext {
    public var coreContext: CoreRequestContextStorage
    let channel: any Channel

    public init(source: ApplicationRequestContextSource) {
      (coreContext, channel) = (CoreRequestContextStorage(source: source), source.channel)
    }
  }

  private let maximumBodyBytes: Int
  private let respond: @Sendable (WebRequest) async -> WebResponse

  /// Serves a site, and nothing else.
  public init(_ site: FlowSite) {
    self.init(maximumBodyBytes: site.maximumBodyBytes) { await site.respond(to: $0) }
  }

  /// Serves a site together with other pages of the service.
  ///
  /// - Parameters:
  ///   - maximumBodyBytes: The site's ``FlowSite/maximumBodyBytes``.
  ///   - respond: Returns the response to a request. It refuses a body that is longer than that.
  public init(maximumBodyBytes: Int, respond: @escaping @Sendable (WebRequest) async -> WebResponse) {
    (self.maximumBodyBytes, self.respond) = (maximumBodyBytes, respond)
  }

  /// Returns the response to a request. The body of a stream of events runs until its end.
  ///
  /// - Throws: The error of a body that was not received to its end.
  public func respond(to request: Request, context: Context) async throws -> Response {
    let (body, isEnded) = try await received(request.body)
    let response = await respond(
      WebRequest(
        method: request.method.rawValue, target: request.head.path ?? "/",
        headers: WebHeaders(request.headers.map { (name: $0.name.rawName, value: $0.value) }), body: body))
    var fields = HTTPFields()
    for field in response.headers.fields {
      if let name = HTTPField.Name(field.name) { fields.append(HTTPField(name: name, value: field.value)) }
    }
    let status = HTTPResponse.Status(code: response.status)
    switch response.body {
    case .events(let events):
      fields[.connection] = "close"
      return Response(status: status, headers: fields, body: Self.body(of: events, on: context.channel))
    case .bytes(let bytes) where isEnded:
      return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    case .bytes(let bytes):
      // The client has more to send than anyone reads. It gets the refusal, and then the connection ends.
      fields[.connection] = "close"
      let length = bytes.count
      return Response(
        status: status, headers: fields,
        body: ResponseBody(contentLength: length) { writer in
          try await writer.write(ByteBuffer(bytes: bytes))
          try await writer.finish(nil)
          try await context.channel.close()
        })
    }
  }

  /// The number of times the limit that is read of a body over it, so that a client that sends first and reads then gets
  /// its refusal.
  private static let patience = 16

  /// Returns the body, one byte over the limit at most, and whether all of it was read.
  private func received(_ body: RequestBody) async throws -> (bytes: [UInt8], isEnded: Bool) {
    var (bytes, count): ([UInt8], Int) = ([], 0)
    for try await part in body {
      count += part.readableBytes
      bytes += part.readableBytesView.prefix(maximumBodyBytes + 1 - bytes.count)
      if count > maximumBodyBytes * Self.patience { return (bytes, false) }
    }
    return (bytes, true)
  }

  private static func body(of events: WebEvents, on channel: any Channel) -> ResponseBody {
    ResponseBody { writer in
      let client = ClientWatch()
      try await channel.pipeline.addHandler(client, position: .first)
      var events = events.makeAsyncIterator()
      // Each write waits until the connection takes it.
      while let (next, chunk) = await client.next(of: events), let chunk {
        events = next
        try await writer.write(ByteBuffer(bytes: chunk))
      }
      try await writer.finish(nil)
    }
  }
}
