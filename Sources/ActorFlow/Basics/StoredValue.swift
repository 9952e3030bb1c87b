/// Encodes values as bytes and decodes them. Only durable flows need one.
package protocol ValueCodec: Sendable {
  func encode(_ value: any Encodable) throws -> [UInt8]
  func decode<T: Decodable>(_ bytes: [UInt8], as type: T.Type) throws -> T
}

/// A value as bytes, with the name of its type.
package struct PackedValue: Sendable, Equatable {
  package var type: String
  package var bytes: [UInt8]

  package init(type: String, bytes: [UInt8]) {
    self.type = type
    self.bytes = bytes
  }

  /// The number of bytes that the value takes in a snapshot, without its length prefixes.
  package var size: Int { type.utf8.count + bytes.count }

  /// Packs a value.
  ///
  /// - Parameter type: The declared type of the value; `nil` for its own type.
  /// - Throws: A ``FlowError`` with the code `notStorable`, naming the type.
  package init(_ value: any Sendable, as type: Any.Type? = nil, with codec: any ValueCodec) throws {
    if let stored = value as? StoredValue {
      self = stored.packed
    } else if value is Void {
      self.init(type: "\(Void.self)", bytes: [])
    } else if let type = type as? any Encodable.Type, let bytes = try Self.bytes(of: value, as: type, codec) {
      self.init(type: TypeName(of: type).short, bytes: bytes)
    } else if let encodable = value as? any Encodable {
      try self.init(encoding: encodable, with: codec)
    } else {
      let type = "\(Swift.type(of: value))"
      throw FlowError(
        .notStorable,
        "a value of type \(type) cannot be stored; "
          + (type.hasPrefix("(")
            ? "give the `Parallel` that makes it a `join:` that returns a Codable type"
            : "make the type Codable, or `.map` the value to a Codable type"))
    }
  }

  /// Packs a value as its own type.
  ///
  /// - Throws: A ``FlowError`` with the code `notStorable`, naming the type.
  package init(encoding value: any Encodable, with codec: any ValueCodec) throws {
    self.init(type: TypeName(of: Swift.type(of: value)).short, bytes: try Self.bytes(of: value, codec))
  }

  private static func bytes<T: Encodable>(
    of value: any Sendable, as type: T.Type, _ codec: any ValueCodec
  ) throws -> [UInt8]? {
    guard let value = value as? T else { return nil }
    return try bytes(of: value, codec)
  }

  private static func bytes(of value: any Encodable, _ codec: any ValueCodec) throws -> [UInt8] {
    do { return try codec.encode(value) } catch {
      throw FlowError(
        .notStorable, "a value of type \(Swift.type(of: value)) could not be encoded", underlying: [error])
    }
  }
}

/// A value that was read back, in packed form until its type is known.
package struct StoredValue: Sendable {
  package let packed: PackedValue
  private let codec: any ValueCodec

  package init(_ packed: PackedValue, codec: any ValueCodec) {
    self.packed = packed
    self.codec = codec
  }

  /// - Throws: A ``FlowError`` with the code `typeMismatch`, naming both types.
  package func unpacked<T>(as type: T.Type) throws -> T {
    if let value = try unpacked(asAny: type) as? T { return value }
    throw mismatch(with: type, [])
  }

  /// Returns the value as this type; returns the stored value itself if the type is not Decodable.
  package func unpacked(asAny type: Any.Type) throws -> Any {
    if type == Void.self { return () }
    guard let decodable = type as? any Decodable.Type else { return self }
    do { return try codec.decode(packed.bytes, as: decodable) } catch { throw mismatch(with: type, [error]) }
  }

  private func mismatch(with type: Any.Type, _ errors: [any Error]) -> FlowError {
    FlowError(.typeMismatch, "a value stored as \(packed.type) cannot be read as \(type)", underlying: errors)
  }
}

/// An error that was read back: its message, at most 1 KiB of it, and the name of its type.
package struct StoredFailure: Error, Sendable, Equatable, CustomStringConvertible {
  package var type: String
  package var message: String
  /// The code, if the error is a ``FlowError``.
  package var code: String?
  package var step: StepID?

  package init(type: String, message: String, code: String? = nil, step: StepID? = nil) {
    (self.type, self.message, self.code, self.step) = (type, message, code, step)
  }

  package init(_ error: any Error) {
    if let stored = error as? StoredFailure {
      self = stored
    } else if let error = error as? FlowError {
      let causes = error.underlyingErrors.map { "\($0)" }.joined(separator: "; ")
      self.init(
        type: "FlowError", message: Self.cut(error.message + (causes.isEmpty ? "" : " (\(causes))")),
        code: error.code.description,
        step: error.step)
    } else {
      self.init(type: "\(Swift.type(of: error))", message: Self.cut("\(error)"))
    }
  }

  /// Cuts the message, because a flow stores an error for each `backUp` that threw, and together they must stay small.
  private static func cut(_ message: String) -> String {
    let limit = 1 << 10
    return message.utf8.count > limit ? message.prefix(bytes: limit - "…".utf8.count) + "…" : message
  }

  /// The original error if it was a ``FlowError`` of a known code, else this one.
  package func error(in flow: FlowID) -> any Error {
    guard let code = code.flatMap(FlowError.Code.init) else { return self }
    return FlowError(code, message, flow: flow, step: step)
  }

  package var description: String { message }
}
