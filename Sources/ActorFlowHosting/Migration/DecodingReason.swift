/// The reason why a stored value cannot be read, without any part of the value.
///
/// The descriptions of decoding errors may quote the value, and keys of dictionaries are values as well. Reports and
/// histories must have neither.
struct DecodingReason: CustomStringConvertible {
  let description: String

  init(_ error: any Error) {
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      description = "\(Self.name(of: key)) is missing\(Self.place(context))"
    case DecodingError.valueNotFound(let type, let context): description = "no \(type) is there\(Self.place(context))"
    case DecodingError.typeMismatch(let type, let context): description = "there is no \(type)\(Self.place(context))"
    case DecodingError.dataCorrupted(let context): description = "the data is not valid\(Self.place(context))"
    default: description = "\(type(of: error))"
    }
  }

  private static func place(_ context: DecodingError.Context) -> String {
    guard !context.codingPath.isEmpty else { return "" }
    return " at " + context.codingPath.map { name(of: $0) }.joined(separator: ".")
  }

  /// Returns the name of a key that a type declares as a case; `*` for every other key.
  private static func name(of key: any CodingKey) -> String {
    let isDeclared = Mirror(reflecting: key).displayStyle == .enum && !"\(type(of: key))".hasPrefix("_")
    return isDeclared ? "\"\(key.stringValue)\"" : "*"
  }
}
