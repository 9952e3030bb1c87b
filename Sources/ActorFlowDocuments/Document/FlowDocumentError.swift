public import ActorFlow

/// Everything that is wrong with a document, each mistake with its place.
public struct FlowDocumentError: Error, Sendable {
  /// The mistakes in the order in which they were found: first those of the text, then those of its parts, then names,
  /// types and options in the order of the flow. There is at least one.
  public let mistakes: [Mistake]

  /// How many more there are than ``FlowDocument/Limits/mistakes`` allows to tell.
  public let omitted: Int

  /// One thing that is wrong.
  public struct Mistake: Sendable {
    /// What kind of mistake it is.
    public let code: Code
    /// Where it stands, as JSONPath writes it: `$.flow[2].options.limit`.
    public let path: String
    /// The line in the text, from 1; nil if the document was not read from a text by this module.
    public let line: Int?
    /// The column in the line, from 1, in Unicode scalars; nil exactly if ``line`` is.
    public let column: Int?
    /// The step, or the component around steps, that the mistake is about, where there is one.
    public let step: StepID?
    /// What is wrong, in a sentence: for types that do not fit with both types' names.
    public let message: String
    /// The known name nearest to the one that is not known, if one is near. A document with very many mistakes is told
    /// it for the first of them only.
    public let suggestion: String?
    /// The error behind it: what a registered closure or an `init(from:)` threw.
    public let underlying: (any Error)?
  }
}

extension FlowDocumentError: CustomStringConvertible {
  /// All mistakes, one a line.
  public var description: String {
    let count = mistakes.count + omitted
    var text = "the document has \(counted(count, "mistake", "mistakes")):"
    for mistake in mistakes { text += "\n  \(mistake)" }
    if omitted > 0 { text += "\n  and \(omitted) more" }
    return text
  }
}

extension FlowDocumentError.Mistake: CustomStringConvertible {
  /// The place and the sentence.
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
  /// What kind of mistake. New codes may be added; switch with a default.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Name: String, Sendable {
      case malformed, tooLarge, duplicateKey, unknownKey, missingKey, wrongKind, badValue
      case unknownName, typeMismatch, badOptions
    }
    private let name: Name

    private init(_ name: Name) {
      self.name = name
    }

    /// The code's name.
    public var description: String { name.rawValue }

    /// The text is no JSON.
    public static let malformed = Code(.malformed)
    /// A cap of ``FlowDocument/Limits`` was reached.
    public static let tooLarge = Code(.tooLarge)
    /// A key stands twice in one object.
    public static let duplicateKey = Code(.duplicateKey)
    /// The format knows no such key there.
    public static let unknownKey = Code(.unknownKey)
    /// A key that has to be there is not.
    public static let missingKey = Code(.missingKey)
    /// A string where an array is expected, and the like.
    public static let wrongKind = Code(.wrongKind)
    /// A value of the right kind that makes no sense there.
    public static let badValue = Code(.badValue)
    /// The catalog knows nothing of that name.
    public static let unknownName = Code(.unknownName)
    /// Neighbours do not fit; the message names both types.
    public static let typeMismatch = Code(.typeMismatch)
    /// The options of a component cannot be read as its type, or were refused.
    public static let badOptions = Code(.badOptions)
  }
}
