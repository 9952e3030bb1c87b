import ActorFlow

extension TraceContext: StoredPart {
  static var placeholder: TraceContext { TraceContext() }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    var entries = names.map { Entry(name: $0, value: self[$0] ?? "") }
    try coder.code(&entries)
    var read = TraceContext()
    for entry in entries { read[entry.name] = entry.value }
    try coder.check(read.names.count == entries.count, "a trace context has one name twice")
    try coder.check(read.byteCount <= Self.maximumBytes, "a trace context has \(read.byteCount) bytes")
    self = read
  }

  private struct Entry: StoredPart {
    static var placeholder: Self { Self(name: "", value: "") }

    var name: String
    var value: String

    mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
      try coder.code(&name)
      try coder.code(&value)
    }
  }
}
