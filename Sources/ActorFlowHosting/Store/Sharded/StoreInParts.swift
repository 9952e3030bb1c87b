/// A store of several parts that goes on without a part that does not answer. Its host notes the errors of such parts.
protocol StoreInParts: FlowStore {
  /// The latest error of each part that was left out.
  var failures: [Int: any Error] { get }
}
