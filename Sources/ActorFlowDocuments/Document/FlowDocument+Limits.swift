extension FlowDocument {
  /// How large a document may be. What is larger is refused before it is kept.
  public struct Limits: Sendable, Hashable {
    /// How many bytes of text are read.
    public var bytes: Int
    /// How many values a document may have: each object, array, string, number, boolean and null counts.
    public var nodes: Int
    /// How many levels arrays and objects may be nested in. More than 128 counts as 128: reading recurses.
    public var depth: Int {
      didSet { depth = Self.bounded(depth) }
    }
    /// How many mistakes are told one by one; the others are only counted.
    public var mistakes: Int

    /// Limits of your own.
    public init(bytes: Int = 1 << 20, nodes: Int = 10_000, depth: Int = 64, mistakes: Int = 1_000) {
      self.bytes = bytes
      self.nodes = nodes
      self.depth = Self.bounded(depth)
      self.mistakes = mistakes
    }

    /// 1 MiB, 10,000 values, 64 levels, 1,000 mistakes.
    public static let `default` = Limits()

    /// What recursion is safe with on the smallest stack that a thread gets.
    static let deepest = 128

    private static func bounded(_ depth: Int) -> Int { min(depth, deepest) }
  }
}
