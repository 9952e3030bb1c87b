public import ActorFlow

extension FlowHost {
  /// The options of a host. All times are of the host's clock. A time longer than 200 years counts as 200 years.
  ///
  /// The options are checked when the host is created: ``FlowHost/init(store:clock:owner:options:)`` throws for a value
  /// that is not allowed.
  public struct Options: Sendable {
    /// The time after which a host's beat is overdue, on a store that several hosts share. A host beats three times in
    /// that time, once for all its flows. A host that stalls longer loses all its flows as soon as another host wants
    /// one of them. At least 100 milliseconds.
    public var leaseTime: Duration = .seconds(30)
    /// The time for which a request waits for a flow that another host runs. After that it throws a ``FlowStoreError``
    /// with the code `leased` and the time to come again, ``FlowStoreError/retryAfter``. Zero or more.
    public var requestTime: Duration = .seconds(30)
    /// The time for which a flow stands still after a change in a transaction that is not settled: see
    /// ``PendingChange``. Zero or more.
    public var pendingTime: Duration = .seconds(10)
    /// The time that steps and their `backUp`s have to return when ``FlowHost/run()`` is cancelled. Zero or more.
    public var gracePeriod: Duration = .seconds(10)
    /// The time for which a waiting flow stays in memory: zero or more. With zero, the default, it is passivated at
    /// once.
    public var keepHot: Duration = .zero
    /// The time for which a waiting flow stays in memory for the effects of its rendered steps. The changes they make
    /// in that time are persisted. An effect that has not ended by then is cancelled, and begins anew when the flow is
    /// activated. Zero or more.
    public var effectTime: Duration = .seconds(10)
    /// The time between two polls. A poll asks the store for flows that other hosts have left, and for the timers until
    /// the next poll. A timer fires when it is due, whatever the interval. At least a millisecond.
    public var pollInterval: Duration = .seconds(5)
    /// The time for which every poll of ``FlowHost/run()`` may fail before `run()` passivates all flows and throws.
    /// Until then the store is polled again with pauses that grow to 30 seconds. Zero or more; with zero, `run()`
    /// throws at the first poll that fails.
    public var outageLimit: Duration = .seconds(300)
    /// The number of bytes that a value given as JSON may have: an answer, the input of a start, a signal, an operator's
    /// input or output. 1 or more, and at most ``FlowSnapshot/maximumBytes``. An answer that is given as a value of its type
    /// has no limit but the flow's.
    public var maximumAnswerBytes = 1 << 20
    /// The time for which a deleted flow is remembered: zero, the default, or more. In that time a start with its id
    /// throws `alreadyStarted`, so a message that is delivered twice does not begin a flow, and pay, a second time.
    /// With zero, an id is free at once. Give all hosts of a store the same time: a host with zero does not ask.
    public var rememberEnded: Duration = .zero
    /// The time between two passes in which ``FlowHost/run()`` removes the flows that are older than the ``Retention``
    /// of their definition. One of the hosts of a store makes each pass. An hour by default; at least a millisecond.
    public var retentionInterval: Duration = .seconds(3_600)
    /// The name of the deployment that this host belongs to, such as `"production"`; `nil`, the default, for none. At
    /// most 256 UTF-8 bytes, and not empty.
    ///
    /// The store remembers the first deployment whose host runs its flows. A host of another one, or of none, throws
    /// `wrongDeployment` from ``FlowHost/run()`` and from every request that starts, changes, activates or deletes a
    /// flow. So a test system on a copy of the store charges no customer. See ``FlowHost/adoptStore()``.
    public var deployment: String?
    /// The format in which this host stores the state of flows: 5 to 10; `nil`, the default, to go on with the format
    /// that the store's flows have. Flows of every format are read.
    ///
    /// While hosts of an earlier version share the store, or may come back, keep the format that they read. Raise it
    /// once every host runs this version. A store without flows begins with the newest format. A flow that was stored
    /// in a newer format keeps it. In a flow of format 5 the calls `attempt`, `now` and `reply` of a step throw
    /// `notStorable`, and change nothing. Since format 7 a write brings only the values that are new, if the store
    /// keeps them apart: see ``FlowStore/keepsValuesApart``. A flow of a format before 8 has no `TraceContext`: a start with
    /// one throws `notStorable`. In a flow of a format before 9 the details of the history do not pass the codec, an audited
    /// prompt cannot be asked, and there is no key reference: a start whose codec names a key throws `notStorable`. No step can be
    /// entered anew: see ``HostedFlow/enter(_:input:reason:by:key:)``. In a flow of a format before 10 a step that races
    /// child tasks more than once may stay in a replay for ever: see <doc:Versions#Formats-of-stored-flows>.
    public var writesFormat: Int?
    /// The codec that encrypts or compresses what people said and what is said about them: the state of a flow, and the
    /// details and answers in its history. `nil` to store them as they are.
    ///
    /// Each value that is stored apart from the body is a call of its own, and so is each entry of the history. See
    /// <doc:Hosting#Privacy> for what stays plain. Details of the history pass the codec in flows of format 9 and later.
    public var codec: (any BodyCodec)?
    /// The witnesses of what the host does, for metrics, logs and traces. None by default, which costs nothing.
    public var observers: [any HostObserver] = []
    /// The time that the `around` of a ``StepObserver`` has to call its body, and again to return after it. A second by
    /// default; at least a millisecond.
    public var observerTime: Duration = .seconds(1)
    /// The guard of this host: asked before each request, deletion, look and list of a caller, with the principal, if one
    /// is given, and with the flow as it is stored; it throws to refuse. `nil`, the default, admits every caller.
    ///
    /// ```swift
    /// options.access = { verb, principal, flow in
    ///   if principal?.roles.contains("staff") == true { return }
    ///   guard let principal else { throw Refusal.notAllowed("please sign in") }
    ///   switch verb {
    ///   case .request(.start): return
    ///   case .look, .request(.answer), .request(.backUp), .request(.abandon):
    ///     guard flow?.labels["customer"] == principal.id else { throw Refusal.notAllowed("this order is not yours") }
    ///   default: throw Refusal.notAllowed("only staff may do this")
    ///   }
    /// }
    /// ```
    ///
    /// The flow is `nil` for a list, and for a flow that does not exist, so also for a start. A caller who may change a flow
    /// gets it back as it is then. The guard runs in the calling task, before the guards of a prompt and before the flow is
    /// leased, and is asked once for each call; for news and for the list of a bulk verb, before each page; and for
    /// ``FlowHost/questions(_:after:limit:by:)`` once for the list and once for each flow in it. The page in the error for a
    /// late answer is a look of its own. An error of the guard is thrown to the caller as it is, best a
    /// `Refusal`, and nothing has changed. Observers learn of a refused request.
    ///
    /// The guard is not asked for the steps of a flow, for ``HostedFlow/events``, nor for the functions for the whole host,
    /// such as ``FlowHost/run()``, ``FlowHost/purge(_:endedBefore:limit:)``, ``FlowHost/plan()`` and
    /// ``FlowHost/health()``: these are code of this process. With a guard, each call for a flow reads it from the store once more.
    public var access: (@Sendable (FlowHost.Verb, Principal?, FlowSummary?) async throws -> Void)?
    /// The number of bytes from which a value is stored apart from the body.
    package var leastApart = ValueTable.leastBytes

