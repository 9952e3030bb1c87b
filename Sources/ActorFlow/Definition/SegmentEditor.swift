/// Edits a definition at one step. The step is found by counting, because the compiler numbers steps and forks in the
/// order of the definition.
struct SegmentEditor {
  enum Edit {
    case before([Segment])
    case after([Segment])
    case replace([Segment])
    case remove
  }

  /// The number of steps and forks still to be passed.
  private var remaining: Int
  private let edit: Edit

  /// Returns the segments with the edit applied to the step of this number.
  static func apply(_ edit: Edit, to number: Int, in segments: [Segment]) -> [Segment] {
    var editor = SegmentEditor(remaining: number, edit: edit)
    return editor.edited(segments) ?? segments
  }

  private init(remaining: Int, edit: Edit) {
    self.remaining = remaining
    self.edit = edit
  }

  /// Returns the edited segments; `nil` if the step is not among them.
  private mutating func edited(_ segments: [Segment]) -> [Segment]? {
    for (index, segment) in segments.enumerated() {
      switch segment {
      case .step:
        if remaining == 0 { return changed(segments, at: index...index) }
        remaining -= 1
      case .hub where remaining == 0:
        // A component before a hub's menu goes before the hub.
        if case .before = edit { return changed(segments, at: index...index) }
      case .fork, .enterFinally: remaining -= 1
      default: break
      }
      for (number, part) in segment.parts.enumerated() {
        guard let part = edited(part) else { continue }
        var segments = segments
        segments[index] = segment.replacing(part: number, with: part)
        return segments
      }
    }
    return nil
  }

  private func changed(_ segments: [Segment], at place: ClosedRange<Int>) -> [Segment] {
    var segments = segments
    let own = Self.wrapped(place, in: segments)
    switch edit {
    case .before(let new): segments.insert(contentsOf: new, at: own.lowerBound)
    case .after(let new): segments.insert(contentsOf: new, at: own.upperBound + 1)
    case .replace(let new): segments.replaceSubrange(place, with: new)
    case .remove: segments.removeSubrange(own)
    }
    return segments
  }

  /// The range of the step with the policies and scopes that are around it alone.
  private static func wrapped(_ place: ClosedRange<Int>, in segments: [Segment]) -> ClosedRange<Int> {
    var (first, last) = (place.lowerBound, place.upperBound)
    while first > 0, last + 1 < segments.count {
      switch (segments[first - 1], segments[last + 1]) {
      case (.begin, .end), (.enter, .leave), (.enterFinally, .leaveFinally): (first, last) = (first - 1, last + 1)
      default: return first...last
      }
    }
    return first...last
  }
}
