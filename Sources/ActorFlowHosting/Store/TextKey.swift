import ActorFlow

// Labels and definitions are dictionaries in the interface of stores. Their texts are compared by bytes all the same.

extension [String: String] {
  /// Whether the labels have a key of these bytes, with a value of these bytes.
  func has(_ label: FlowQuery.Label) -> Bool {
    guard let index = index(forKey: label.key) else { return false }
    return self[index].key.hasBytes(of: label.key) && self[index].value.hasBytes(of: label.value)
  }
}

extension [String: ClosedRange<Int>] {
  /// Whether a host that serves these definitions runs this version of a definition.
  func includes(_ definition: String, _ version: Int) -> Bool {
    guard let index = index(forKey: definition) else { return false }
    return self[index].key.hasBytes(of: definition) && self[index].value.contains(version)
  }
}
