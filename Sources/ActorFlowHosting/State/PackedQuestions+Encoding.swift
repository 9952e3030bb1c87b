import ActorFlow

// The answers in journals, the open questions and waits, the buffered signals, and the timers.

extension PackedAnswer: StoredPart {
  static var placeholder: Self { Self(key: .placeholder, entry: .withdrawn()) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&key)
    try coder.code(&entry)
  }
}

extension PackedAnswer.Entry: StoredChoice {
  static let name = "entry of a journal"
  static let placeholders: [Self] = [.answered(.placeholder), .withdrawn(), .overdue]

  var tag: UInt8 {
    switch self {
    case .answered: 1
    case .withdrawn: 2
    case .overdue: 3
    }
  }

  mutating func codeFields<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    switch self {
    case .answered(var value, var facts):
      try coder.code(&value)
      if coder.format >= 6 { try coder.code(&facts) }
      self = .answered(value, facts)
    case .withdrawn(var call, var isPresumed):
      if coder.format >= 10 {
        try coder.code(&call)
        try coder.code(&isPresumed)
      }
      self = .withdrawn(settledAt: call, isPresumed: isPresumed)
    case .overdue: break
    }
  }
}

extension AnswerFacts: StoredPart {
  static var placeholder: Self { Self(by: nil, at: .zero, revision: 0, number: 0, token: nil) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&principal)
    try coder.code(&time)
    try coder.code(&revision)
    try coder.code(&number)
    try coder.code(&token)
  }
}

extension JournalKey: StoredPart {
  static var placeholder: Self { Self(name: .placeholder, number: 0) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    self = JournalKey(name: try coder.coded(name), number: try coder.coded(number))
  }
}

extension JournalKey.Name: StoredChoice {
  static let name = "key of a journal"
  static let placeholders: [Self] = [
    .given(""), .type(""), .signal(""), .type("", by: .step), .type("", by: .child), .signal("", by: .step),
    .signal("", by: .child), .label(""), .label("", by: .step), .label("", by: .child),
  ]

  var tag: UInt8 {
    switch self {
    case .given: 1
    case .type(_, nil): 2
    case .signal(_, nil): 3
    case .type(_, .step): 4
    case .type(_, .child): 5
    case .signal(_, .step): 6
    case .signal(_, .child): 7
    case .label(_, nil): 8
    case .label(_, .step): 9
    case .label(_, .child): 10
    }
  }

  mutating func codeFields<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    if tag > 3 { try coder.check(coder.format >= 6, Self.unknown(tag)) }
    switch self {
    case .given(let name): self = .given(try coder.coded(name))
    case .type(let name, let asker): self = .type(try coder.coded(name), by: asker)
    case .signal(let name, let asker): self = .signal(try coder.coded(name), by: asker)
    case .label(let name, let asker): self = .label(try coder.coded(name), by: asker)
    }
  }
}

extension PackedQuestion: StoredPart {
  static var placeholder: Self { Self(number: 0, revision: 0, prompt: .placeholder) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&number)
    try coder.code(&token)
    try coder.code(&revision)
    try coder.code(&key)
    try coder.code(&prompt)
    if coder.format >= 2 { try coder.code(&updates) }
    if coder.format >= 6 { try coder.code(&promptName) }
    if coder.format >= 8 { try coder.code(&assignees) }
  }
}

extension PackedWait: StoredPart {
  static var placeholder: Self { Self(signal: "", key: .placeholder, number: 0, type: "") }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&signal)
    try coder.code(&key)
    try coder.code(&number)
    try coder.code(&type)
    if coder.format >= 6 { try coder.code(&pairedQuestion) }
  }
}

// MARK: - Buffered signals

extension PackedSignals: StoredPart {
  static var placeholder: Self { Self() }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&buffer)
    try coder.code(&keys)
  }
}

extension PackedSignals.Signal: StoredPart {
  static var placeholder: Self { Self(name: "", value: .placeholder) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&name)
    try coder.code(&value)
  }
}

extension PackedSignals.Key: StoredPart {
  static var placeholder: Self { Self(signal: "", key: "") }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&signal)
    try coder.code(&key)
  }
}

// MARK: - Timers

extension PackedTimer: StoredPart {
  static var placeholder: Self { Self(due: .zero, track: 0, subject: .pause) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&due)
    try coder.code(&track)
    try coder.code(&subject)
  }
}

extension PackedTimer.Subject: StoredChoice {
  static let name = "subject of a timer"
  static let placeholders: [Self] = [
    .scope(frame: 0), .idle(frame: 0, after: .zero, pausedAt: nil), .question(0),
    .reminder(question: 0, number: 0, every: .zero, of: 0), .wait(0), .pause,
    .idle(frame: 0, after: .zero, pausedAt: .zero),
  ]

  var tag: UInt8 {
    switch self {
    case .scope: 1
    case .idle(_, _, let pausedAt): pausedAt == nil ? 2 : 7
    case .question: 3
    case .reminder: 4
    case .wait: 5
    case .pause: 6
    }
  }

  mutating func codeFields<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    switch self {
    case .scope(let frame): self = .scope(frame: try coder.coded(frame))
    case .idle(let frame, let after, nil):
      self = .idle(frame: try coder.coded(frame), after: try coder.coded(after), pausedAt: nil)
    case .idle(let frame, let after, let pausedAt?):
      try coder.check(coder.format >= 3, Self.unknown(tag))
      self = .idle(
        frame: try coder.coded(frame), after: try coder.coded(after), pausedAt: try coder.coded(pausedAt))
    case .question(let number): self = .question(try coder.coded(number))
    case .reminder(let question, let number, let every, let most):
      self = .reminder(
        question: try coder.coded(question), number: try coder.coded(number), every: try coder.coded(every),
        of: try coder.limit(most))
    case .wait(let number): self = .wait(try coder.coded(number))
    case .pause: break
    }
  }
}

extension ByteCoder {
  /// Codes a limit that a user set. A reader caps it, since earlier versions wrote any number.
  fileprivate mutating func limit(_ limit: Int) throws(Failure) -> Int {
    var limit = limit
    try int(&limit)
    return min(limit, .max >> 1)
  }
}
