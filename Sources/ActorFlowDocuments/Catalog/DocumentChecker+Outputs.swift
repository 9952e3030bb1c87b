import ActorFlow

extension DocumentChecker {
  /// Lets the arrived value pass by the segments, transforms their output, and joins the arrived value with it.
  mutating func changeOutput(
    of segments: [Segment], _ entry: FlowDocument.Entry, _ arrived: Value, _ value: inout Value, _ path: JSONPath,
    _ step: StepID?
  ) -> [Segment] {
    var result = segments
    if entry.isPassingThrough {
      value = arrived
      if let type = arrived.type { result = [.carry] + result + [passing(type)] }
    }
    if isHole(path["passingThrough"]) { value.type = nil }
    result += map(entry.map, &value, path["map"], step)
    if let join = carrying(entry.carrying, arrived, &value, path["carrying"], step) {
      result = [.carry] + result + [.join(join)]
    }
    return result
  }

  private func passing<Arrived: Sendable>(_ type: Arrived.Type) -> Segment {
    .join { carried, _ in try StepBody.cast(carried, to: type) }
  }

  private mutating func map(
    _ name: String?, _ value: inout Value, _ path: JSONPath, _ step: StepID?
  ) -> [Segment] {
    guard let name else {
      if isHole(path) { value.type = nil }
      return []
    }
    guard let transform = find(name, in: catalog.transforms, "transform", at: path, step: step) else {
      value.type = nil
      return []
    }
    expect(value, transform.value, of: "the transform \(name.quoted)", at: path, step)
    value = Value(type: transform.result, maker: "the output of \(name.quoted)")
    return [.transform(transform.transform)]
  }

  private mutating func carrying(
    _ name: String?, _ arrived: Value, _ value: inout Value, _ path: JSONPath, _ step: StepID?
  ) -> Segment.Join? {
    guard let name else {
      if isHole(path) { value.type = nil }
      return nil
    }
    guard let junction = find(name, in: catalog.joins, "join", at: path, step: step) else {
      value.type = nil
      return nil
    }
    let output = value
    value = Value(type: junction.result, maker: "the output of \(name.quoted)")
    guard junction.values.count == 2 else {
      add(
        .typeMismatch, at: path,
        "\(name.quoted) joins \(counted(junction.values.count, "result", "results")), but 'carrying' needs a join of two: "
          + "of the value that reaches the entry, and of the entry's output", step: step)
      return nil
    }
    for (index, (expected, found)) in zip(junction.values, [arrived, output]).enumerated() {
      guard let type = found.type, type != expected else { continue }
      let place = index == 0 ? "before the entry" : "after it"
      add(
        .typeMismatch, at: path, "\(name.quoted) takes \(expected) \(place), but \(found.maker) is \(type)", step: step)
    }
    return { carried, value in try junction.join([carried, value]) }
  }

  /// Returns the closure for a recovery scope; `nil` if there is none or it is not known.
  mutating func recovery(
    _ name: String?, _ output: Value, _ path: JSONPath, _ step: StepID?
  ) -> (@Sendable (any Error) async throws -> any Sendable)? {
    guard let name, let recovery = find(name, in: catalog.recoveries, "recovery", at: path, step: step) else {
      return nil
    }
    if let type = output.type, type != recovery.result {
      add(
        .typeMismatch, at: path,
        "\(name.quoted) recovers with \(recovery.result), but \(output.maker) is \(type)", step: step)
    }
    return recovery.recover
  }
}

extension FlowDocument.Entry {
  /// Whether the output of the entry is another than that of its component.
  var isChangingItsOutput: Bool { isPassingThrough || map != nil || carrying != nil }
}
