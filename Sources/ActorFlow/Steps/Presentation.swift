/// How a step is to be shown, said in the definition and read by whoever shows it. ActorFlow itself shows nothing.
///
/// Set with ``FlowComponent/presentation(_:)``, read from ``Visit/presentation``.
public struct Presentation: Sendable, Hashable, Codable {
  private let name: String
  private let isCustom: Bool

  private init(_ name: String, isCustom: Bool = false) {
    self.name = name
    self.isCustom = isCustom
  }

  /// On top of what is shown, which stays below.
  public static let push = Presentation("push")
  /// In front of everything, until it is done.
  public static let modal = Presentation("modal")
  /// Instead of what is shown.
  public static let replace = Presentation("replace")
  /// Inside what is shown.
  public static let embed = Presentation("embed")

  /// A token of your own. It equals no built-in one, whatever its name.
  public static func custom(_ name: String) -> Presentation { Presentation(name, isCustom: true) }
}

extension Presentation: CustomStringConvertible {
  /// The token's name.
  public var description: String { isCustom ? "custom(\(name))" : name }
}
