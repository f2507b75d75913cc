// @vitest-environment jsdom
// The sanitiser needs a DOM that parses as browsers do; happy-dom does not.
import { describe, expect, test } from "vitest";
import { render, safeLink } from "./render";

/** What a browser would make of it. */
function parsed(markdown: string): HTMLElement {
  const element = document.createElement("div");
  element.innerHTML = render(markdown);
  return element;
}

const attacks = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg onload=alert(1)><circle r=1></svg>",
  "<svg><script>alert(1)</script></svg>",
  "<iframe src='javascript:alert(1)'></iframe>",
  "<a href='javascript:alert(1)'>x</a>",
  "<p onclick=alert(1)>x</p>",
  "<style>*{background:url(https://example.org/x)}</style>",
  "<p style='background:url(https://example.org/x)'>x</p>",
  "<form action=https://example.org><input name=key></form>",
  "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
  "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
  "<div><b><i><script>alert(1)</script></i></b></div>",
  "<object data='data:text/html,<script>alert(1)</script>'></object>",
  "<meta http-equiv=refresh content='0;url=https://example.org'>",
  "<base href=https://example.org>",
  "<link rel=stylesheet href=https://example.org/x.css>",
  "text <img src=x onerror=alert(1)> text",
  "- item <script>alert(1)</script>",
  "> quote <iframe src=https://example.org>",
  "| a |\n| - |\n| <img src=x onerror=alert(1)> |",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](java\tscript:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](javascript&colon;alert(1))",
  "[x](data:text/html;base64,PHNjcmlwdD4=)",
  "[x](vbscript:msgbox(1))",
  "[x](file:///etc/passwd)",
  "[x](tauri://localhost)",
  "[x](https://example.org 'a\" onmouseover=\"alert(1)')",
  "![x](javascript:alert(1))",
  "![x](data:image/svg+xml;base64,PHN2Zz4=)",
  "![\" onerror=alert(1) x=\"](https://example.org/x.png)",
  "[![x](https://example.org/x.png)](javascript:alert(1))",
  "<javascript:alert(1)>",
  "```<img src=x onerror=alert(1)>\ncode\n```",
  "```html\n<img src=x onerror=alert(1)>\n```",
  "`<img src=x onerror=alert(1)>`",
];

describe("what a model writes", () => {
  test.each(attacks)("brings no element, handler or address of its own along: %s", (attack) => {
    const element = parsed(attack);
    const allowed = new Set("P BR STRONG EM DEL CODE PRE SPAN A UL OL LI BLOCKQUOTE H1 H2 H3 H4 H5 H6 HR DIV BUTTON TABLE THEAD TBODY TR TH TD".split(" "));
    const names = new Set(["href", "title", "class", "start", "align", "dir", "type", "tabindex"]);
    for (const one of element.querySelectorAll("*")) {
      expect(allowed, one.outerHTML).toContain(one.tagName);
      for (const attribute of one.attributes) expect(names, one.outerHTML).toContain(attribute.name);
      const href = one.getAttribute("href");
      if (href !== null) expect(href).toMatch(/^(https?:\/\/|mailto:)/);
    }
  });

  test("shows raw HTML as the text that it is", () => {
    expect(parsed("before <b>bold</b> after").textContent?.trim()).toBe("before <b>bold</b> after");
  });

  test("shows a picture from elsewhere as a link to it", () => {
    const link = parsed("![a cat](https://example.org/cat.png)").querySelector("a");
    expect([link?.getAttribute("href"), link?.textContent]).toEqual(["https://example.org/cat.png", "a cat"]);
  });

  test("cannot use the classes of the app", () => {
    expect(render("```primary danger\nx\n```")).toBe(
      '<div class="code" dir="ltr"><div class="code-head"><span>primary</span>' +
        '<button type="button" class="code-copy">Copy code</button></div><pre tabindex="0"><code>x</code></pre></div>',
    );
  });
});

describe("Markdown", () => {
  test("keeps what its writer meant", () => {
    expect(render("**a** *b* ~~c~~ `d`").trim()).toBe("<p><strong>a</strong> <em>b</em> <del>c</del> <code>d</code></p>");
    expect(render("3. three").trim()).toBe('<ol start="3">\n<li>three</li>\n</ol>');
    expect(parsed("- [x] done").querySelector("li")?.textContent).toBe("☑ done");
    expect(parsed("| a | b |\n| - | -: |\n| 1 | 2 |").querySelectorAll("td")[1]?.getAttribute("align")).toBe("right");
    expect(parsed("[a](mailto:someone@example.org)").querySelector("a")?.getAttribute("href")).toBe("mailto:someone@example.org");
  });

  test("colours code of a language that it knows, and escapes all other code", () => {
    expect(parsed("```rust\nfn x() {}\n```").querySelector(".hljs-keyword")?.textContent).toBe("fn");
    expect(parsed("```nothing\n<b>\n```").querySelector("code")?.innerHTML).toBe("&lt;b&gt;");
  });
});

test("links lead to http, https and mailto only", () => {
  const inputs = ["https://example.org", "HTTP://EXAMPLE.ORG/a b", "mailto:a@example.org", "ftp://example.org", "//example.org", "/x", "#x", "https://"];
  expect(inputs.map(safeLink)).toEqual(["https://example.org/", "http://example.org/a%20b", "mailto:a@example.org", null, null, null, null, null]);
});
