extension FlowDocument {
  /// Reads a document of SwiftCurrent (`{"schemaVersion":"v0.0.1","sequence":[…]}`).
  ///
  /// Each field is a string, or an object with a string for each platform. Launch styles become presentations, and
  /// persistences become back-up policies; names that SwiftCurrent's core does not define stay as they are, for the
  /// vocabulary of the catalog. Unlike in SwiftCurrent, an unknown key is a mistake. When encoded, the document has the
  /// format of this module.
  ///
  /// - Parameters:
  ///   - bytes: The JSON text, as UTF-8.
  ///   - platform: The platform whose strings are taken: `iOS`, `macOS`, `tvOS`, `watchOS`, or any other name. If a
  ///     field has no string for it, the one for `*` is taken.
  ///   - limits: The limits on the size of the document.
  /// - Throws: ``FlowDocumentError`` with all mistakes in the text. A field without a string for the platform is named.
  public init(
    swiftCurrent bytes: some Collection<UInt8>, platform: String = currentPlatform, limits: Limits = .default
  ) throws(FlowDocumentError) {
    self = try SwiftCurrentReader.read(bytes, platform: platform, limits)
  }

  /// Reads a document of SwiftCurrent, as ``init(swiftCurrent:platform:limits:)-(Collection<UInt8>,_,_)`` does.
  ///
  /// - Throws: ``FlowDocumentError`` with all mistakes in the text.
  public init(
    swiftCurrent text: String, platform: String = currentPlatform, limits: Limits = .default
  ) throws(FlowDocumentError) {
    try self.init(swiftCurrent: text.utf8, platform: platform, limits: limits)
  }

  /// SwiftCurrent's name of the platform that the program was built for; `*` if it has none.
  public static var currentPlatform: String {
    #if os(iOS)
      "iOS"
    #elseif os(macOS)
      "macOS"
    #elseif os(tvOS)
      "tvOS"
    #elseif os(watchOS)
      "watchOS"
    #else
      "*"
    #endif
  }
}
