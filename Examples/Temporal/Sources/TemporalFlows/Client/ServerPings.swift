internal import GRPCNIOTransportHTTP2
internal import NIOCore
internal import NIOHTTP2

/// Answers the pings of a server in front of the HTTP/2 handler.
///
/// A server that is written in Go sends a ping with nearly every request, to measure the connection. The HTTP/2 handler
/// takes more than 200 pings in 30 seconds for an attack, and closes the connection with all its calls: "Stream
/// unexpectedly closed". The transport has no option for that limit, and a worker trusts its server.
final class ServerPings: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private var frames = PingFilter()

  /// Puts the handler into the pipeline of a new connection.
  static let callbacks = HTTP2ClientTransport.Config.ChannelDebuggingCallbacks(
    onCreateTCPConnection: { channel in
      channel.eventLoop.submit {
        let pipeline = channel.pipeline.syncOperations
        let http2 = try pipeline.handler(type: NIOHTTP2Handler.self)
        try pipeline.addHandler(ServerPings(), position: .before(http2))
      }
    }, onCreateHTTP2Stream: nil)

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let (others, answers) = frames.divide(unwrapInboundIn(data))
    if answers.readableBytes > 0 { context.writeAndFlush(wrapOutboundOut(answers), promise: nil) }
    if others.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(others)) }
  }
}

/// Divides the bytes of a connection into the answers to its pings and all other frames.
struct PingFilter {
  private static let (headerBytes, pingBytes) = (9, 8)
  private static let (ping, answer): (UInt8, UInt8) = (6, 1)

  private var held = ByteBuffer()
  /// The number of bytes of the present frame that are still to be passed on.
  private var left = 0

  mutating func divide(_ bytes: ByteBuffer) -> (others: ByteBuffer, answers: ByteBuffer) {
    var (others, answers) = (ByteBuffer(), ByteBuffer())
    held.writeImmutableBuffer(bytes)
    while held.readableBytes > 0 {
      if left == 0 {
        let start = held.readerIndex
        guard let long = held.getInteger(at: start, as: UInt16.self),
          let short = held.getInteger(at: start + 2, as: UInt8.self),
          let kind = held.getInteger(at: start + 3, as: UInt8.self),
          let flags = held.getInteger(at: start + 4, as: UInt8.self), held.readableBytes >= Self.headerBytes
        else { break }
        let size = Int(long) << 8 | Int(short)
        left = Self.headerBytes + size
        if kind == Self.ping, flags & Self.answer == 0, size == Self.pingBytes {
          guard var frame = held.readSlice(length: left) else {
            left = 0
            break
          }
          frame.setInteger(flags | Self.answer, at: frame.readerIndex + 4)
          answers.writeBuffer(&frame)
          left = 0
          continue
        }
      }
      guard var part = held.readSlice(length: min(left, held.readableBytes)) else { break }
      left -= part.readableBytes
      others.writeBuffer(&part)
    }
    held.discardReadBytes()
    return (others, answers)
  }
}
