import ActorFlowWeb
import NIOCore
import ServiceLifecycle
import Synchronization

/// Notices that the client of a connection goes away.
///
/// Hummingbird's own way, `consumeWithCancellationOnInboundClose`, traps after the request's body has been read.
final class ClientWatch: ChannelInboundHandler, Sendable {
  typealias InboundIn = NIOAny

  private struct State {
    var hasGone = false
    var waiter: AsyncStream<Void>.Continuation?
  }

  private let state = Mutex(State())

  /// Waits for the next chunk of a stream; `nil` if the client goes away or the server shuts down before.
  func next(of events: WebEvents.Iterator) async -> (events: WebEvents.Iterator, chunk: [UInt8]?)? {
    await withTaskGroup(of: (events: WebEvents.Iterator, chunk: [UInt8]?)?.self) { group in
      group.addTask {
        var events = events
        let chunk = await events.next()
        return (events, chunk)
      }
      group.addTask {
        await self.hasGone()
        return nil
      }
      group.addTask {
        try? await gracefulShutdown()  // throws if another of the three was first
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }

  /// Waits until the client has gone, or the calling task is cancelled. One task at a time may wait.
  private func hasGone() async {
    let (end, waiter) = AsyncStream.makeStream(of: Void.self)
    state.withLock { state in
      if state.hasGone { waiter.finish() } else { state.waiter = waiter }
    }
    for await _ in end {}
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // A client that sends no more, but reads on, counts as gone: none of those that read events does so.
    if case .inputClosed? = event as? ChannelEvent { leave() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    leave()
    context.fireChannelInactive()
  }

  private func leave() {
    state.withLock { state in
      state.hasGone = true
      state.waiter?.finish()
    }
  }
}
