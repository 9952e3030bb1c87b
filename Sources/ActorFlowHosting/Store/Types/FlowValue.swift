/// A value of a flow that is stored apart from the flow's body: an input, an answer, a result, a state.
///
/// The body names a value by its number. In one flow a number always means the same bytes, and a number that is free
/// again is not reused. Values of different flows have nothing to do with each other.
public struct FlowValue: Sendable, Hashable {
  /// The number of the value, from 1; the values of a flow have different numbers.
  public var number: Int
  /// The bytes of the value, as the host's codec made them; opaque to stores.
  public var bytes: [UInt8]

  /// Creates a value of this number.
  public init(number: Int, bytes: [UInt8]) {
    (self.number, self.bytes) = (number, bytes)
  }
}

extension FlowSnapshot {
  /// The numbers of the values.
  package var valueNumbers: Set<Int> { Set(values.map(\.number)) }
}

extension FlowValue {
  /// The bytes that the value adds to a snapshot that is encoded with its values.
  var encodedCount: Int {
    var (length, count) = (bytes.count >> 7, bytes.count + 1)
    while length > 0 { (length, count) = (length >> 7, count + 1) }
    return count
  }
}
