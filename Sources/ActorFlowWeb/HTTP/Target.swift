/// The target of a request: the segments of its path, and the values of its query.
struct Target: Sendable {
  let segments: [String]
  let query: FormValues

  /// The largest number of bytes of a target that is looked at.
  private static let maximumBytes = 8_192

  /// - Parameter prefix: The path under which the site stands.
  /// - Returns: `nil` if the target is not below the prefix, or is malformed.
  init?(_ target: String, below prefix: String) {
    guard target.utf8.count <= Self.maximumBytes, target.hasPrefix("/") else { return nil }
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var path = parts[0]
    guard path.hasPrefix(prefix) else { return nil }
    path = path.dropFirst(prefix.count)
    guard path.isEmpty || path.hasPrefix("/") else { return nil }
    var segments: [String] = []
    // Split before it is decoded, so that an id may have a slash.
    for segment in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let text = PercentCoding.decoded(segment), !text.unicodeScalars.contains(where: { $0.value < 0x20 }) else {
        return nil
      }
      segments.append(text)
    }
    if segments == [""] { segments = [] }
    self.segments = segments
    guard let query = FormValues(encoded: parts.count > 1 ? String(parts[1]) : "") else { return nil }
    self.query = query
  }
}
