public import ActorFlow

extension FlowDocument {
  /// One component of a flow: what it is, and what stands around it.
  ///
  /// What stands around it acts from inside to outside in the order of the properties: the policies, then ``retry``,
  /// then ``timeout`` (over all attempts), then ``expiresAfterIdle``. A ``Kind/flow(_:)`` around it gives another order.
  public struct Entry: Sendable, Hashable {
    /// What it is.
    public var kind: Kind
    /// What it is called in paths (`as`); nil: as the component itself says.
    public var name: String?
    /// Where a back may lead: a case of `BackUpPolicy`, or a word of the catalog's ``Vocabulary``.
    public var onBackUp: String?
    /// What happens when a step of it fails.
    public var onFailure: FailurePolicy?
    /// How its steps are shown: `push`, `modal`, `replace`, `embed`, or a word of the catalog's ``Vocabulary``.
    public var presentation: String?
    /// How often it is tried.
    public var retry: Retry?
    /// After how many seconds it fails.
    public var timeout: Double?
    /// After how many seconds without an answer the flow is abandoned.
    public var expiresAfterIdle: Double?

    /// A component, with nothing around it yet.
    public init(_ kind: Kind, as name: String? = nil) {
      self.kind = kind
      self.name = name
    }
  }

  /// What an entry is.
  @nonexhaustive public enum Kind: Sendable, Hashable {
    /// A component that the catalog knows by this name.
    case step(String, options: Value? = nil)
    /// Components one after the other.
    case flow([Entry])
    /// The first way whose case takes the value; a value that none takes goes `otherwise`, or fails.
    case `switch`([Way], otherwise: [Entry]? = nil)
    /// The components again and again, while what the catalog knows by the name says so.
    case loop([Entry], while: String)
    /// The branches at the same time, their results joined by what the catalog knows by the name.
    case parallel([Entry], join: String)
    /// The branches at the same time; the first result wins.
    case race([Entry])
  }

  /// One way of a ``Kind/switch(_:otherwise:)``.
  public struct Way: Sendable, Hashable {
    /// The case, by the name that the catalog knows it by.
    public var name: String
    /// The part it adds to the paths of its steps (`as`); nil: the name of the case.
    public var part: String?
    /// The components, one after the other.
    public var entries: [Entry]

    /// A way.
    public init(_ name: String, as part: String? = nil, do entries: [Entry]) {
      self.name = name
      self.part = part
      self.entries = entries
    }
  }

  /// How often a component is tried, and how long the pauses are.
  public struct Retry: Sendable, Hashable {
    /// How many attempts in all, 1 to 1,000.
    public var attempts: Int
    /// Seconds before the second attempt; nil: none.
    public var pause: Double?
    /// How many times as long each further pause is, 1 to 1,000; nil: as long.
    public var factor: Int?
    /// Seconds that no pause is longer than; nil: an hour.
    public var longestPause: Double?

    /// So many attempts, with pauses.
    public init(attempts: Int, pause: Double? = nil, factor: Int? = nil, longestPause: Double? = nil) {
      self.attempts = attempts
      self.pause = pause
      self.factor = factor
      self.longestPause = longestPause
    }
  }
}
