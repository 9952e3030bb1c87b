package struct PackedAnswer: Sendable, Equatable {
  package enum Entry: Sendable, Equatable {
    /// The facts are those of an answer; a signal has none, and an earlier version stored none.
    case answered(PackedValue, AnswerFacts? = nil)
    /// `settledAt` is `nil` also in earlier formats; see ``JournalEntry/withdrawn(settledAt:isPresumed:)``.
    case withdrawn(settledAt: Int? = nil, isPresumed: Bool = false)
    case overdue

    var isWithdrawn: Bool {
      if case .withdrawn = self { true } else { false }
    }
  }

  package var key: JournalKey
  package var entry: Entry

  package init(key: JournalKey, entry: Entry) {
    (self.key, self.entry) = (key, entry)
  }
}

package struct PackedQuestion: Sendable, Equatable {
  package var number: Int
  package var token: RandomBits?
  package var revision: Int
  /// The question's key; `nil` for a rendering's question.
  package var key: JournalKey?
  package var prompt: PackedValue
  /// The prompt's name, unless the key has it; `nil` in earlier formats.
  package var promptName: String?
  /// Digests of the first prompt and of each update; empty if there was no update.
  package var updates: [UInt64] = []
  /// The people to whom an operator has assigned the question; `nil` for those of the prompt, and in earlier formats.
  package var assignees: [String]?

  package init(
    number: Int, token: RandomBits? = nil, revision: Int, key: JournalKey? = nil, prompt: PackedValue,
    promptName: String? = nil, updates: [UInt64] = [], assignees: [String]? = nil
  ) {
    (self.promptName, self.assignees) = (promptName, assignees)
    (self.number, self.token, self.revision, self.key, self.prompt, self.updates) = (
      number, token, revision, key, prompt, updates
    )
  }
}

package struct PackedWait: Sendable, Equatable {
  package var signal: String
  package var key: JournalKey
  package var number: Int
  package var type: String
  /// The question for which the same task waits; `nil` if there is none, or if an earlier format has dropped it.
  package var pairedQuestion: Int?

  package init(signal: String, key: JournalKey, number: Int, type: String, pairedQuestion: Int? = nil) {
    (self.signal, self.key, self.number, self.type) = (signal, key, number, type)
    self.pairedQuestion = pairedQuestion
  }
}

// MARK: - Buffered signals and timers

package struct PackedSignals: Sendable, Equatable {
  package struct Signal: Sendable, Equatable {
    package var name: String
    package var value: PackedValue

    package init(name: String, value: PackedValue) {
      (self.name, self.value) = (name, value)
    }
  }

  package struct Key: Sendable, Equatable {
    package var signal: String
    package var key: String

    package init(signal: String, key: String) {
      (self.signal, self.key) = (signal, key)
    }
  }

  /// The buffered signals, the oldest first.
  package var buffer: [Signal] = []
  package var keys: [Key] = []

  package init() {}
}

package struct PackedTimer: Sendable, Equatable {
  package enum Subject: Sendable, Equatable {
    case scope(frame: Int)
    case idle(frame: Int, after: Duration, pausedAt: Duration?)
    case question(Int)
    case reminder(question: Int, number: Int, every: Duration, of: Int)
    case wait(Int)
    case pause
  }

  package var due: Duration
  package var track: Int32
  package var subject: Subject

  package init(due: Duration, track: Int32, subject: Subject) {
    (self.due, self.track, self.subject) = (due, track, subject)
  }
}
