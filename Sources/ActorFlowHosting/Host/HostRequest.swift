import ActorFlow

/// What somebody asked a host for, known to the commit that does it: so that its key is stored with what it did.
struct HostRequest: Sendable {
  @TaskLocal static var current: HostRequest?

  /// What makes it once.
  let key: String?
  /// Tells requests with one key apart.
  let digest: UInt64
  /// Who asked.
  let principal: String?

  /// - Parameter payload: What was asked for, and with which values.
  init(_ verb: String, _ payload: [UInt8], key: String? = nil, by principal: Principal? = nil) {
    var writer = ByteWriter()
    writer.string(verb)
    writer.blob(payload)
    // Somebody else's request is another one, be it word for word the same.
    writer.string(principal?.id ?? "")
    digest = Checksum.of(writer.bytes[...])
    self.key = key
    self.principal = principal?.id
  }
}

/// A request that was done.
struct AppliedRequest: Sendable, Equatable {
  let key: String
  let digest: UInt64

  /// How many a flow remembers.
  static let capacity = 1_000
}
