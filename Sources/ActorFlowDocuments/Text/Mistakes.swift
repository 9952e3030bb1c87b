import ActorFlow

/// Collects mistakes up to a limit; further ones are only counted, so that a hostile document costs no more.
struct Mistakes {
  private(set) var all: [FlowDocumentError.Mistake] = []
  private var omitted = 0
  private let limit: Int
  /// The number of names that may still be compared in search of a suggestion.
  private var comparisons = 20_000

  init(limit: Int) {
    self.limit = max(1, limit)
  }

  var isEmpty: Bool { all.isEmpty }

  /// The number of mistakes, also of those that were only counted.
  var count: Int { all.count + omitted }

  /// Whether further mistakes are only counted.
  var isFull: Bool { all.count >= limit }

  /// - Parameter known: The names that are known there. The one nearest to `name` is suggested.
  mutating func add(
    _ code: FlowDocumentError.Mistake.Code, at path: JSONPath, _ message: String, _ place: TextPlace?,
    step: StepID? = nil, near name: String? = nil, known: some Collection<String> = [String](),
    underlying: (any Error)? = nil
  ) {
    guard !isFull else {
      omitted += 1
      return
    }
    var suggestion: String?
    if let name, comparisons > 0 {
      let names = known.prefix(comparisons)
      comparisons -= names.count
      suggestion = nearestName(to: name, in: names)
    }
    all.append(
      FlowDocumentError.Mistake(
        code: code, path: path.description, line: place?.line, column: place?.column, step: step, message: message,
        suggestion: suggestion, underlying: underlying))
  }

  /// The error with all mistakes; `nil` if there are none.
  var error: FlowDocumentError? { all.isEmpty ? nil : FlowDocumentError(mistakes: all, omitted: omitted) }
}

extension Mistakes {
  // Messages both for documents that were read and for documents that were built in code.
  static let noBranches = "at least one branch is needed"
  static let emptyLoop = "a loop needs at least one entry to repeat"
  static let emptyForEach = "a forEach needs at least one entry to run for each element"
  static let emptyRouter = "a typeRouter needs at least one entry to route to"
  static let longRouter = "a typeRouter has at most \(DocumentKeys.mostParts) entries"
  static let noInput =
    "the type that this entry takes is not known: begin it with a 'step', or register a component for it"
  static let noMenu =
    "the menu of a hub is a single step: name a component by 'step' here, and put what surrounds it around the hub"

  static func noCases(_ what: String) -> String { "\(what) needs at least one case" }
}

/// Returns a number of things in words, for a message: `1 branch`, `2 branches`.
func counted(_ count: Int, _ one: String, _ many: String) -> String { "\(count) \(count == 1 ? one : many)" }
