extension FlowDocument {
  /// Reads a document of SwiftCurrent's (`{"schemaVersion":"v0.0.1","sequence":[…]}`).
  ///
  /// Each field is a string, or an object with one for each platform. Launch styles become presentations, and
  /// persistences become back-up policies; names that SwiftCurrent's core does not define stay as they are, for the
  /// vocabulary of the catalog. Unlike there, an unknown key is a mistake. The document is encoded in our own format.
  ///
  /// - Parameters:
  ///   - bytes: The JSON text, as UTF-8.
  ///   - platform: Which platform's entries are taken: `iOS`, `macOS`, `tvOS`, `watchOS`, or any other name; where it
  ///     has none, `*` is taken.
  ///   - limits: How large the document may be.
  /// - Throws: What is wrong with the text, all of it. A field without an entry for the platform is named.
  public init(
    swiftCurrent bytes: some Collection<UInt8>, platform: String = currentPlatform, limits: Limits = .default
  ) throws(FlowDocumentError) {
    self = try SwiftCurrentReader.read(bytes, platform: platform, limits)
  }

  /// Reads a document of SwiftCurrent's, as ``init(swiftCurrent:platform:limits:)-(Collection<UInt8>,_,_)`` does.
  ///
  /// - Throws: What is wrong with the text, all of it.
  public init(
    swiftCurrent text: String, platform: String = currentPlatform, limits: Limits = .default
  ) throws(FlowDocumentError) {
    try self.init(swiftCurrent: text.utf8, platform: platform, limits: limits)
  }

  /// The platform the program was built for, as SwiftCurrent calls it; `*` where it has no name for it.
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
