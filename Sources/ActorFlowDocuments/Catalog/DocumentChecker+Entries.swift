import ActorFlow

// Checking recurses with the nesting of a document, and has to fit the smallest stack of a thread. In a debug build each
// variable of each branch takes room in the frame. So the functions that recurse are short: what makes messages, or
// looks into an entry's kind, is in functions of its own.
extension DocumentChecker {
  mutating func entry(
    _ entry: FlowDocument.Entry, _ value: inout Value, _ path: JSONPath, depth: Int,
    ending: (any Sendable.Type)? = nil
  ) -> [Segment] {
    guard isWithinLimits(path, depth) else {
      value.type = nil
      return []
    }
    if case .step = entry.kind { return component(entry, &value, path) }
    let arrived = value
    let step = open(entry)
    let segments = group(
      entry, &value, path, step, depth, ending: entry.isChangingItsOutput ? nil : ending)
    return close(segments, entry, arrived, &value, path, step)
  }

  private mutating func group(
    _ entry: FlowDocument.Entry, _ value: inout Value, _ path: JSONPath, _ step: StepID?, _ depth: Int,
    ending: (any Sendable.Type)?
  ) -> [Segment] {
    switch entry.kind {
    case .step: []
    case .flow: flow(entry, &value, path, depth, ending)
    case .switch: choice(entry, &value, path, step, depth, ending)
    case .loop: loop(entry, &value, path, step, depth)
    case .forEach: forEach(entry, &value, path, step, depth)
    case .parallel: parallel(entry, &value, path, step, depth)
    case .race: race(entry, &value, path, step, depth, ending)
    case .hub: hub(entry, &value, path, step, depth)
    case .typeRouter: typeRouter(entry, &value, path, step, depth, ending)
    }
  }

  private mutating func flow(
    _ entry: FlowDocument.Entry, _ value: inout Value, _ path: JSONPath, _ depth: Int, _ ending: (any Sendable.Type)?
  ) -> [Segment] {
    guard case .flow(let entries) = entry.kind else { return [] }
    return sequence(entries, &value, path["flow"], depth: depth + 1, ending: ending)
  }

  private mutating func isWithinLimits(_ path: JSONPath, _ depth: Int) -> Bool {
    if isHole(path) { return false }
    // In a text an entry takes two levels of nesting, so only a document that was built in code gets here.
    guard depth < FlowDocument.Limits.deepest / 2 else {
      add(.tooLarge, at: path, "entries are nested in more than \(depth) levels")
      return false
    }
    return true
  }

  /// Opens the part that an entry adds to the paths of its steps, and returns its path.
  private mutating func open(_ entry: FlowDocument.Entry) -> StepID? {
    (entry.name ?? entry.kind.standardName).map { StepID(joining: names.open($0)) }
  }

  private mutating func close(
    _ segments: [Segment], _ entry: FlowDocument.Entry, _ arrived: Value, _ value: inout Value, _ path: JSONPath,
    _ step: StepID?
  ) -> [Segment] {
    if step != nil { names.close() }
    return finish(segments, entry, arrived, &value, Vocabulary(), path, step)
  }

  /// Gives the segments of an entry its name, and puts around them what the other keys of the entry say.
  private mutating func finish(
    _ segments: [Segment], _ entry: FlowDocument.Entry, _ arrived: Value, _ value: inout Value, _ words: Vocabulary,
    _ path: JSONPath, _ step: StepID?
  ) -> [Segment] {
    var segments = segments
    // As `named(_:)` does, replace the one name around all segments, or put a part before their paths.
    if let name = entry.name { segments = Flow<Void, Void>(segments: segments).named(name).segments }
    segments = changeOutput(of: segments, entry, arrived, &value, path, step)
    return surround(segments, entry, value, words, path, step)
  }

  private mutating func component(
    _ entry: FlowDocument.Entry, _ value: inout Value, _ path: JSONPath
  ) -> [Segment] {
    guard case .step(let name, let options) = entry.kind else { return [] }
    let arrived = value
    let (segments, step, words) = component(name, options, entry.name, &value, path)
    return finish(segments, entry, arrived, &value, words, path, step)
  }

