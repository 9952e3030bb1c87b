import ActorFlow

// Tracks and their places.

extension PackedTrack: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.int(Int(number))
    writer.optional(branch)
    writer.part(phase)
    writer.optional(leave)
    writer.list(places)
    writer.part(focus)
    writer.optional(visit)
    writer.bool(hasAsked)
    writer.bool(isSealed)
    writer.int(Int(closedAt))
    writer.optional(start)
    writer.optional(fork)
    writer.optional(question)
    writer.list(waits)
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    self.init()
    number = try reader.track()
    branch = try reader.optional()
    phase = try reader.part()
    leave = try reader.optional()
    places = try reader.list()
    focus = try reader.part()
    visit = try reader.optional()
    hasAsked = try reader.bool()
    isSealed = try reader.bool()
    closedAt = try reader.depth()
    start = try reader.optional()
    fork = try reader.optional()
    question = try reader.optional()
    waits = try reader.list()
  }
}

extension PackedTrack.Phase: StatePart {
  func write(to writer: inout ByteWriter) {
    switch self {
    case .walking: writer.byte(1)
    case .leaving: writer.byte(2)
    case .compensating: writer.byte(3)
    case .ended: writer.byte(4)
    }
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    switch try reader.byte() {
    case 1: self = .walking
    case 2: self = .leaving
    case 3: self = .compensating
    case 4: self = .ended
    case let code: throw reader.unknown("phase of a track", code)
    }
  }
}

extension PackedBranch: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.int(Int(parent))
    writer.int(number)
    writer.step(path)
    writer.list(elements) { $0.int($1) }
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    let parent = try reader.track()
    let number = try reader.number()
    let path = try reader.step()
    let elements = try reader.list { (reader) throws(FlowStoreError) in try reader.number() }
    self.init(parent: parent, number: number, path: path, elements: elements)
  }
}

extension PackedVisit: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.int(id)
    writer.step(step)
    writer.bool(isSkipped)
    writer.bool(canBackUp)
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    let id = try reader.number()
    let step = try reader.step()
    let isSkipped = try reader.bool()
    self.init(id: id, step: step, isSkipped: isSkipped, canBackUp: try reader.bool())
  }
}

extension PackedPlace: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.part(visit)
    writer.int(payload)
    writer.int(Int(backTarget))
    writer.bool(isInner)
    writer.bool(isClosed)
    writer.list(records)
    writer.optional(tree)
    writer.optional(update)
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    let visit: PackedVisit = try reader.part()
    let payload = try reader.number()
    self.init(visit: visit, payload: payload, backTarget: try reader.backTarget())
    isInner = try reader.bool()
    isClosed = try reader.bool()
    records = try reader.list()
    tree = try reader.optional()
    if reader.format >= 4 { update = try reader.optional() }
  }
}

extension PackedFocus: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.bool(isEntered)
    writer.bool(hasAsked)
    writer.int(askersAtOnce)
    writer.list(records)
    writer.list(answers)
    writer.optional(update)
    writer.optional(tree)
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    self.init()
    isEntered = try reader.bool()
    hasAsked = try reader.bool()
    askersAtOnce = try reader.number()
    records = try reader.list()
    answers = try reader.list()
    update = try reader.optional()
    tree = try reader.optional()
  }
}

extension PackedRecord: StatePart {
  func write(to writer: inout ByteWriter) {
    writer.string(key)
    writer.string(type)
    writer.string(idempotencyKey)
    writer.optional(value)
  }

  init(from reader: inout StateReader) throws(FlowStoreError) {
    let key = try reader.string()
    let type = try reader.string()
    let idempotencyKey = try reader.string()
    self.init(key: key, type: type, idempotencyKey: idempotencyKey, value: try reader.optional())
  }
}
