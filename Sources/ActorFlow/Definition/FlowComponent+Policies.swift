extension FlowComponent {
  /// Sets where a back may lead, for every step of the component, unless a component inside sets it.
  public func onBackUp(_ policy: BackUpPolicy) -> Flow<Input, Output> {
    Flow(segments: [.begin(.backUp(policy))] + flow.segments + [.end])
  }

  /// Sets how the flow reacts when a step of the component fails, unless a component inside sets it.
  ///
  /// A step fails if it throws and nothing around it handles the error, or if the time of a
  /// ``FlowComponent/timeout(_:)`` around it is over.
  ///
  /// A run in memory always rolls back; ``FailurePolicy/suspend`` has an effect only in hosted flows.
  public func onFailure(_ policy: FailurePolicy) -> Flow<Input, Output> {
    Flow(segments: [.begin(.failure(policy))] + flow.segments + [.end])
  }

  /// Sets how the steps of the component are shown, unless a component inside sets it.
  ///
  /// Visits carry the token as ``Visit/presentation``. The token has no other effect.
  public func presentation(_ presentation: Presentation) -> Flow<Input, Output> {
    Flow(segments: [.begin(.presentation(presentation))] + flow.segments + [.end])
  }

  /// Makes the flow store the entry of each step of the component before the step's `proceed` is called.
  ///
  /// A hosted flow stores a move to the next step together with what follows it: a question, a wait, a `once`, the end,
  /// at the latest after 100 milliseconds. If the process dies before that, the step was never entered as far as the
  /// store tells, and no `backUp` is owed to it, although its `proceed` may have begun. A step with effects of its own,
  /// outside `once` and `attempt`, may need that `backUp`. This modifier costs a commit for each entry.
  ///
  /// In a run in memory it has no effect.
  public func durableEntry() -> Flow<Input, Output> {
    Flow(segments: [.begin(.durableEntry)] + flow.segments + [.end])
  }

  /// Names the component.
  ///
  /// The name replaces that of a single step, a single fork or a named flow. For any other component it becomes a part
  /// before the paths of the steps.
  public func named(_ name: String) -> Flow<Input, Output> {
    Flow(segments: flow.segments.renamed(name))
  }
}

extension [Segment] {
  /// The segments with `name` in place of the one name around everything else. Without such a name, `name` is added
  /// around the segments.
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

  /// The one name around everything else in the segments; `nil` if there is none.
  package var onlyName: String? {
    if let only = theOnlyStep, case .step(let name, _) = self[only] { return name }
    return outerName
  }

  /// The name of a flow around every step; scopes and policies may be around that flow.
  var outerName: String? {
    guard let outer = outermostOpen, case .open(let name) = self[outer] else { return nil }
    return name
  }

  /// The index of the only step or fork, if there is exactly one and no name is around it.
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

  /// The index at which the name around every step opens.
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
