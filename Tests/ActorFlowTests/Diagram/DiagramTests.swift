import ActorFlow
import Testing

@Suite("Diagrams") struct DiagramTests {
  private let door = Flow("door") {
    Raw.loop(until: 3, Raw.step("knock"))
    Raw.choose([("friend", Raw.step("greet"))], otherwise: Raw.step("ask"))
  }

  @Test("a flow in Mermaid: its frame, its steps, the loop's back edge, and a choice's cases")
  func mermaid() {
    #expect(
      door.diagram(.mermaid) == """
        flowchart TD
          n0(("start"))
          subgraph c1["door"]
            n1("knock")
            n2{"done?"}
            n3{"?"}
            n4("greet")
            n5("ask")
          end
          n6((("end")))
          n0 --> n1
          n1 --> n2
          n2 -.->|"again"| n1
          n2 -->|"done"| n3
          n3 -->|"friend"| n4
          n3 -->|"otherwise"| n5
          n4 --> n6
          n5 --> n6

        """)
  }

  @Test("the same flow in DOT, where a back edge is written from its target, so that it points up")
  func dot() {
    let lines = door.diagram(.dot).split(separator: "\n").drop { !$0.hasPrefix("  n0") }
    #expect(
      lines.joined(separator: "\n") == """
          n0 [label="start", shape=circle, style=filled, margin=0];
          subgraph cluster_1 {
            label="door"; margin=16;
            n1 [label="knock"];
            n2 [label="done?", shape=diamond, style=filled, margin=0];
            n3 [label="?", shape=diamond, style=filled, margin=0];
            n4 [label="greet"];
            n5 [label="ask"];
          }
          n6 [label="end", shape=doublecircle, style=filled, margin=0];
          n0 -> n1;
          n1 -> n2;
          n1 -> n2 [label=" again", style=dashed, dir=back];
          n2 -> n3 [label=" done"];
          n3 -> n4 [label=" friend"];
          n3 -> n5 [label=" otherwise"];
          n4 -> n6;
          n5 -> n6;
        }
        """)
  }

  @Test("every step of every component is drawn, in order, under the last part of its path")
  func allSteps() {
    let drawn = Raw.shop.diagram(.mermaid).lines { $0.contains(/^ *n\d+\("/) }
      .map { $0.split(separator: "\"")[1].split(separator: "<br/>")[0] }
    #expect(drawn.map(String.init) == Raw.shop.steps.map(\.name))
  }

  @Test("a hub's side branch returns to the menu, the leaving one continues")
  func hub() {
    let flow = Flow {
      Raw.hub(Raw.step("menu"), [("wrap", Raw.step("paper")), ("pay", TextFlow(segments: []))], leaving: [1])
      Raw.step("card")
    }
    #expect(
      flow.arrows == [
        "n0 --> n1", #"n1 -->|"wrap"| n2"#, #"n2 -.->|"returns"| n1"#, #"n1 -->|"pay"| n3"#, "n3 --> n4",
      ])
  }

  @Test("a router's steps lead back to the decision by type")
  func router() {
    let flow = Raw.router([("box", Raw.step("pack")), ("out", TextFlow(segments: []))], leaving: [1])
    #expect(
      flow.arrows == ["n0 --> n1", #"n1 -->|"box"| n2"#, #"n2 -.->|"next"| n1"#, #"n1 -->|"out"| n3"#])
  }

  @Test("a fork is a frame with its kind, between two bars", arguments: ["parallel", "race"])
  func fork(kind: String) {
    let flow = Raw.fork(kind, name: "checks", [Raw.step("credit"), Raw.step("stock")])
    #expect(flow.diagram(.mermaid).contains(#"subgraph c1["checks (\#(kind))"]"#))
    #expect(flow.arrows == ["n0 --> n1", "n1 --> n2", "n1 --> n3", "n2 --> n4", "n3 --> n4", "n4 --> n5"])
    #expect(flow.diagram(.mermaid).contains("class n1,n4 bar"))
  }

  @Test("a branch for each element is drawn once")
  func each() {
    let flow = Raw.each(Raw.step("sign"))
    #expect(flow.diagram(.mermaid).contains(#"subgraph c1["each"]"#))
    #expect(flow.arrows == ["n0 --> n1", #"n1 -->|"each element"| n2"#, "n2 --> n3", "n3 --> n4"])
  }

  @Test("a wrapper is written into the one step or frame it is around, and is a frame around several")
  func wrappers() {
    let one = Raw.within(.recover { "\($0)" }, Raw.within(.timeout(.seconds(30)), Raw.step("pay")))
    #expect(one.diagram(.mermaid).contains(#"n1("pay<br/>timeout 30 s<br/>recover")"#))
    let frame = Raw.within(.expiry(.seconds(7_200)), Flow("pay") { Raw.step("a") })
    #expect(frame.diagram(.mermaid).contains(#"subgraph c1["pay<br/>expires after 2 h"]"#))
    let several = Raw.within(
      .retry(attempts: 3, .none),
      Flow {
        Raw.step("a"); Raw.step("b")
      })
    #expect(several.diagram(.mermaid).contains(#"subgraph c1["retry ≤3"]"#))
  }

  @Test("equal siblings have their numbers, frames as well")
  func siblings() {
    let flow = Flow {
      for _ in 0..<2 {
        Flow("b") {
          Raw.step("x"); Raw.step("x")
        }
      }
    }
    let labels = flow.diagram(.mermaid).lines { $0.contains("subgraph") || $0.contains("(\"x") }
    #expect(
      labels == [
        #"subgraph c1["b"]"#, #"n1("x")"#, #"n2("x#35;2")"#, #"subgraph c2["b#35;2"]"#, #"n3("x")"#, #"n4("x#35;2")"#,
      ])
  }

  @Test("a flow without steps leads from its start to its end")
  func empty() {
    #expect(TextFlow(segments: []).arrows == ["n0 --> n1"])
  }
}

extension Flow {
  fileprivate var arrows: [String] { diagram(.mermaid).lines { $0.contains("> n") || $0.contains("| n") } }
}

extension String {
  /// The lines that a test compares, without their indentation.
  fileprivate func lines(where isWanted: (Substring) -> Bool) -> [String] {
    split(separator: "\n").filter(isWanted).map { String($0.drop { $0 == " " }) }
  }
}
