extension MachineSnapshot {
  /// The places whose stored value does not fit their step's input type.
  package func inputProblems(_ names: GraphNames, codec: any ValueCodec) -> [UnfitSnapshot.Problem] {
    var problems: [UnfitSnapshot.Problem] = []
    for place in ([main] + branches).flatMap(\.places) {
      guard let node = names.node(place.visit.step), node.fork == nil, payloads.indices.contains(place.payload) else {
        continue
      }
      let type = node.body.types.input
      do { _ = try StoredValue(payloads[place.payload].value, codec: codec).unpacked(asAny: type) } catch {
        let reason = "its stored input is of type \(payloads[place.payload].value.type), not \(type)"
        problems.append(UnfitSnapshot.Problem(step: place.visit.step, reason: reason))
      }
    }
    return problems
  }
}
