public import ActorFlow

/// All mistakes in a document, each with its place.
public struct FlowDocumentError: Error, Sendable {
  /// The mistakes in the order in which they were found, at least one.
  ///
  /// Mistakes of the text come first, then those of its parts, then names, types and options in the order of the flow.
  public let mistakes: [Mistake]

  /// The number of further mistakes, beyond the limit ``FlowDocument/Limits/mistakes``.
  public let omitted: Int

  /// A mistake in a document.
  public struct Mistake: Sendable {
    /// The kind of mistake.
    public let code: Code
    /// The place of the mistake as a JSONPath: `$.flow[2].options.limit`.
    public let path: String
    /// The line in the text, from 1; `nil` if the document was not read from a text by this module.
    public let line: Int?
    /// The column in the line, from 1, in Unicode scalars; `nil` exactly if ``line`` is.
    public let column: Int?
    /// The step, or the component around steps, that the mistake is about, if there is one.
    public let step: StepID?
    /// The mistake in a sentence; for types that do not fit, with the names of both types.
    public let message: String
    /// The known name nearest to an unknown one, if one is near.
    ///
    /// In a document with very many mistakes, only the first ones have a suggestion.
    public let suggestion: String?
    /// The error behind the mistake, which a registered closure or an `init(from:)` threw.
    public let underlying: (any Error)?
  }
}

extension FlowDocumentError: CustomStringConvertible {
  /// All mistakes, one on each line.
  public var description: String {
    let count = mistakes.count + omitted
    var text = "the document has \(counted(count, "mistake", "mistakes")):"
    for mistake in mistakes { text += "\n  \(mistake)" }
    if omitted > 0 { text += "\n  and \(omitted) more" }
    return text
  }
}

extension FlowDocumentError.Mistake: CustomStringConvertible {
  /// The place and the message.
  public var description: String {
    var text = ""
    if let line, let column { text += "line \(line), column \(column), " }
    text += path
    if let step { text += " (at \(step))" }
    text += ": \(message)"
    if let suggestion { text += "; did you mean '\(suggestion)'?" }
    return text
  }
}

extension FlowDocumentError.Mistake {
  /// The kind of a mistake. More kinds may be added; switch with a default.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Name: String, Sendable {
      case malformed, tooLarge, duplicateKey, unknownKey, missingKey, wrongKind, badValue
      case unknownName, typeMismatch, badRoute, badOptions
    }
    private let name: Name

    private init(_ name: Name) {
      self.name = name
    }

    /// The code's name.
    public var description: String { name.rawValue }

    /// The text is not JSON.
    public static let malformed = Code(.malformed)
    /// The document exceeds one of its ``FlowDocument/Limits``.
    public static let tooLarge = Code(.tooLarge)
    /// A key occurs twice in one object.
    public static let duplicateKey = Code(.duplicateKey)
    /// The format has no such key there.
    public static let unknownKey = Code(.unknownKey)
    /// A required key is missing.
    public static let missingKey = Code(.missingKey)
    /// A value has the wrong kind, such as a string where an array is expected.
    public static let wrongKind = Code(.wrongKind)
    /// A value has the right kind but is not valid there.
    public static let badValue = Code(.badValue)
    /// A name that neither the catalog nor the format knows.
    public static let unknownName = Code(.unknownName)
    /// Neighbours do not fit; the message names both types.
    public static let typeMismatch = Code(.typeMismatch)
    /// A `typeRouter` does not lead from its start to its end: a type that no entry takes, or that several take, or an
    /// entry or end that cannot be reached.
    public static let badRoute = Code(.badRoute)
    /// The options of a component cannot be decoded as its type, or were refused.
    public static let badOptions = Code(.badOptions)
  }
}
