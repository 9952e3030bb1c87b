import ActorFlow

// Values, errors, and the tables that several places share.

extension PackedValue: StoredPart {
  static var placeholder: Self { Self(type: "", bytes: []) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&type)
    try coder.value(&bytes)
  }
}

extension StoredFailure: StoredPart {
  static var placeholder: Self { Self(type: "", message: "") }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&type)
    try coder.code(&message)
    try coder.code(&code)
    try coder.code(&step)
  }
}

extension PackedFault: StoredPart {
  static var placeholder: Self { Self(step: "", error: .placeholder) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&step)
    try coder.code(&error)
  }
}

extension PackedPayload: StoredPart {
  static var placeholder: Self { Self(value: .placeholder) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&value)
    try coder.code(&carried)
    try coder.code(&scopes)
  }
}

extension PackedCarried: StoredPart {
  static var placeholder: Self { Self(value: .placeholder) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&value)
    try coder.code(&below)
  }
}

extension PackedFrame: StoredPart {
  static var placeholder: Self { Self(scope: .placeholder, payload: 0, attempt: 0) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&scope)
    try coder.code(&payload)
    try coder.code(&attempt)
    if coder.format >= 5 { try coder.code(&admitted) }
  }
}

extension ScopeName: StoredPart {
  static var placeholder: Self { Self(kind: "", step: "", number: 0) }

  mutating func code<Coder: ByteCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.code(&kind)
    try coder.code(&step)
    try coder.code(&number)
  }
}
