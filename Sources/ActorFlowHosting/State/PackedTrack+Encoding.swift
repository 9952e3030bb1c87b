import ActorFlow

// Tracks and their places.

extension PackedTrack: StoredPart {
  static var placeholder: Self { Self() }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&number)
    try coder.code(&branch)
    try coder.code(&phase)
    try coder.code(&leave)
    try coder.code(&places)
    try coder.code(&focus)
    try coder.code(&visit)
    try coder.code(&hasAsked)
    try coder.code(&isSealed)
    try coder.number(&closedAt, in: -1 ... .max, "depth")
    try coder.code(&start)
    try coder.code(&fork)
    try coder.code(&question)
    try coder.code(&waits)
  }
}

/// The number of a track.
extension Int32: StoredPart {
  static var placeholder: Int32 { 0 }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.number(&self, in: 0...(.max >> 1), "valid track number")
  }
}

extension ByteCoder {
  /// Codes a number of 32 bits. A reader refuses a number outside of the range.
  fileprivate mutating func number(
    _ number: inout Int32, in range: ClosedRange<Int32>, _ name: String
  ) throws(Failure) {
    var wide = Int(number)
    try int(&wide)
    number = Int32(clamping: wide)
    try check(wide == number && range ~= number, "\(wide) is not a \(name)")
  }
}

extension PackedTrack.Phase: StoredChoice {
  static let name = "phase of a track"
  static let placeholders: [Self] = [.walking, .leaving, .compensating, .ended]

  var tag: UInt8 {
    switch self {
    case .walking: 1
    case .leaving: 2
    case .compensating: 3
    case .ended: 4
    }
  }
}

extension PackedBranch: StoredPart {
  static var placeholder: Self { Self(parent: 0, number: 0, path: "", elements: []) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&parent)
    try coder.code(&number)
    try coder.code(&path)
    try coder.code(&elements)
  }
}

extension PackedVisit: StoredPart {
  static var placeholder: Self { Self(id: 0, step: "") }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&id)
    try coder.code(&step)
    try coder.code(&isSkipped)
    try coder.code(&canBackUp)
  }
}

extension PackedPlace: StoredPart {
  static var placeholder: Self { Self(visit: .placeholder, payload: 0, backTarget: -1) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&visit)
    try coder.code(&payload)
    // A depth, -1 for none, or a closed target.
    try coder.number(&backTarget, in: .min + 2 ... .max, "depth")
    try coder.code(&isInner)
    try coder.code(&isClosed)
    try coder.code(&records)
    try coder.code(&tree)
    if coder.format >= 4 { try coder.code(&update) }
    if coder.format >= 5 { try coder.code(&isFinished) }
  }
}

extension PackedFocus: StoredPart {
  static var placeholder: Self { Self() }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&isEntered)
    try coder.code(&hasAsked)
    try coder.code(&askersAtOnce)
    try coder.code(&records)
    try coder.code(&answers)
    try coder.code(&update)
    try coder.code(&tree)
    if coder.format >= 6 {
      try coder.code(&keysOfChildren)
      try coder.code(&labelCalls)
    } else {
      keysOfChildren = answers.isEmpty ? [] : nil
    }
  }
}

extension PackedRecord: StoredPart {
  static var placeholder: Self { Self(key: "", type: "", idempotencyKey: "") }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&key)
    try coder.code(&type)
    try coder.code(&idempotencyKey)
    try coder.code(&value)
    if coder.format >= 6 { try coder.code(&failure) }
  }
}

extension PackedAttemptFailure: StoredPart {
  static var placeholder: Self { Self(type: "", message: "", isLatest: false) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&type)
    try coder.code(&message)
    try coder.code(&detail)
    try coder.code(&isLatest)
  }
}

// MARK: - Rendered steps

extension PackedTree: StoredPart {
  static var placeholder: Self { Self() }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&nodes)
    let orphan = nodes.indices.first { index in
      index == 0 ? nodes[index].parent != nil : !(0..<index ~= nodes[index].parent ?? -1)
    }
    try coder.check(orphan == nil, "node \(orphan ?? 0) of a rendered step has no parent before it")
  }
}

extension PackedTree.Node: StoredPart {
  static var placeholder: Self { Self(parent: nil, type: "", key: nil, state: .placeholder) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&parent)
    try coder.code(&type)
    try coder.code(&key)
    try coder.code(&state)
  }
}
