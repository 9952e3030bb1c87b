// Paths below a fork with a branch for each element, with known or unknown element numbers.
extension Node {
  /// The numbers of the elements in `id`, outermost first; empty if `id` has `*` for them, `nil` if it is no path of
  /// this node.
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
  /// The path made of these parts with the elements' numbers between them, and `*` for each unknown number.
  func path(at elements: [Int]) -> StepID {
    var path = self[0]
    for (index, part) in dropFirst().enumerated() {
      path += index < elements.count ? "\(elements[index])\(part)" : "*\(part)"
    }
    return StepID(path)
  }
}
