import ActorFlow

// The work under way on a track: a fork, a leave, a start.

extension PackedFork: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.list(tracks) { $0.int(Int($1)) }
    writer.list(results)
    writer.optional(failure)
    writer.list(failures)
    writer.int(judged)
    writer.bool(isDecided)
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    self.init(tracks: try reader.list { (reader) throws(FlowStoreError) in try reader.track() })
    results = try reader.list()
    failure = try reader.optional()
    failures = try reader.list()
    judged = try reader.number()
    isDecided = try reader.bool()
  }
}

extension PackedResult: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.int(branch)
    writer.part(value)
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    let branch = try reader.number()
    self.init(branch: branch, value: try reader.part())
  }
}

extension PackedUndoFailure: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.part(error)
    writer.optional(place)
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    let error: StoredFailure = try reader.part()
    self.init(error: error, place: try reader.optional())
  }
}

extension PackedLeave: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.part(goal)
    writer.int(number)
    writer.optional(visit)
    writer.duration(since)
    writer.list(failures)
    writer.bool(isAnnounced)
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    let goal: Goal = try reader.part()
    let number = try reader.number()
    let visit: PackedVisit? = try reader.optional()
    self.init(goal: goal, number: number, visit: visit, since: try reader.duration())
    failures = try reader.list()
    isAnnounced = try reader.bool()
  }
}

extension PackedLeave.Goal: StatePart {
  func write(to writer: inout ByteWriter) {
    switch self {
    case .back(let depth, let update):
      writer.byte(1)
      writer.int(depth)
      writer.optional(update)
    case .end(let ending, let rollBack):
      writer.byte(2)
      writer.part(ending)
      writer.bool(rollBack)
    case .unwind(let frame, let fault, let isTimeout):
      writer.byte(3)
      writer.int(frame)
      writer.part(fault)
      writer.bool(isTimeout)
    case .dropSuperseded(let payload):
      writer.byte(4)
      writer.int(payload)
    case .supersede: writer.byte(5)
    }
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    switch try reader.byte() {
    case 1:
      let depth = try reader.number()
      self = .back(to: depth, update: try reader.optional())
    case 2:
      let ending: PackedEnding = try reader.part()
      self = .end(ending, rollBack: try reader.bool())
    case 3:
      let frame = try reader.number()
      let fault: PackedFault = try reader.part()
      self = .unwind(frame: frame, fault, isTimeout: try reader.bool())
    case 4: self = .dropSuperseded(payload: try reader.number())
    case 5: self = .supersede
    case let code: throw reader.unknown("goal of a leave", code)
    }
  }
}

extension PackedStart: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.part(kind)
    writer.duration(pause)
    writer.optional(update)
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    self.init(kind: try reader.part())
    pause = try reader.duration()
    update = try reader.optional()
  }
}

extension PackedStart.Kind: StatePart {
  func write(to writer: inout ByteWriter) {
    switch self {
    case .at(let address, let payload):
      writer.byte(1)
      writer.part(address)
      writer.int(payload)
    case .top: writer.byte(2)
    case .recovery(let fault, let frame):
      writer.byte(3)
      writer.part(fault)
      writer.int(frame)
    case .failure(let fault, let frame):
      writer.byte(4)
      writer.part(fault)
      writer.optional(frame) { $0.int($1) }
    }
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    switch try reader.byte() {
    case 1:
      let address: PackedStart.Address = try reader.part()
      self = .at(address, payload: try reader.number())
    case 2: self = .top
    case 3:
      let fault: PackedFault = try reader.part()
      self = .recovery(fault, frame: try reader.number())
    case 4:
      let fault: PackedFault = try reader.part()
      self = .failure(fault, frame: try reader.optional { (reader) throws(FlowStoreError) in try reader.number() })
    case let code: throw reader.unknown("beginning of a walk", code)
    }
  }
}

extension PackedStart.Address: StatePart {
  func write(to writer: inout ByteWriter) {
    switch self {
    case .beginning: writer.byte(1)
    case .scope: writer.byte(2)
    case .behind(let step):
      writer.byte(3)
      writer.step(step)
    case .past(let scope):
      writer.byte(4)
      writer.part(scope)
    }
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    switch try reader.byte() {
    case 1: self = .beginning
    case 2: self = .scope
    case 3: self = .behind(try reader.step())
    case 4: self = .past(try reader.part())
    case let code: throw reader.unknown("address", code)
    }
  }
}
