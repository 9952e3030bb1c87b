// Paths below a fork with a branch for each element: what is known of the numbers, and what is not.
extension Node {
  /// The numbers of the elements in `id`, outermost first, if it is a path of this node; empty if it has `*` for them.
  func elements(in id: StepID) -> [Int]? {
    guard path.count > 1 else { return id == info.id ? [] : nil }
    if id == info.id { return [] }
    var rest = Substring(id.path).utf8
    var elements: [Int] = []
    for (index, part) in path.enumerated() {
      if index > 0 {
        let digits = rest.prefix { UInt8(ascii: "0") <= $0 && $0 <= UInt8(ascii: "9") }
        guard let number = Int(Substring(digits)) else { return nil }
        elements.append(number)
        rest = rest.dropFirst(digits.count)
      }
      guard rest.starts(with: part.utf8) else { return nil }
      rest = rest.dropFirst(part.utf8.count)
    }
    return rest.isEmpty ? elements : nil
  }
}

extension [String] {
  /// A path's parts with the numbers of the elements between them, and `*` where a number is not known.
  func path(at elements: [Int]) -> StepID {
    var path = self[0]
    for (index, part) in dropFirst().enumerated() {
      path += index < elements.count ? "\(elements[index])\(part)" : "*\(part)"
    }
    return StepID(path)
  }
}
