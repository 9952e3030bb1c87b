/// The representation that a client wants.
enum Representation: Sendable {
  case html, json

  /// - Parameters:
  ///   - accept: The `Accept` header.
  ///   - contentType: The type of the request's body, which decides if the header does not.
  init(accepting accept: String?, contentType: String?) {
    let json = max(
      QualityList.quality(of: "application/json", in: accept ?? ""),
      QualityList.quality(of: "application/problem+json", in: accept ?? ""))
    let html = QualityList.quality(of: "text/html", in: accept ?? "")
    if json == html {
      self = contentType == "application/json" ? .json : .html
    } else {
      self = json > html ? .json : .html
    }
  }
}

/// A header that lists values with their qualities, such as `Accept`.
enum QualityList {
  /// Returns the items in the order of their qualities.
  static func items(_ header: String) -> [(name: String, quality: Double)] {
    var items: [(name: String, quality: Double)] = []
    for item in header.split(separator: ",").prefix(64) {
      let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
      guard let name = parts.first else { continue }
      let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
      items.append((name, quality.isFinite ? min(max(quality, 0), 1) : 0))
    }
    // Sorted by quality; equal ones stay in order.
    return items.enumerated().sorted { ($1.element.quality, $0.offset) < ($0.element.quality, $1.offset) }.map(
      \.element)
  }

  /// Returns the quality of a media type; the most specific item that matches decides.
  static func quality(of type: String, in header: String) -> Double {
    let items = items(header)
    let family = type.split(separator: "/").first.map { "\($0)/*" } ?? ""
    for pattern in [type, family, "*/*"] {
      if let found = items.first(where: { $0.name == pattern }) { return found.quality }
    }
    return 0
  }
}
