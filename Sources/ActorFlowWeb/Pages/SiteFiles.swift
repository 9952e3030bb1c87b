/// The two files of the site, which all pages share.
enum SiteFiles {
  static let script = file(scriptText, "text/javascript; charset=utf-8")
  static let style = file(styleText, "text/css; charset=utf-8")

  private static func file(_ text: String, _ type: String) -> WebResponse {
    var response = WebResponse.text(text, type: type)
    response.headers["Cache-Control"] = "max-age=300"
    return response
  }

  /// Follows the events of the flow that the page shows, and loads the page's content anew when the flow has changed.
  private static let scriptText = """
    "use strict";
    (() => {
      const main = document.querySelector("main[data-events]");
      if (!main || !window.EventSource) return;
      // A form that came back has values that are not to be lost.
      let typed = main.querySelector(".errors, .notice") !== null;
      let source;
      main.addEventListener("input", () => { typed = true; });
      const notice = () => {
        if (document.getElementById("changed")) return;
        const line = document.createElement("p");
        line.id = "changed";
        line.className = "notice";
        line.setAttribute("role", "status");
        line.append(main.dataset.changed + " ");
        const link = document.createElement("a");
        link.href = main.dataset.page;
        link.textContent = main.dataset.reload;
        line.append(link);
        main.prepend(line);
      };
      const load = async () => {
        // Not the address of this page, which is that of the form after a refusal.
        const response = await fetch(main.dataset.page, { headers: { Accept: "text/html" } });
        if (!response.ok) return location.assign(main.dataset.page);
        const page = new DOMParser().parseFromString(await response.text(), "text/html");
        const next = page.querySelector("main[data-events]");
        if (!next || next.dataset.revision === main.dataset.revision) return;
        if (typed) return notice();
        const hadFocus = main.contains(document.activeElement);
        main.replaceChildren(...next.childNodes);
        main.dataset.revision = next.dataset.revision;
        document.title = page.title;
        if (hadFocus) main.focus();
      };
      let loading = Promise.resolve();
      source = new EventSource(main.dataset.events);
      source.addEventListener("change", (event) => {
        if (String(JSON.parse(event.data).revision) === main.dataset.revision) return;
        loading = loading.then(load, load);
      });
      source.addEventListener("end", () => {
        source.close();
        loading = loading.then(load, load);
      });
      addEventListener("pagehide", () => source.close());
      addEventListener("pageshow", (event) => { if (event.persisted) location.assign(main.dataset.page); });
    })();

    """

  private static let styleText = """
    :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
    body { margin: 0 auto; max-width: 44rem; padding: 1rem; }
    header { border-bottom: 1px solid; margin-bottom: 1rem; padding-bottom: .5rem; }
    .skip { left: -99rem; position: absolute; }
    .skip:focus { left: 1rem; }
    .field { display: grid; gap: .25rem; }
    .actions { display: flex; flex-wrap: wrap; gap: .5rem; }
    input, select, textarea, button { border: 1px solid; border-radius: .25rem; font: inherit; padding: .5rem; }
    input[type=checkbox] { width: 1.25rem; height: 1.25rem; }
    button { cursor: pointer; font-weight: 600; }
    button.minor { font-weight: 400; }
    :focus-visible { outline: 3px solid; outline-offset: 2px; }
    [aria-invalid=true] { border-width: 2px; }
    .error { font-weight: 600; }
    fieldset { border: 0; margin: 0; padding: 0; }
    .spoken { clip-path: inset(50%); height: 1px; overflow: hidden; position: absolute; white-space: nowrap; width: 1px; }
    .help { opacity: .8; }
    .errors, .notice { border-left: .25rem solid; padding-left: 1rem; }
    dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; }
    dd { margin: 0; }
    table { border-collapse: collapse; width: 100%; }
    th, td { border-bottom: 1px solid; padding: .25rem .5rem; text-align: left; }
    td time { white-space: nowrap; }
    .table { overflow-x: auto; }
    nav ul { display: flex; flex-wrap: wrap; gap: 1rem; list-style: none; padding: 0; }
    figure { margin: 2rem 0; }
    img { background: #fff; max-width: 100%; }

    """
}
