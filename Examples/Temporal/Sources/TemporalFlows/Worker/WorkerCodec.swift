internal import ActorFlow
internal import ActorFlowHosting

/// The codec of a worker's host, whose errors say that the flow is to be tried again.
///
/// The host throws the errors of a codec as they are, as it does those of a prompt's guard, and these refuse an answer.
struct WorkerCodec: BodyCodec {
  let codec: any BodyCodec

  func key(for flow: FlowID, labels: [String: String]) async throws -> String? {
    do { return try await codec.key(for: flow, labels: labels) } catch { throw Self.named(error) }
  }

  func encode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8] {
    do { return try codec.encode(bytes, of: flow) } catch { throw Self.named(error) }
  }

  func decode(_ bytes: [UInt8], of flow: CodedFlow) throws -> [UInt8] {
    do { return try codec.decode(bytes, of: flow) } catch { throw Self.named(error) }
  }

  private static func named(_ error: any Error) -> any Error {
    if error is ErasedKey || error is CancellationError { return error }
    return FlowStoreError(.unavailable, "the codec has failed with a \(type(of: error))", underlying: error)
  }
}
