extension FlowStoreError.Code {
  /// The status of an HTTP response to the request that met the error, for servers that put flows behind HTTP.
  ///
  /// 503 asks to repeat the request later, under the same idempotency key; ``FlowStoreError/retryAfter`` says when, if the
  /// store knows. 500 asks for an operator, because the stored data is damaged or not where it belongs.
  public var httpStatus: Int {
    switch name {
    case .notFound: 404
    case .tooLarge: 413
    case .corrupted, .misplaced: 500
    case .conflict, .fenced, .leased, .unsupportedFormat, .outcomeUnknown, .unavailable, .locked: 503
    }
  }
}
