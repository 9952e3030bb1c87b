import ActorFlow

// The answers in journals, the open questions and waits, the buffered signals, and the timers.

extension PackedAnswer: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.part(key)
    writer.part(entry)
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    let key: JournalKey = try reader.part()
    self.init(key: key, entry: try reader.part())
  }
}

extension PackedAnswer.Entry: StatePart {
  func write(to writer: inout ByteWriter) {
    switch self {
    case .answered(let value):
      writer.byte(1)
      writer.part(value)
    case .withdrawn: writer.byte(2)
    case .overdue: writer.byte(3)
    }
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    switch try reader.byte() {
    case 1: self = .answered(try reader.part())
    case 2: self = .withdrawn
    case 3: self = .overdue
    case let code: throw reader.unknown("entry of a journal", code)
    }
  }
}

extension JournalKey: StatePart {
  func write(to writer: inout ByteWriter) {
    switch name {
    case .given(let name):
      writer.byte(1)
      writer.string(name)
    case .type(let name):
      writer.byte(2)
      writer.string(name)
    case .signal(let name):
      writer.byte(3)
      writer.string(name)
    }
    writer.int(number)
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    let name: Name =
      switch try reader.byte() {
      case 1: .given(try reader.string())
      case 2: .type(try reader.string())
      case 3: .signal(try reader.string())
      case let code: throw reader.unknown("key of a journal", code)
      }
    self.init(name: name, number: try reader.number())
  }
}

extension PackedQuestion: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.int(number)
    writer.optional(token)
    writer.int(revision)
    writer.optional(key)
    writer.part(prompt)
    writer.list(updates) { $0.fixed($1) }
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    let number = try reader.number()
    let token: RandomBits? = try reader.optional()
    let revision = try reader.number()
    let key: JournalKey? = try reader.optional()
    self.init(number: number, token: token, revision: revision, key: key, prompt: try reader.part())
    guard reader.format >= 2 else { return }
    updates = try reader.list { (reader) throws(FlowStoreError) in try reader.fixed() }
  }
}

extension RandomBits: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.fixed(high)
    writer.fixed(low)
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    let high = try reader.fixed(UInt64.self)
    self.init(high: high, low: try reader.fixed(UInt64.self))
  }
}

extension PackedWait: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.string(signal)
    writer.part(key)
    writer.int(number)
    writer.string(type)
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    let signal = try reader.string()
    let key: JournalKey = try reader.part()
    let number = try reader.number()
    self.init(signal: signal, key: key, number: number, type: try reader.string())
  }
}

// MARK: - Buffered signals and timers

extension PackedSignals: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.list(buffer) {
      $0.string($1.name)
      $0.part($1.value)
    }
    writer.list(keys) {
      $0.string($1.signal)
      $0.string($1.key)
    }
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    self.init()
    buffer = try reader.list { (reader) throws(FlowStoreError) in
      let name = try reader.string()
      return Signal(name: name, value: try reader.part())
    }
    keys = try reader.list { (reader) throws(FlowStoreError) in
      let signal = try reader.string()
      return Key(signal: signal, key: try reader.string())
    }
  }
}

extension PackedTimer: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.duration(due)
    writer.int(Int(track))
    writer.part(subject)
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    let due = try reader.duration()
    let track = try reader.track()
    self.init(due: due, track: track, subject: try reader.part())
  }
}

extension PackedTimer.Subject: StatePart {
  func write(to writer: inout ByteWriter) {
    switch self {
    case .scope(let frame):
      writer.byte(1)
      writer.int(frame)
    case .idle(let frame, let after, let pausedAt):
      writer.byte(pausedAt == nil ? 2 : 7)
      writer.int(frame)
      writer.duration(after)
      if let pausedAt { writer.duration(pausedAt) }
    case .question(let number):
      writer.byte(3)
      writer.int(number)
    case .reminder(let question, let number, let every, let most):
      writer.byte(4)
      writer.int(question)
      writer.int(number)
      writer.duration(every)
      writer.int(most)
    case .wait(let number):
      writer.byte(5)
      writer.int(number)
    case .pause: writer.byte(6)
    }
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    switch try reader.byte() {
    case 1: self = .scope(frame: try reader.number())
    case 2:
      let frame = try reader.number()
      self = .idle(frame: frame, after: try reader.duration(), pausedAt: nil)
    case 3: self = .question(try reader.number())
    case 4:
      let question = try reader.number()
      let number = try reader.number()
      let every = try reader.duration()
      self = .reminder(question: question, number: number, every: every, of: try reader.limit())
    case 5: self = .wait(try reader.number())
    case 6: self = .pause
    case 7 where reader.format >= 3:
      let frame = try reader.number()
      let after = try reader.duration()
      self = .idle(frame: frame, after: after, pausedAt: try reader.duration())
    case let code: throw reader.unknown("subject of a timer", code)
    }
  }
}
