/// The values of a form or a query, by the names of its fields.
public struct FormValues: Sendable, Hashable {
  private var values: [String: [String]] = [:]

  /// The largest number of values that a form may have.
  static let maximumCount = 1_000

  init() {}

  init(_ pairs: [(name: String, value: String)]) {
    for (name, value) in pairs { values[name, default: []].append(value) }
  }

  /// Parses an `application/x-www-form-urlencoded` text; `nil` if it is malformed, or has too many values.
  init?(encoded text: String) {
    let pairs = text.split(separator: "&")
    guard pairs.count <= Self.maximumCount else { return nil }
    for pair in pairs {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentCoding.decoded(parts[0], plusIsSpace: true),
        let value = PercentCoding.decoded(parts.count > 1 ? parts[1] : "", plusIsSpace: true)
      else { return nil }
      values[name, default: []].append(value)
    }
  }

  /// The first value of a field; `nil` if the form has none of this name, or an empty one.
  public subscript(_ name: String) -> String? {
    guard let value = values[name]?.first, !value.isEmpty else { return nil }
    return value
  }

  /// The names of the fields.
  var names: [String] { Array(values.keys) }

  /// Returns whether the form has the field, even if it is empty.
  public func contains(_ name: String) -> Bool { values[name] != nil }

  /// Whether no field that has this name, or is a part of the one of this name, has a value.
  func isEmpty(below name: String) -> Bool {
    !values.contains { key, values in
      (key == name || key.hasPrefix(name + ".") || name.isEmpty) && values.contains { !$0.isEmpty }
    }
  }
}
