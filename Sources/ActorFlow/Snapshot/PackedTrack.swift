package struct PackedTrack: Sendable, Equatable {
  package enum Phase: Sendable { case walking, leaving, compensating, ended }

  package var number: Int32 = 0
  package var branch: PackedBranch?
  package var phase = Phase.walking
  package var leave: PackedLeave?
  /// The oldest first.
  package var places: [PackedPlace] = []
  package var focus = PackedFocus()
  /// The visible visit on top, if it is not that of the newest place.
  package var visit: PackedVisit?
  package var hasAsked = false
  package var isSealed = false
  package var closedAt: Int32 = -1
  package var start: PackedStart?
  package var fork: PackedFork?
  package var question: PackedQuestion?
  package var waits: [PackedWait] = []

  package init() {}
}

package struct PackedBranch: Sendable, Equatable {
  package var parent: Int32
  package var number: Int
  package var path: StepID
  package var elements: [Int]

  package init(parent: Int32, number: Int, path: StepID, elements: [Int]) {
    (self.parent, self.number, self.path, self.elements) = (parent, number, path, elements)
  }
}

package struct PackedVisit: Sendable, Equatable {
  package var id: Int
  package var step: StepID
  package var isSkipped = false
  package var canBackUp = false

  package init(id: Int, step: StepID, isSkipped: Bool = false, canBackUp: Bool = false) {
    (self.id, self.step, self.isSkipped, self.canBackUp) = (id, step, isSkipped, canBackUp)
  }
}

package struct PackedPlace: Sendable, Equatable {
  package var visit: PackedVisit
  package var payload: Int
  package var backTarget: Int32
  package var isInner = false
  package var isClosed = false
  package var isFinished = false
  package var records: [PackedRecord] = []
  /// The states of a rendered step.
  package var tree: PackedTree?
  /// The update that the visit began with.
  package var update: PackedValue?

  /// Encodes a back target to which no back may lead any more. The value still says which place below had asked, for a
  /// place that is later entered on top of that one.
  package static func closing(_ target: Int32) -> Int32 { target >= 0 ? -2 - target : target }

  /// The depth of a back target, closed or not; -1 if there is none.
  package static func depth(of target: Int32) -> Int32 { target < -1 ? -2 - target : target }

  package init(
    visit: PackedVisit, payload: Int, backTarget: Int32, isInner: Bool = false, isClosed: Bool = false,
    isFinished: Bool = false, records: [PackedRecord] = [], tree: PackedTree? = nil, update: PackedValue? = nil
  ) {
    (self.visit, self.payload, self.backTarget) = (visit, payload, backTarget)
    (self.isInner, self.isClosed, self.isFinished) = (isInner, isClosed, isFinished)
    (self.records, self.tree, self.update) = (records, tree, update)
  }
}

package struct PackedFocus: Sendable, Equatable {
  package var isEntered = false
  package var hasAsked = false
  /// The largest number of questions and waits that the visit had open at once, if more than one.
  package var askersAtOnce = 0
  package var records: [PackedRecord] = []
  package var answers: [PackedAnswer] = []
  /// The update that the step received when the visit began.
  package var update: PackedValue?
  /// The states of a rendered step.
  package var tree: PackedTree?
  /// The keys of a name that the step's author chose under which child tasks have got answers. `nil` if it is not known
  /// which answers the step's own task has got.
  package var keysOfChildren: [JournalKey]? = []
  /// The latest call of the visit that set each label.
  package var labelCalls: [JournalKey] = []

  package init(
    isEntered: Bool = false, hasAsked: Bool = false, askersAtOnce: Int = 0, records: [PackedRecord] = [],
    answers: [PackedAnswer] = [], update: PackedValue? = nil, tree: PackedTree? = nil,
    keysOfChildren: [JournalKey]? = [], labelCalls: [JournalKey] = []
  ) {
    (self.isEntered, self.hasAsked, self.askersAtOnce, self.records, self.answers, self.update, self.tree) = (
      isEntered, hasAsked, askersAtOnce, records, answers, update, tree
    )
    (self.keysOfChildren, self.labelCalls) = (keysOfChildren, labelCalls)
  }
}

package struct PackedRecord: Sendable, Equatable {
  package var key: String
  package var type: String
  package var idempotencyKey: String
  /// The recorded value. If there is neither a value nor a failure, the work has begun and its outcome is not known.
  package var value: PackedValue?
  /// The failure of an `attempt`.
  package var failure: PackedAttemptFailure?

  package init(
    key: String, type: String, idempotencyKey: String, value: PackedValue? = nil, failure: PackedAttemptFailure? = nil
  ) {
    (self.key, self.type, self.idempotencyKey, self.value) = (key, type, idempotencyKey, value)
    self.failure = failure
  }
}

package struct PackedAttemptFailure: Sendable, Equatable {
  package var type: String
  package var message: String
  /// The error itself, if it is Codable.
  package var detail: PackedValue?
  /// Whether nothing has followed the failure, so that another attempt of the visit runs the work again.
  package var isLatest: Bool

  package init(type: String, message: String, detail: PackedValue? = nil, isLatest: Bool) {
    (self.type, self.message, self.detail, self.isLatest) = (type, message, detail, isLatest)
  }
}
