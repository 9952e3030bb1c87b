internal import Foundation
internal import TemporalProtocol

extension TemporalClient {
  /// The number of this process and the name of its machine.
  public static var processName: String {
    "\(ProcessInfo.processInfo.processIdentifier)@\(ProcessInfo.processInfo.hostName)"
  }
}

extension TemporalClient {
  /// The version of the server, which shows that it can be reached.
  ///
  /// - Throws: ``TemporalFlowError``: `unavailable`, `outcomeUnknown`.
  public func serverVersion() async throws -> String {
    do { return try await serverInfo().serverVersion } catch { throw TemporalFlowError.ofCall(error) }
  }

  func serverInfo() async throws -> TemporalGetSystemInfoResponse {
    try await call(within: .seconds(2)) {
      try await $0.getSystemInfo(TemporalGetSystemInfoRequest(), metadata: $1, options: $2)
    }
  }
}
