extension FlowComponent {
  /// Says where a back may lead, for every step of the component that does not say so itself.
  public func onBackUp(_ policy: BackUpPolicy) -> Flow<Input, Output> {
    Flow(segments: [.begin(.backUp(policy))] + flow.segments + [.end])
  }

  /// Says what happens when a step of the component fails, unless a component inside says so itself.
  ///
  /// A step fails if it throws and nothing around it handles the error, and also if the time of a
  /// ``FlowComponent/timeout(_:)`` around it is over.
  ///
  /// A run in memory always rolls back; ``FailurePolicy/park`` has a meaning for hosted flows.
  public func onFailure(_ policy: FailurePolicy) -> Flow<Input, Output> {
    Flow(segments: [.begin(.failure(policy))] + flow.segments + [.end])
  }

  /// Says how the steps of the component are to be shown, unless a component inside says so itself.
  ///
  /// Visits carry the token as ``Visit/presentation``; nothing else changes by it.
  public func presentation(_ presentation: Presentation) -> Flow<Input, Output> {
    Flow(segments: [.begin(.presentation(presentation))] + flow.segments + [.end])
  }

  /// Names the component: gives a single step or a named flow another name, and puts a part before the paths of
  /// anything else.
  public func named(_ name: String) -> Flow<Input, Output> {
    Flow(segments: flow.segments.renamed(name))
  }
}

extension [Segment] {
  /// The one name that stands around everything else becomes `name`; without such a one, `name` is put around.
  fileprivate func renamed(_ name: String) -> [Segment] {
    guard !name.isEmpty else { return self }
    var renamed = self
    if let only = theOnlyStep, case .step(_, let body) = self[only] {
      renamed[only] = .step(name: name, body)
    } else if let only = theOnlyStep, case .fork(let fork) = self[only] {
      renamed[only] = .fork(fork.named(name))
    } else if let outer = outermostOpen {
      renamed[outer] = .open(name: name)
    } else {
      renamed = [.open(name: name)] + self + [.close]
    }
    return renamed
  }

  /// What these segments are called by one name that stands around everything else, if there is one.
  package var onlyName: String? {
    if let only = theOnlyStep, case .step(let name, _) = self[only] { return name }
    return outerName
  }

  /// The name of a flow that stands around every step; scopes and policies may stand around it.
  var outerName: String? {
    guard let outer = outermostOpen, case .open(let name) = self[outer] else { return nil }
    return name
  }

  /// Where the only step or fork stands, if there is exactly one and no name around it.
  private var theOnlyStep: Int? {
    var found: Int?
    for (index, segment) in enumerated() {
      switch segment {
      case .open, .choice, .loop, .hub, .router: return nil
      case .step, .fork:
        if found != nil { return nil }
        found = index
      default: break
      }
    }
    return found
  }

  /// Where the name opens that has every step inside it.
  private var outermostOpen: Int? {
    var depth = 0
    var outer: Int?
    for (index, segment) in enumerated() {
      switch segment {
      case .open:
        if depth == 0 {
          if outer != nil { return nil }
          outer = index
        }
        depth += 1
      case .close: depth -= 1
      case .step, .choice, .loop, .hub, .router, .fork: if depth == 0 { return nil }
      default: break
      }
    }
    return outer
  }
}
