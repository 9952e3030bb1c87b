/// Builds paths from names; equal siblings get `#2`, `#3`….
package struct PathNames {
  private var prefixes: [[String]] = [[""]]
  private var taken: Set<[String]> = []
  /// The last number given to each path, so that the thousandth equal sibling need not try `#2` to `#999` again.
  private var count: [[String]: Int] = [:]
  /// The paths that the definition gives to more than one part, each listed once.
  private(set) var repeated: [[String]] = []

  package init() {}

  /// Returns a unique path for this name, split at the numbers of elements.
  ///
  /// - Parameter isGiven: Whether the definition gives the name; if not, the name is the kind of the part.
  package mutating func path(of name: String, isGiven: Bool = true) -> [String] {
    let (path, number) = next(name)
    let wanted = wanted(name)
    count[wanted] = number
    taken.insert(path)
    if number > 1, isGiven, !repeated.contains(wanted) { repeated.append(wanted) }
    return path
  }

  /// The path that the next part with this name will get.
  func peek(_ name: String) -> [String] { next(name).path }

  private func next(_ name: String) -> (path: [String], number: Int) {
    let wanted = wanted(name)
    var path = wanted
    var number = count[wanted, default: 0]
    repeat {
      number += 1
      if number > 1 { path[path.count - 1] = wanted[wanted.count - 1] + "#\(number)" }
    } while taken.contains(path)
    return (path, number)
  }

  private func wanted(_ name: String) -> [String] {
    var wanted = prefixes[prefixes.count - 1]
    wanted[wanted.count - 1] += name
    return wanted
  }

  /// Opens `name`: the parts that follow have paths below it.
  @discardableResult
  package mutating func open(_ name: String) -> [String] {
    let path = path(of: name)
    push(path)
    return path
  }

  /// Opens a path that exists already: the parts that follow have paths below it.
  package mutating func push(_ path: [String]) {
    var prefix = path
    prefix[prefix.count - 1] += "/"
    prefixes.append(prefix)
  }

  /// Opens an element: the parts that follow have paths below its number.
  ///
  /// - Returns: The element's own path.
  package mutating func openElement() -> [String] {
    let path = prefixes[prefixes.count - 1] + [""]
    prefixes.append(prefixes[prefixes.count - 1] + ["/"])
    return path
  }

  package mutating func close() { prefixes.removeLast() }
}
