import Synchronization

/// The name of a flow: of one coordinator and all its runs.
///
/// Choose an id of your own (`FlowID("order-17")`) or let ``unique()`` make one. Ids are compared byte by
/// byte, and are encoded as a single string. A host starts no flow whose id contains U+0000 or has more than 512 UTF-8
/// bytes.
public struct FlowID: Hashable, Sendable {
  private enum Storage: Hashable, Sendable {
    case text(String)
    case unique(process: UInt64, count: UInt64)

    // Strings are equal if their characters are. Two ids with other bytes are two rows in a database.
    static func == (left: Storage, right: Storage) -> Bool {
      switch (left, right) {
      case (.text(let left), .text(let right)): left.hasBytes(of: right)
      case (.unique(let process, let count), .unique(let other, let number)): process == other && count == number
      default: false
      }
    }

    func hash(into hasher: inout Hasher) {
      switch self {
      case .text(let text):
        text.hashBytes(into: &hasher)
      case .unique(let process, let count):
        hasher.combine(process)
        hasher.combine(count)
      }
    }
  }
  private let storage: Storage

  /// Creates an id from a text of your own, for example an order number.
  public init(_ text: String) {
    self.init(parsing: text)
  }

  private init(_ storage: Storage) {
    self.storage = storage
  }

  /// Returns a new id that no other call has returned: 64 random bits drawn once per process, and a counter.
  ///
  /// The id is unique but not secret: from one id the next can be guessed.
  public static func unique() -> FlowID {
    FlowID(.unique(process: processBits, count: counter.wrappingAdd(1, ordering: .relaxed).newValue))
  }

  private static let counter = Atomic<UInt64>(0)
  private static let processBits = UInt64.random(in: 1...UInt64.max)

  /// Parses the ``description`` of a unique id, so that both forms of one id are equal.
  private init(parsing text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    if parts.count == 3, parts[0] == "flow",
      let process = UInt64(parts[1], radix: 36), let count = UInt64(parts[2]),
      FlowID(.unique(process: process, count: count)).description == text
    {
      storage = .unique(process: process, count: count)
    } else {
      storage = .text(text)
    }
  }
}

extension FlowID: CustomStringConvertible, ExpressibleByStringInterpolation, Codable {
  /// The id as text.
  public var description: String {
    switch storage {
    case .text(let text): text
    case .unique(let process, let count): "flow-\(String(process, radix: 36))-\(count)"
    }
  }

  /// Creates an id from a literal, which may have interpolations: `"order-\(number)"`.
  public init(stringLiteral value: String) {
    self.init(value)
  }

  /// Reads the id from a single string.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the id as a single string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
