import ActorFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a host keeps in a snapshot's body: the machine, and what the host itself has to know.
struct HostedState: Sendable, Equatable {
  /// From which the machine's times are counted.
  var startedAt: Date
  /// What the flow was started with, to tell a repeated start from another one.
  var input: PackedValue
  /// The oldest first.
  var requests: [AppliedRequest] = []
  /// Why it cannot be taken up, if it cannot.
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

  /// What the flow waits for or how it ended, by what its snapshot is indexed with: of one that has ended the body knows
  /// better.
  func status(indexedAs status: FlowSnapshot.Status) -> FlowSnapshot.Status {
    switch machine.ending {
    case nil: status
    case .finished: .finished
    case .abandoned: .abandoned
    case .cancelled: .cancelled
    case .failed: .failed
    }
  }

  /// A request was done. Of too many the oldest are forgotten; many signals make nobody forget an answer.
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
