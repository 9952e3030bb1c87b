extension FlowDocument {
  /// Limits on the size of a document, which is checked before memory is spent on it.
  public struct Limits: Sendable, Hashable {
    /// The largest number of bytes of text that are read.
    public var bytes: Int
    /// The largest number of values: each object, array, string, number, boolean and null counts.
    public var nodes: Int
    /// The largest number of levels of arrays and objects. More than 128 counts as 128, because reading recurses.
    public var depth: Int {
      didSet { depth = Self.bounded(depth) }
    }
    /// The number of mistakes that are reported one by one; further ones are only counted.
    public var mistakes: Int

    /// Creates limits of your own.
    public init(bytes: Int = 1 << 20, nodes: Int = 10_000, depth: Int = 64, mistakes: Int = 1_000) {
      self.bytes = bytes
      self.nodes = nodes
      self.depth = Self.bounded(depth)
      self.mistakes = mistakes
    }

    /// The default limits: 1 MiB, 10,000 values, 64 levels, 1,000 mistakes.
    public static let `default` = Limits()

    /// The depth at which recursion is still safe on the smallest stack of a thread.
    static let deepest = 128

    private static func bounded(_ depth: Int) -> Int { min(depth, deepest) }
  }
}
