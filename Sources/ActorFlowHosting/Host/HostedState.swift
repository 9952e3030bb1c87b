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
  var unmigrated: String?
  var machine: MachineSnapshot
  /// The format in which the machine is stored. Activating the flow may raise it, and nothing lowers it.
  var format = MachineSnapshot.format

  private static let format: UInt64 = 1

  init(
    startedAt: Date, input: PackedValue, machine: MachineSnapshot = MachineSnapshot(),
    format: UInt8 = MachineSnapshot.format
  ) {
    (self.startedAt, self.input, self.machine, self.format) = (startedAt, input, machine, format)
  }

  func encoded() -> [UInt8] {
    let machine = machine.encoded(in: format)
    var writer = ByteWriter(reserving: machine.count + 256)
    writer.unsigned(Self.format)
    var state = self
    state.codeOwn(with: &writer)
    writer.raw(machine)
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(FlowStoreError) {
    var reader = ByteReader(bytes)
    let format = try reader.unsigned()
    guard format == Self.format else {
      throw FlowStoreError(
        .unsupportedFormat, "the flow's state has the format \(format); this version reads \(Self.format)")
    }
    self.init(startedAt: .placeholder, input: .placeholder)
    try codeOwn(with: &reader)
    let bytes = Array(try reader.slice(reader.remaining))
    machine = try MachineSnapshot(decoding: bytes)
    self.format = max(bytes.first ?? 0, MachineSnapshot.oldestWritten)
  }

  /// Codes the host's own data, all but the machine.
  private mutating func codeOwn<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&startedAt)
    try coder.code(&input)
    try coder.code(&requests)
    try coder.code(&unmigrated)
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

extension AppliedRequest: StoredPart {
  static var placeholder: Self { Self(key: "", digest: 0) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    self = AppliedRequest(key: try coder.coded(key), digest: try coder.coded(digest))
  }
}
