public import ActorFlow

extension FlowDocument {
  /// A component of a flow, with the policies and scopes around it.
  ///
  /// The policies and scopes act from inside to outside in the order of the properties: ``isPassingThrough``, ``map``
  /// and ``carrying``, then the policies, then ``retry``, then ``timeout`` (over all attempts), then ``recover``, then
  /// ``expiresAfterIdle``. For another order, put the entry into a ``Kind/flow(_:)``.
  public struct Entry: Sendable, Hashable {
    /// The kind of component.
    public var kind: Kind
    /// The name in paths (`as`); `nil` for the component's own name.
    public var name: String?
    /// Whether the output of the component is dropped, and the value that reached it is passed on.
    public var isPassingThrough = false
    /// The transform in the catalog that changes the output before the next entry gets it.
    public var map: String?
    /// The join in the catalog of two values: the value that reached the entry, and its output.
    public var carrying: String?
    /// The policy that says where a back may lead: a case of `BackUpPolicy`, or a word of the catalog's ``Vocabulary``.
    public var onBackUp: String?
    /// The policy for a failure of one of the component's steps.
    public var onFailure: FailurePolicy?
    /// The presentation of its steps: `push`, `modal`, `replace`, `embed`, or a word of the catalog's ``Vocabulary``.
    public var presentation: String?
    /// The attempts of the component and the pauses between them.
    public var retry: Retry?
    /// The number of seconds after which the component fails.
    public var timeout: Double?
    /// The recovery in the catalog that replaces the output when the component fails, also by its time.
    public var recover: String?
    /// The number of seconds without an answer after which the flow is abandoned.
    public var expiresAfterIdle: Double?

    /// Creates an entry with no policies and scopes around it yet.
    public init(_ kind: Kind, as name: String? = nil) {
      self.kind = kind
      self.name = name
    }
  }

  /// The kind of an entry.
  @nonexhaustive public enum Kind: Sendable, Hashable {
    /// The component that is registered in the catalog under this name.
    case step(String, options: Value? = nil)
    /// Components one after the other.
    case flow([Entry])
    /// The first way whose case takes the value. A value that no case takes goes to `otherwise`, or else fails the
    /// flow.
    case `switch`([Way], otherwise: [Entry]? = nil)
    /// Components that repeat while the loop condition of this name in the catalog says so.
    case loop([Entry], while: String)
    /// Components for each element, all branches at the same time. The list of elements of this name in the catalog
    /// finds the elements. The results become an array, or the output of the tally of the name `until`.
    case forEach(String, do: [Entry], until: String? = nil)
    /// Branches that run at the same time. The join of this name in the catalog joins their results.
    case parallel([Entry], join: String)
    /// Branches that run at the same time; the first result wins.
    case race([Entry])
    /// A menu, which is a single step, and the ways that it opens and that return to it. A choice that no way takes
    /// goes to the case `done`, which finds the output of the hub, then to `otherwise`; or else it fails the flow.
    indirect case hub(Entry, [Way], otherwise: [Entry]? = nil, done: String)
    /// Components beside each other: the next one is the one that takes the type of the value. A value of the type
    /// `end` leaves; `nil` for the output of the document, of which the router must then be the last entry.
    case typeRouter([Entry], end: String? = nil)
  }

  /// A way of a ``Kind/switch(_:otherwise:)`` or a ``Kind/hub(_:_:otherwise:done:)``: a case and its components.
  public struct Way: Sendable, Hashable {
    /// The name of the case in the catalog.
    public var name: String
    /// The part that the way adds to the paths of its steps (`as`); `nil` for the name of the case.
    public var part: String?
    /// The components, one after the other.
    public var entries: [Entry]

    /// Creates a way.
    public init(_ name: String, as part: String? = nil, do entries: [Entry]) {
      self.name = name
      self.part = part
      self.entries = entries
    }
  }

  /// The number of attempts of a component, and the length of the pauses.
  public struct Retry: Sendable, Hashable {
    /// The number of all attempts together, 1 to 1,000.
    public var attempts: Int
    /// The seconds before the second attempt; `nil` for no pauses.
    public var pause: Double?
    /// The factor by which each pause is longer than the one before, 1 to 1,000; `nil` for equal pauses.
    public var factor: Int?
    /// The seconds that no pause exceeds; `nil` for an hour.
    public var longestPause: Double?

    /// Creates a retry with this many attempts and these pauses.
    public init(attempts: Int, pause: Double? = nil, factor: Int? = nil, longestPause: Double? = nil) {
      self.attempts = attempts
      self.pause = pause
      self.factor = factor
      self.longestPause = longestPause
    }
  }
}