  private mutating func component(
    _ name: String, _ options: FlowDocument.Value?, _ alias: String?, _ value: inout Value, _ path: JSONPath
  ) -> (segments: [Segment], StepID?, Vocabulary) {
    let place = path["step"]
    guard let component = find(name, in: catalog.components, "component", at: place) else {
      value.type = nil
      return ([], nil, Vocabulary())
    }
    var (segments, problems): ([Segment]?, [OptionsDecoder.Problem]) = (nil, [])
    switch component.make {
    case .fixed(let fixed): segments = fixed
    case .options(let make):
      if !isHole(path["options"]) { (segments, problems) = make(options ?? .object([:])) }
    }
    let own = alias ?? segments?.onlyName ?? (segments == nil ? name : nil)
    let step = own.map { StepID(joining: names.path(of: $0)) }
    let front = fit(value, to: component.input, of: name.quoted, at: place, step: step)
    if case .fixed = component.make, options != nil {
      add(.badOptions, at: path["options"], "\(name.quoted) takes no options", step: step)
    }
    for problem in problems {
      // If there are no options at all, report the problem at the step.
      let base = options == nil ? place : path["options"]
      add(
        problem.code, at: problem.path.reduce(base) { $0.appending($1) }, problem.message, step: step,
        near: problem.near, known: problem.known, underlying: problem.underlying)
    }
    value = Value(type: component.output, maker: "the output of \(name.quoted)")
    return (front + (segments ?? []), step, component.vocabulary)
  }

  /// Puts the policies and scopes of an entry around its segments, from inside to outside.
  private mutating func surround(
    _ segments: [Segment], _ entry: FlowDocument.Entry, _ output: Value, _ words: Vocabulary, _ path: JSONPath,
    _ step: StepID?
  ) -> [Segment] {
    var result = segments
    if let word = entry.onBackUp {
      let known = words.backUpPolicies.merging(catalog.vocabulary.backUpPolicies) { first, _ in first }
        .merging(DocumentKeys.backUpPolicies) { first, _ in first }
      if let policy = find(word, in: known, "back-up policy", at: path["onBackUp"], step: step) {
        result = [.begin(.backUp(policy))] + result + [.end]
      }
    }
    if let policy = entry.onFailure { result = [.begin(.failure(policy))] + result + [.end] }
    if let word = entry.presentation {
      let known = words.presentations.merging(catalog.vocabulary.presentations) { first, _ in first }
        .merging(DocumentKeys.presentations) { first, _ in first }
      if let token = find(word, in: known, "presentation", at: path["presentation"], step: step) {
        result = [.begin(.presentation(token))] + result + [.end]
      }
    }
    if let kind = retry(entry.retry, path["retry"], step) { result = [.enter(kind)] + result + [.leave] }
    if let time = duration(entry.timeout, path["timeout"], step) {
      result = [.enter(.timeout(time))] + result + [.leave]
    }
    if let recover = recovery(entry.recover, output, path["recover"], step) {
      result = [.enter(.recover(recover))] + result + [.leave]
    }
    if let time = duration(entry.expiresAfterIdle, path["expiresAfterIdle"], step) {
      result = [.enter(.expiry(time))] + result + [.leave]
    }
    return result
  }

  // Values that were read are in range, but values that were built in code may not be.

  private mutating func retry(_ retry: FlowDocument.Retry?, _ path: JSONPath, _ step: StepID?) -> Scope.Kind? {
    guard let retry else { return nil }
    for (key, number, range) in [
      ("attempts", retry.attempts, DocumentKeys.attempts), ("factor", retry.factor ?? 1, DocumentKeys.factor),
    ] where !range.contains(number) {
      add(.badValue, at: path[key], "expected \(range.lowerBound) to \(range.upperBound), found \(number)", step: step)
      return nil
    }
    guard let pause = duration(retry.pause, path["pause"], step) else {
      return .retry(attempts: retry.attempts, .none)
    }
    let longest = duration(retry.longestPause, path["longestPause"], step) ?? .seconds(3_600)
    return .retry(
      attempts: retry.attempts, .exponential(from: pause, factor: retry.factor ?? 1, limit: longest))
  }

  private mutating func duration(_ seconds: Double?, _ path: JSONPath, _ step: StepID?) -> Duration? {
    guard let seconds else { return nil }
    if seconds > 0, seconds <= DocumentKeys.longestSeconds { return .seconds(seconds) }
    add(.badValue, at: path, "expected seconds, more than 0 and at most a hundred years", step: step)
    return nil
  }
}

extension FlowDocument.Kind {
  /// The name in paths of an entry without `as`; `nil` for a kind that adds no part to paths.
  fileprivate var standardName: String? {
    switch self {
    case .forEach: "each"
    case .parallel: "parallel"
    case .race: "race"
    case .step, .flow, .switch, .loop, .hub, .typeRouter: nil
    }
  }
}

extension StepID {
  init(joining parts: [String]) {
    self.init(parts.joined(separator: "*"))
  }
}