    /// Creates options with their default values.
    public init() {}
  }
}

extension FlowHost.Options {
  /// - Throws: A `FlowError` with the code `badOptions` that lists the options that no host can work with.
  func check(owner: String) throws {
    var problems: [String] = []
    if let problem = StoredText.problem(owner) { problems.append("the host's name, owner, \(problem)") }
    func check(_ name: String, _ value: Duration, atLeast least: Duration) {
      guard value < least else { return }
      problems.append("\(name) is \(value.bounded); it must be \(least) or more")
    }
    check("leaseTime", leaseTime, atLeast: .milliseconds(100))
    check("requestTime", requestTime, atLeast: .zero)
    check("pendingTime", pendingTime, atLeast: .zero)
    check("gracePeriod", gracePeriod, atLeast: .zero)
    check("keepHot", keepHot, atLeast: .zero)
    check("effectTime", effectTime, atLeast: .zero)
    check("pollInterval", pollInterval, atLeast: .milliseconds(1))
    check("outageLimit", outageLimit, atLeast: .zero)
    check("rememberEnded", rememberEnded, atLeast: .zero)
    check("retentionInterval", retentionInterval, atLeast: .milliseconds(1))
    check("observerTime", observerTime, atLeast: .milliseconds(1))
    if let deployment, !(1...256).contains(deployment.utf8.count) {
      problems.append("deployment has \(deployment.utf8.count) bytes; it must have 1 to 256")
    }
    if !(1...FlowSnapshot.maximumBytes).contains(maximumAnswerBytes) {
      problems.append(
        "maximumAnswerBytes is \(maximumAnswerBytes); it must be 1 or more, and at most \(FlowSnapshot.maximumBytes)")
    }
    let formats = Int(MachineSnapshot.oldestWritten)...Int(MachineSnapshot.format)
    if let writesFormat, !formats.contains(writesFormat) {
      problems.append("writesFormat is \(writesFormat); it must be \(formats.lowerBound) to \(formats.upperBound)")
    }
    guard !problems.isEmpty else { return }
    throw FlowError(.badOptions, "the options of the host are invalid: " + problems.joined(separator: "; "))
  }

  /// The options with their times limited, so that times can be added up.
  var bounded: FlowHost.Options {
    var options = self
    options.leaseTime = leaseTime.bounded
    options.requestTime = requestTime.bounded
    options.pendingTime = pendingTime.bounded
    options.gracePeriod = gracePeriod.bounded
    options.keepHot = keepHot.bounded
    options.effectTime = effectTime.bounded
    options.pollInterval = pollInterval.bounded
    options.outageLimit = outageLimit.bounded
    options.rememberEnded = rememberEnded.bounded
    options.retentionInterval = retentionInterval.bounded
    options.observerTime = observerTime.bounded
    return options
  }
}
