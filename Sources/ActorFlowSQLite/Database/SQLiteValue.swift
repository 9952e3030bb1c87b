#if SQLite
  import ActorFlowHosting
  import CSQLite

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// A value of a column or a parameter.
  enum SQLiteValue {
    case null
    case int(Int)
    case text(String)
    case blob([UInt8])

    static func int(_ value: Int?) -> SQLiteValue { value.map { .int($0) } ?? .null }
    static func text(_ value: String?) -> SQLiteValue { value.map { .text($0) } ?? .null }
    static func time(_ time: StoredTime) -> SQLiteValue { .int(Int(time.microseconds)) }
    static func time(_ date: Date?) -> SQLiteValue { date.map { .time(StoredTime($0)) } ?? .null }
    static func bool(_ value: Bool) -> SQLiteValue { .int(value ? 1 : 0) }
  }

  extension SQLiteValue: ExpressibleByIntegerLiteral {
    init(integerLiteral value: Int) { self = .int(value) }
  }
#endif
