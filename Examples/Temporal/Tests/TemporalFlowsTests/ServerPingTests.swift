import NIOCore
@testable import TemporalFlows
import Testing

/// The pings of a server, which the HTTP/2 handler would count.
@Suite struct ServerPingTests {
  private let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
  private let ping: [UInt8] = [0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
  private let acknowledgement: [UInt8] = [0, 0, 8, 6, 1, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
  private let data: [UInt8] = [0, 0, 3, 0, 1, 0, 0, 0, 5, 6, 0, 6]

  /// However the network cuts the bytes, pings are answered and everything else is passed on in order.
  @Test(arguments: 1...40) func pingsAreAnsweredAndNothingElse(cut: Int) {
    var (filter, others, answers) = (PingFilter(), [UInt8](), [UInt8]())
    var bytes = ByteBuffer(bytes: settings + ping + data + acknowledgement + ping + data)
    while let part = bytes.readSlice(length: min(cut, max(1, bytes.readableBytes))) {
      let divided = filter.divide(part)
      others += Array(divided.others.readableBytesView)
      answers += Array(divided.answers.readableBytesView)
    }
    #expect(others == settings + data + acknowledgement + data)
    #expect(answers == acknowledgement + acknowledgement)
  }
}
