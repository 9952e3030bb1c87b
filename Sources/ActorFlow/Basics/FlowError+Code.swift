extension FlowError {
  /// The kind of an error. New codes may be added, so switch with a default.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    enum Name: String, Sendable, CaseIterable {
      case notRunning, alreadyRunning, flowEnded, ending, moving, insideFlow, notInFlow
      case cannotBackUp, rollbackFailed, abandoned, stepFailed
      case noSuchQuestion, questionClosed, ambiguousQuestion, wrongAnswerType, staleRevision, principalNeeded
      case notActive, alreadyAsking, wrongPromptType, duplicateKey, wrongRecordType, typeMismatch
      case noMatchingCase, ambiguousBackUp, timedOut, noSuchStep, signalsFull, badDefinition
      case notStorable, noSuchFlow, alreadyStarted, suspended, unmigrated, keyReused, tooLarge, badOptions
      case hostStopping, notSuspended, stepsStillRunning, noDecision, wrongDeployment
      case ambiguousStep, erased, redacted, notEnded, compensationOwed, inTransaction
    }
    let name: Name

    init(_ name: Name) {
      self.name = name
    }

    /// Creates the code of this name; `nil` if there is none.
    package init?(_ name: String) {
      guard let name = Name(rawValue: name) else { return nil }
      self.init(name)
    }

    /// The code's name.
    public var description: String { name.rawValue }

    /// No run has begun on this coordinator yet.
    public static let notRunning = Code(.notRunning)
    /// A run is under way on this coordinator; a coordinator runs one flow at a time.
    public static let alreadyRunning = Code(.alreadyRunning)
    /// The run has ended.
    public static let flowEnded = Code(.flowEnded)
    /// The flow is being abandoned, cancelled or rolled back after a failure.
    public static let ending = Code(.ending)
    /// The flow is already backing up.
    public static let moving = Code(.moving)
    /// A step of the flow made a request of its own coordinator that waits for that same step.
    public static let insideFlow = Code(.insideFlow)
    /// The step is used outside any flow.
    public static let notInFlow = Code(.notInFlow)
    /// There is no place to back up to.
    public static let cannotBackUp = Code(.cannotBackUp)
    /// The flow moved or ended as asked, but at least one step's `backUp` threw.
    public static let rollbackFailed = Code(.rollbackFailed)
    /// The flow was abandoned; the message is the reason.
    public static let abandoned = Code(.abandoned)
    /// A step threw a `CancellationError` although it was not cancelled.
    public static let stepFailed = Code(.stepFailed)
    /// The flow never asked such a question.
    public static let noSuchQuestion = Code(.noSuchQuestion)
    /// The question was answered or withdrawn, its time was over, or its step was left; or the action that answered a
    /// rendering made its step fail.
    public static let questionClosed = Code(.questionClosed)
    /// Several open questions match; name one by its id.
    public static let ambiguousQuestion = Code(.ambiguousQuestion)
    /// The answer is not of the type the prompt asks for.
    public static let wrongAnswerType = Code(.wrongAnswerType)
    /// The prompt changed since the answerer saw it.
    public static let staleRevision = Code(.staleRevision)
    /// The prompt's `authorize` needs a known principal, and the answer came without one.
    public static let principalNeeded = Code(.principalNeeded)
    /// The visit has ended, or has no open question to update.
    public static let notActive = Code(.notActive)
    /// The visit already has an open question.
    public static let alreadyAsking = Code(.alreadyAsking)
    /// The new prompt is of another type than the one the open question shows.
    public static let wrongPromptType = Code(.wrongPromptType)
    /// The visit already has an answer under this key; or one render used it for two effects, or for two children of
    /// one type.
    public static let duplicateKey = Code(.duplicateKey)
    /// A record of this key holds a value of another type.
    public static let wrongRecordType = Code(.wrongRecordType)
    /// A value does not have the type that its place in the flow declares.
    public static let typeMismatch = Code(.typeMismatch)
    /// No case of a `Switch`, no branch of a `ForEach` or no route takes the value.
    public static let noMatchingCase = Code(.noMatchingCase)
    /// Several branches could back up; name one by its question or by a step.
    public static let ambiguousBackUp = Code(.ambiguousBackUp)
    /// Several branches are at a step of this name; give the whole path.
    public static let ambiguousStep = Code(.ambiguousStep)
    /// A part of the flow did not end within its `.timeout`.
    public static let timedOut = Code(.timedOut)
    /// The flow has no such step, or the step cannot be used in this way.
    public static let noSuchStep = Code(.noSuchStep)
    /// The flow has no room to buffer another signal.
    public static let signalsFull = Code(.signalsFull)
    /// A definition built at run time does not fit together; the message lists every mistake with its place.
    public static let badDefinition = Code(.badDefinition)
    /// A value, a prompt or an answer cannot be stored, so the flow cannot be durable.
    public static let notStorable = Code(.notStorable)
    /// The host's store has no flow of this id.
    public static let noSuchFlow = Code(.noSuchFlow)
    /// A flow of this id was started with another input, or of another definition.
    public static let alreadyStarted = Code(.alreadyStarted)
    /// The flow is suspended because a step failed, until it is retried or abandoned.
    public static let suspended = Code(.suspended)
    /// No registered definition fits the flow; the message names what is missing.
    public static let unmigrated = Code(.unmigrated)
    /// The key of the flow's data was erased: nothing of it can be read any more, and the flow does not go on.
    public static let erased = Code(.erased)
    /// The flow was redacted: its output, or the value asked for, is no longer stored.
    public static let redacted = Code(.redacted)
    /// The flow has not ended; let it end, or abandon it first.
    public static let notEnded = Code(.notEnded)
    /// An edit would take a step from the flow whose `backUp` may still have to be called.
    public static let compensationOwed = Code(.compensationOwed)
    /// The transaction has changed this flow already, and is not committed yet.
    public static let inTransaction = Code(.inTransaction)
    /// The flow is not suspended, so there is nothing to retry.
    public static let notSuspended = Code(.notSuspended)
    /// The host is stopping, or has stopped; another host takes the request.
    public static let hostStopping = Code(.hostStopping)
    /// The host belongs to another deployment than the flows of its store.
    public static let wrongDeployment = Code(.wrongDeployment)
    /// Steps were still running at the end of the host's grace period.
    public static let stepsStillRunning = Code(.stepsStillRunning)
    /// A race has no winner: it has no branches, or `until` went on after the last one.
    public static let noDecision = Code(.noDecision)
    /// The key of this request was already used for a different request.
    public static let keyReused = Code(.keyReused)
    /// A key, a signal, an answer or a flow is larger than allowed.
    public static let tooLarge = Code(.tooLarge)
    /// An option of a host has an invalid value; the message names the option and the allowed values.
    public static let badOptions = Code(.badOptions)
  }
}
