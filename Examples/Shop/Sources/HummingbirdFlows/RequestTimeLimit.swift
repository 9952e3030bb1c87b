public import NIOCore
public import NIOHTTPTypes

/// Cuts connections whose client takes too long to send a request, such as one that sends a byte a second: an idle timeout
/// begins anew with each byte, this limit does not.
///
/// The time runs from the first byte of a request to its last one, the headers included. The response, and so a stream of
/// events, may take as long as it likes. Give it to the server for each connection:
///
/// ```swift
/// server: .http1(
///   configuration: .init(
///     additionalChannelHandlers: [RequestTimeLimit(.seconds(30)), StalledReaderLimit(.seconds(60))],
///     idleTimeout: .seconds(30))),
/// ```
///
/// A client that sends the beginning of its next request, and not its end, while the response to an earlier one is under way,
/// loses both.
public final class RequestTimeLimit: ChannelInboundHandler, RemovableChannelHandler {
  public typealias InboundIn = HTTPRequestPart

  private let clock: RequestClock

  /// A limit for a connection.
  ///
  /// - Parameter limit: The time for a whole request.
  public init(_ limit: TimeAmount) { clock = RequestClock(limit) }

  /// Begins to look at the bytes of the connection, in front of the handlers that make requests of them.
  public func handlerAdded(context: ChannelHandlerContext) {
    do { try context.pipeline.syncOperations.addHandler(clock, position: .first) } catch {
      // The connection has ended already.
      context.fireErrorCaught(error)
    }
  }

  /// Ends the time of a request that is there to its end.
  public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .end = unwrapInboundIn(data) { clock.stop() }
    context.fireChannelRead(data)
  }
}

@available(*, unavailable)
extension RequestTimeLimit: Sendable {}

/// Sees the bytes of a connection before they are a request, and closes it when the time of a request is over.
private final class RequestClock: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let limit: TimeAmount
  private var end: Scheduled<Void>?

  init(_ limit: TimeAmount) { self.limit = limit }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if end == nil {
      let connection = NIOLoopBound(context, eventLoop: context.eventLoop)
      end = context.eventLoop.scheduleTask(in: limit) { connection.value.close(promise: nil) }
    }
    context.fireChannelRead(data)
  }

  func stop() {
    end?.cancel()
    end = nil
  }

  func handlerRemoved(context: ChannelHandlerContext) { stop() }
}
