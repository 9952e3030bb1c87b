import ActorFlow

// Large values are stored beside the body, so that a commit brings only those that are new.
extension HostedState {
  /// Reads the state of a snapshot.
  ///
  /// - Throws: ``FlowStoreError``, or the error of the codec.
  init(of snapshot: FlowSnapshot, with coding: FlowCoding = .plain) throws {
    let values = try snapshot.values.map { (stored: $0, plain: try coding.decode($0.bytes)) }
    try self.init(decoding: coding.decode(snapshot.body), values: values)
  }

  /// Writes the state into a snapshot: its body, values and format, and the time of the flow's start.
  ///
  /// - Parameter least: The number of bytes from which a value is stored apart; `nil` to have all values in the body.
  /// - Throws: The error of the codec. The state and the snapshot are unchanged then.
  mutating func write(to snapshot: inout FlowSnapshot, apart least: Int?, with coding: FlowCoding) throws {
    let (bytes, numbering) = encoded(format >= 7 ? least.map { self.values.numbering(from: $0) } : nil)
    var values = values
    if let numbering { try values.adopt(numbering, with: coding) } else { values.clear() }
    let body = try coding.encode(bytes)
    self.values = values
    (snapshot.body, snapshot.values, snapshot.format) = (body, values.stored, Int(format))
    snapshot.startedAt = startedAt
  }
}
