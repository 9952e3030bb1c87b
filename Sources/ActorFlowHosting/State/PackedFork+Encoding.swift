import ActorFlow

// The work under way on a track: a fork, a leave, a start.

extension PackedFork: StoredPart {
  static var placeholder: Self { Self(tracks: []) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&tracks)
    try coder.code(&results)
    try coder.code(&failure)
    try coder.code(&failures)
    try coder.code(&judged)
    try coder.code(&isDecided)
  }
}

extension PackedResult: StoredPart {
  static var placeholder: Self { Self(branch: 0, value: .placeholder) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&branch)
    try coder.code(&value)
  }
}

extension PackedUndoFailure: StoredPart {
  static var placeholder: Self { Self(error: .placeholder) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&error)
    try coder.code(&place)
  }
}

// MARK: - Leaves

extension PackedLeave: StoredPart {
  static var placeholder: Self { Self(goal: .placeholder, number: 0, since: .zero) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&goal)
    try coder.code(&number)
    try coder.code(&visit)
    try coder.code(&since)
    try coder.code(&failures)
    try coder.code(&isAnnounced)
  }
}

extension PackedLeave.Goal: StoredChoice {
  static let name = "goal of a leave"
  static let placeholders: [Self] = [
    .back(to: 0, update: nil), .end(.finished, rollBack: false), .unwind(frame: 0, .placeholder, isTimeout: false),
    .dropSuperseded(payload: 0), .supersede,
  ]

  var tag: UInt8 {
    switch self {
    case .back: 1
    case .end: 2
    case .unwind: 3
    case .dropSuperseded: 4
    case .supersede: 5
    }
  }

  mutating func codeFields<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    switch self {
    case .back(let depth, let update): self = .back(to: try coder.coded(depth), update: try coder.coded(update))
    case .end(let ending, let rollBack): self = .end(try coder.coded(ending), rollBack: try coder.coded(rollBack))
    case .unwind(let frame, let fault, let isTimeout):
      self = .unwind(frame: try coder.coded(frame), try coder.coded(fault), isTimeout: try coder.coded(isTimeout))
    case .dropSuperseded(let payload): self = .dropSuperseded(payload: try coder.coded(payload))
    case .supersede: break
    }
  }
}

// MARK: - Starts

extension PackedStart: StoredPart {
  static var placeholder: Self { Self(kind: .top) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&kind)
    try coder.code(&pause)
    try coder.code(&update)
  }
}

extension PackedStart.Kind: StoredChoice {
  static let name = "beginning of a walk"
  static let placeholders: [Self] = [
    .at(.beginning, payload: 0), .top, .recovery(.placeholder, frame: 0), .failure(.placeholder, frame: nil),
    .anew(payload: 0),
  ]

  var tag: UInt8 {
    switch self {
    case .at: 1
    case .top: 2
    case .recovery: 3
    case .failure: 4
    case .anew: 5
    }
  }

  mutating func codeFields<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    switch self {
    case .anew(let payload): self = .anew(payload: try coder.coded(payload))
    case .at(let address, let payload): self = .at(try coder.coded(address), payload: try coder.coded(payload))
    case .top: break
    case .recovery(let fault, let frame): self = .recovery(try coder.coded(fault), frame: try coder.coded(frame))
    case .failure(let fault, let frame): self = .failure(try coder.coded(fault), frame: try coder.coded(frame))
    }
  }
}

extension PackedStart.Address: StoredChoice {
  static let name = "address"
  static let placeholders: [Self] = [.beginning, .scope, .behind(""), .past(.placeholder)]

  var tag: UInt8 {
    switch self {
    case .beginning: 1
    case .scope: 2
    case .behind: 3
    case .past: 4
    }
  }

  mutating func codeFields<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    switch self {
    case .beginning, .scope: break
    case .behind(let step): self = .behind(try coder.coded(step))
    case .past(let scope): self = .past(try coder.coded(scope))
    }
  }
}
