public import NIOCore
public import NIOHTTPTypes

/// Cuts connections whose client does not read the response, which would stay in memory as long as the client likes.
///
/// A connection ends when bytes wait to be sent, and the system has taken none of them for the whole limit: its buffers are
/// full, because the client has not read. The connection ends after twice the limit at the latest. A client that reads
/// slowly is served, and so is one with an idle stream of events, for which no bytes wait. Give it to the server for each
/// connection:
///
/// ```swift
/// server: .http1(
///   configuration: .init(
///     additionalChannelHandlers: [RequestTimeLimit(.seconds(30)), StalledReaderLimit(.seconds(60))],
///     idleTimeout: .seconds(30))),
/// ```
public final class StalledReaderLimit: ChannelOutboundHandler, RemovableChannelHandler {
  public typealias OutboundIn = HTTPResponsePart

  private let clock: ReaderClock

  /// A limit for a connection.
  ///
  /// - Parameter limit: The time in which the system has to take a byte, if bytes wait.
  public init(_ limit: TimeAmount) { clock = ReaderClock(limit) }

  /// Begins to look at the bytes of the connection, behind the handlers that make them of responses.
  public func handlerAdded(context: ChannelHandlerContext) {
    do { try context.pipeline.syncOperations.addHandler(clock, position: .first) } catch {
      // The connection has ended already.
      context.fireErrorCaught(error)
    }
  }
}

@available(*, unavailable)
extension StalledReaderLimit: Sendable {}

/// Counts the bytes that the system has taken, and closes the connection when it takes no more of those that wait.
private final class ReaderClock: ChannelOutboundHandler {
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  private let limit: TimeAmount
  /// The number of bytes that were written to the connection.
  private var written = 0
  /// The number of bytes that the system had taken at the last look.
  private var taken = 0
  /// The next look, while bytes wait.
  private var look: Scheduled<Void>?

  init(_ limit: TimeAmount) { self.limit = limit }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    written += unwrapOutboundIn(data).readableBytes
    context.write(data, promise: promise)
    if look == nil { schedule(context) }
  }

  private func schedule(_ context: ChannelHandlerContext) {
    taken = written - waiting(context)
    let connection = NIOLoopBound(context, eventLoop: context.eventLoop)
    let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
    look = context.eventLoop.scheduleTask(in: limit) { handler.value.check(connection.value) }
  }

  private func check(_ context: ChannelHandlerContext) {
    look = nil
    let waiting = waiting(context)
    guard waiting > 0 else { return }
    if written - waiting == taken { context.close(promise: nil) } else { schedule(context) }
  }

  /// The number of bytes that the system has not taken yet; zero for a connection that has ended.
  private func waiting(_ context: ChannelHandlerContext) -> Int {
    (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    look?.cancel()
    look = nil
  }
}
