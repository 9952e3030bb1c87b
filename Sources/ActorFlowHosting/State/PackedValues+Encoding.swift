import ActorFlow

// Values, errors, and the tables that several places share.

extension PackedValue: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.string(type)
    writer.blob(bytes)
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    let type = try reader.string()
    self.init(type: type, bytes: try reader.blob())
  }
}

extension StoredFailure: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.string(type)
    writer.string(message)
    writer.optional(code) { $0.string($1) }
    writer.optional(step) { $0.step($1) }
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    let type = try reader.string()
    let message = try reader.string()
    let code = try reader.optional { (reader) throws(FlowStoreError) in try reader.string() }
    let step = try reader.optional { (reader) throws(FlowStoreError) in try reader.step() }
    self.init(type: type, message: message, code: code, step: step)
  }
}

extension PackedFault: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.step(step)
    writer.part(error)
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    let step = try reader.step()
    self.init(step: step, error: try reader.part())
  }
}

extension PackedPayload: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.part(value)
    writer.optional(carried) { $0.int($1) }
    writer.optional(scopes) { $0.int($1) }
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    let value: PackedValue = try reader.part()
    let carried = try reader.optional { (reader) throws(FlowStoreError) in try reader.number() }
    let scopes = try reader.optional { (reader) throws(FlowStoreError) in try reader.number() }
    self.init(value: value, carried: carried, scopes: scopes)
  }
}

extension PackedCarried: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.part(value)
    writer.optional(below) { $0.int($1) }
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    let value: PackedValue = try reader.part()
    self.init(value: value, below: try reader.optional { (reader) throws(FlowStoreError) in try reader.number() })
  }
}

extension PackedFrame: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.part(scope)
    writer.int(payload)
    writer.int(attempt)
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    let scope: ScopeName = try reader.part()
    let payload = try reader.number()
    self.init(scope: scope, payload: payload, attempt: try reader.number())
  }
}

extension ScopeName: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.string(kind)
    writer.step(step)
    writer.int(number)
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    let kind = try reader.string()
    let step = try reader.step()
    self.init(kind: kind, step: step, number: try reader.number())
  }
}
