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
  /// The trace context of the flow's start; empty before format 8.
  var trace = TraceContext()
  /// Whether the flow was redacted: what people said is gone. False before format 9.
  var isRedacted = false
  private var shared: SharedMachine
  /// The format in which the machine is stored. Activating the flow may raise it, and nothing lowers it.
  var format = MachineSnapshot.format
  /// The values that the body names by their numbers.
  var values = ValueTable()

  /// The machine. Copies of the state share it.
  var machine: MachineSnapshot {
    get { shared.machine }
    set { shared = SharedMachine(newValue) }
  }

  /// The newest format of the host's own data: 1; since the machine's format 7 2, with the number of the next value; since
  /// format 8 3, with the trace context; since format 9 4, with the redaction.
  private static let format: UInt64 = 4

  init(
    startedAt: Date, input: PackedValue, machine: MachineSnapshot = MachineSnapshot(),
    format: UInt8 = MachineSnapshot.format
  ) {
    (self.startedAt, self.input, shared, self.format) = (startedAt, input, SharedMachine(machine), format)
  }

  /// Returns the state as bytes that have all values in them.
  func encoded() -> [UInt8] { encoded(nil).bytes }

  /// Returns the state as bytes that name large values by their numbers, and the numbers that they name.
  func encoded(_ numbering: ValueNumbering?) -> (bytes: [UInt8], numbering: ValueNumbering?) {
    var writer = ByteWriter(reserving: 768)
    writer.format = format
    writer.numbering = numbering
    var state = self
    state.codeOwn(with: &writer)
    machine.encode(in: format, with: &writer)
    var whole = ByteWriter(reserving: writer.bytes.count + 16)
    whole.unsigned(format >= 9 ? 4 : format >= 8 ? 3 : format >= 7 ? 2 : 1)
    if format >= 7 { whole.int(writer.numbering?.next ?? values.next) }
    whole.raw(writer.bytes)
    return (whole.bytes, writer.numbering)
  }

  /// Reads the bytes of a state.
  ///
  /// - Parameter values: The values that the bytes name by their numbers, as the codec decodes them.
  init(decoding bytes: [UInt8], values: [(stored: FlowValue, plain: [UInt8])] = []) throws(FlowStoreError) {
    var reader = ByteReader(bytes)
    let format = try reader.unsigned()
    guard 1...Self.format ~= format else {
      throw FlowStoreError(
        .unsupportedFormat, "the flow's state has the format \(format); this version reads 1 to \(Self.format)")
    }
    self.init(startedAt: .placeholder, input: .placeholder)
    let next = format == 1 ? 1 : try reader.coded(0)
    let plain = Dictionary(values.map { ($0.stored.number, $0.plain) }) { first, _ in first }
    reader.format = UInt8(format) + 5
    reader.values = plain
    try codeOwn(with: &reader)
    let bytes = Array(try reader.slice(reader.remaining))
    machine = try MachineSnapshot(decoding: bytes, values: plain)
    self.format = max(bytes.first ?? 0, MachineSnapshot.oldestWritten)
    self.values = try ValueTable(values, next: max(1, next))
  }

  /// Codes the host's own data, all but the machine.
  private mutating func codeOwn<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&startedAt)
    try coder.code(&input)
    try coder.code(&requests)
    try coder.code(&unmigrated)
    if coder.format >= 8 { try coder.code(&trace) }
    if coder.format >= 9 { try coder.code(&isRedacted) }
  }

  /// Returns the flow's status, given the one that its snapshot is indexed with. The ending in the body overrides that.
  func status(indexedAs status: FlowSnapshot.Status) -> FlowSnapshot.Status {
    switch machine.ending {
    // The key of the flow has come back.
    case nil where status == .erased: machine.fault == nil ? .runnable : .suspended
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

  func applied(_ key: String) -> AppliedRequest? { requests.first { $0.key.hasBytes(of: key) } }
}

/// A machine's snapshot that many states share. Copying a snapshot retains about thirty objects, and a state is copied
/// twenty times for each answer (`hostedAnswerHot`).
private final class SharedMachine: Sendable, Equatable {
  let machine: MachineSnapshot

  init(_ machine: MachineSnapshot) { self.machine = machine }

  static func == (left: SharedMachine, right: SharedMachine) -> Bool {
    left === right || left.machine == right.machine
  }
}

extension AppliedRequest: StoredPart {
  static var placeholder: Self { Self(key: "", digest: 0) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    self = AppliedRequest(key: try coder.coded(key), digest: try coder.coded(digest))
  }
}
