import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The contents of a snapshot's body: the machine, and the host's own data of the flow.
struct HostedState: Sendable, Equatable {
  /// The date from which the machine's times are counted.
  var startedAt: Date
  /// The input of the flow, to tell a repeated start from another one.
  var input: PackedValue
  /// The applied requests, oldest first.
  var requests: [AppliedRequest] = []
  /// The reason why no registered version fits the flow, if none does.
  var parked: String?
  var machine: MachineSnapshot

  private static let format: UInt64 = 1

  init(startedAt: Date, input: PackedValue, machine: MachineSnapshot = MachineSnapshot()) {
    (self.startedAt, self.input, self.machine) = (startedAt, input, machine)
  }

  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.unsigned(Self.format)
    writer.date(startedAt)
    writer.string(input.type)
    writer.blob(input.bytes)
    writer.list(requests) { writer, request in
      writer.string(request.key)
      writer.fixed(request.digest)
    }
    writer.optional(parked) { $0.string($1) }
    writer.raw(machine.encoded())
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(FlowStoreError) {
    var reader = ByteReader(bytes)
    let format = try reader.unsigned()
    guard format == Self.format else {
      throw FlowStoreError(
        .unsupportedFormat, "the flow's state has the format \(format); this version reads \(Self.format)")
    }
    startedAt = try reader.date()
    input = PackedValue(type: try reader.string(), bytes: try reader.blob())
    requests = try reader.list { reader throws(FlowStoreError) in
      AppliedRequest(key: try reader.string(), digest: try reader.fixed(UInt64.self))
    }
    parked = try reader.optional { (reader) throws(FlowStoreError) in try reader.string() }
    machine = try MachineSnapshot(decoding: Array(try reader.slice(reader.remaining)))
  }

  /// Returns the flow's status, given the one that its snapshot is indexed with. The ending in the body overrides that.
  func status(indexedAs status: FlowSnapshot.Status) -> FlowSnapshot.Status {
    switch machine.ending {
    case nil: status
    case .finished: .finished
    case .abandoned: .abandoned
    case .cancelled: .cancelled
    case .failed: .failed
    }
  }

  /// Notes that a request was applied. If there are too many, the oldest of its kind is forgotten. Signals are a kind
  /// of their own, so many signals do not displace an answer.
  mutating func apply(_ request: HostRequest) {
    guard let key = request.key, applied(key) == nil else { return }
    let new = AppliedRequest(key: key, digest: request.digest)
    if requests.count >= AppliedRequest.capacity {
      let alike = requests.indices.filter { requests[$0].isSignal == new.isSignal }
      if alike.count >= AppliedRequest.capacity { requests.remove(at: alike[0]) }
    }
    requests.append(new)
  }

  func applied(_ key: String) -> AppliedRequest? { requests.first { $0.key == key } }
}
