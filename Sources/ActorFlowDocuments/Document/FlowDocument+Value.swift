extension FlowDocument {
  /// A JSON value, in which options are written.
  ///
  /// A number without a fraction is the same whether or not it was written as an integer: `1` and `1.0` are equal.
  public enum Value: Sendable {
    /// The value null.
    case null
    /// True or false.
    case bool(Bool)
    /// A number without a fraction that fits into an `Int`.
    case integer(Int)
    /// Any other number.
    case number(Double)
    /// A string.
    case string(String)
    /// Values in order.
    case array([Value])
    /// Values under keys, without an order.
    case object([String: Value])
  }
}

extension FlowDocument.Value: Hashable {
  /// Whether both are the same JSON value.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.integer(let integer), .number(let number)), (.number(let number), .integer(let integer)):
      Int(exactly: number) == integer
    case (.string(let left), .string(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  /// Hashes the value. Equal numbers have equal hashes, however they are stored.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(Double(value))
    case .number(let value): hasher.combine(value)
    case .string(let value): hasher.combine(value)
    case .array(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    }
  }
}

extension FlowDocument.Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates a number.
  public init(integerLiteral value: Int) { self = .integer(value) }
  /// Creates a number.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// Creates a boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates an array.
  public init(arrayLiteral elements: FlowDocument.Value...) { self = .array(elements) }
  /// Creates an object; of equal keys the last one counts.
  public init(dictionaryLiteral elements: (String, FlowDocument.Value)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
  /// Creates a null.
  public init(nilLiteral: ()) { self = .null }
}

extension FlowDocument.Value: Codable {
  /// Reads any value, within the default limits.
  public init(from decoder: any Decoder) throws {
    self.init(try JSONNode(decoding: decoder, .default))
  }

  /// Writes the value as the JSON that it stands for.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let value): try value.encode(to: encoder)
    case .integer(let value): try value.encode(to: encoder)
    case .number(let value): try value.encode(to: encoder)
    case .string(let value): try value.encode(to: encoder)
    case .array(let value): try value.encode(to: encoder)
    case .object(let value): try value.encode(to: encoder)
    }
  }

  init(_ node: JSONNode) {
    self =
      switch node.value {
      case .null, .unreadable: .null
      case .bool(let value): .bool(value)
      case .integer(let value): .integer(value)
      case .number(let value): .number(value)
      case .string(let value): .string(value)
      case .array(let elements): .array(elements.map { Self($0) })
      case .object(let members):
        .object(Dictionary(members.map { ($0.key, Self($0.node)) }) { first, _ in first })
      }
  }
}
