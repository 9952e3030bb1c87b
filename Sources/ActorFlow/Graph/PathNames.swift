/// Makes paths out of names: equal siblings get `#2`, `#3`….
package struct PathNames {
  private var prefixes: [[String]] = [[""]]
  private var taken: Set<[String]> = []
  /// How often a path was asked for, so that the thousandth equal sibling need not try `#2` to `#999` again.
  private var count: [[String]: Int] = [:]
  /// The paths that more than one was to have, each once.
  private(set) var repeated: [[String]] = []

  package init() {}

  /// The path of something called `name`, as the parts between the numbers of elements.
  ///
  /// - Parameter isGiven: Whether somebody gave it the name; else it is called after its kind.
  package mutating func path(of name: String, isGiven: Bool = true) -> [String] {
    let (path, number) = next(name)
    let wanted = wanted(name)
    count[wanted] = number
    taken.insert(path)
    if number > 1, isGiven, !repeated.contains(wanted) { repeated.append(wanted) }
    return path
  }

  /// The path that something called `name` will get.
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

  /// What follows stands below `name`.
  @discardableResult
  package mutating func open(_ name: String) -> [String] {
    let path = path(of: name)
    push(path)
    return path
  }

  /// What follows stands below something that has a path already.
  package mutating func push(_ path: [String]) {
    var prefix = path
    prefix[prefix.count - 1] += "/"
    prefixes.append(prefix)
  }

  /// What follows stands below the number of an element.
  ///
  /// - Returns: The element's own path.
  mutating func openElement() -> [String] {
    let path = prefixes[prefixes.count - 1] + [""]
    prefixes.append(prefixes[prefixes.count - 1] + ["/"])
    return path
  }

  package mutating func close() { prefixes.removeLast() }
}
