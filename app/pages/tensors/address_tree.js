// A tree of addresses. It is built anew only when its lines change; which branches are open and
// what is searched for belongs to the browser, which tensor is picked belongs to Python: its data
// has the first one, picked_address.js tells of others.

const MARKUP = `<div class="tree-panel">
  <input class="search boxed" type="search" autocomplete="off" spellcheck="false" />
  <div class="scroll"><div class="tree" role="tree"></div></div>
  <p class="nothing" role="status" hidden></p>
  <p class="legend"></p>
</div>`;

function sparkline(digits, role) {
  const bars = [...digits].map((digit, at) => `M${at} 15v-${parseInt(digit, 16)}h.86V15z`);
  const viewBox = `0 0 ${Math.max(digits.length, 1)} 15`;
  const drawn = shape("path", { d: bars.join(""), style: { fill: roleOf(role) } });
  return shape("svg", { viewBox, preserveAspectRatio: "none", "aria-hidden": true }, drawn);
}

const item = (kind, depth, given, ...inside) =>
  make(kind, { role: "treeitem", tabIndex: -1, style: { "--depth": depth }, ...given }, ...inside);

function leaf(tree, line) {
  const { places, texts } = tree.data;
  const [address, words, size, numbers, memory, spark, role, shared] = line;
  const parts = address.split("/");
  const steps = parts.map((_, at) => places[parts.slice(0, at).join("/")] ?? "").join(" ");
  const searched = {
    words: `${address} ${steps} ${words}`.toLowerCase(),
    numbers: ` ${steps.replaceAll(/\D+/g, " ")} `,
  };
  const made = item(
    ".leaf",
    parts.length - 1,
    {
      title: `${words}\n${address}\n${size} · ${numbers}`,
      data: { address, ...searched },
      onclick: () => pick(tree, address),
    },
    make("span.first", make("span.name", parts.at(-1)), make("span.shape", size)),
    make("span.memory", { title: shared ? texts.shared : "", is: { shared } }, memory),
    sparkline(spark, role),
    make(
      "span.numbers",
      numbers.split(" · ").map((part) => make("span", part)),
    ),
  );
  tree.leaves.push(made);
  return made;
}

// The place of what lies below an address; it is made when it is first asked for.
function holder(tree, parts) {
  if (!parts.length) return tree.top;
  const address = parts.join("/");
  if (!tree.branches.has(address)) {
    const head = item(
      ".branch",
      parts.length - 1,
      { title: address, data: { branch: address }, onclick: () => toggle(tree, address) },
      make("span.name", tree.data.places[address] ?? address),
      make("span.address", address.match(/[^/]+(\/\d+)?$/)[0]),
    );
    const group = make(".group", { role: "group" });
    holder(tree, parts.slice(0, -1)).append(head, group);
    tree.branches.set(address, { head, group });
  }
  return tree.branches.get(address).group;
}

function build(tree) {
  tree.top.replaceChildren();
  Object.assign(tree, { branches: new Map(), leaves: [] });
  for (const line of tree.data.lines)
    holder(tree, line[0].split("/").slice(0, -1)).append(leaf(tree, line));
}

// A number is that of a layer as the screen counts it; the address counts from 0.
function matches({ dataset }, word) {
  return /^\d+$/.test(word) ? dataset.numbers.includes(` ${word} `) : dataset.words.includes(word);
}

function paint(tree) {
  const words = tree.search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const made of tree.leaves) {
    made.hidden = !words.every((word) => matches(made, word));
    made.setAttribute("aria-selected", made.dataset.address === tree.picked);
  }
  for (const [address, { head, group }] of tree.branches) {
    const open = words.length > 0 || tree.open.has(address);
    head.hidden = !group.querySelector(".leaf:not([hidden])");
    head.setAttribute("aria-expanded", open);
    group.hidden = !open;
  }
  tree.find(".nothing").hidden = tree.leaves.some((made) => !made.hidden);
  // One item takes part in the tab order: the picked one, else the first.
  const items = shown(tree);
  tabTo(items, items.find((made) => made.getAttribute("aria-selected") === "true") ?? items[0]);
}

const shown = (tree) =>
  [...tree.top.querySelectorAll('[role="treeitem"]')].filter((made) => made.offsetParent !== null);

function tabTo(items, one) {
  for (const made of items) made.tabIndex = made === one ? 0 : -1;
}

function go(tree, made) {
  if (!made) return;
  tabTo(shown(tree), made);
  made.focus();
}

function scroll(tree) {
  const made = tree.leaves.find((each) => each.dataset.address === tree.picked);
  const box = tree.find(".scroll");
  if (made) reveal(box, made, { more: box.clientHeight / 2 });
}

function pick(tree, address) {
  tree.picked = address;
  paint(tree);
  window.knownAnswers?.answer(tree.key, "pick", address);
  tree.trigger("pick", address);
}

function toggle(tree, address) {
  if (!tree.open.delete(address)) tree.open.add(address);
  paint(tree);
  go(tree, tree.branches.get(address).head);
}

function hearKey(tree, event) {
  const made = event.target.closest('[role="treeitem"]');
  if (!made) return;
  const items = shown(tree);
  const at = items.indexOf(made);
  const { address, branch } = made.dataset;
  const open = made.getAttribute("aria-expanded") === "true";
  const enter = () => (branch ? toggle(tree, branch) : pick(tree, address));
  const act = {
    ArrowDown: () => go(tree, items[at + 1]),
    ArrowUp: () => go(tree, items[at - 1]),
    Home: () => go(tree, items[0]),
    End: () => go(tree, items.at(-1)),
    ArrowRight: () => (branch && !open ? toggle(tree, branch) : go(tree, items[at + 1])),
    ArrowLeft: () =>
      branch && open ? toggle(tree, branch) : go(tree, made.parentElement.previousElementSibling),
    Enter: enter,
    " ": enter,
  }[event.key];
  if (!act) return;
  act();
  event.preventDefault();
  event.stopPropagation();
}

function follow(tree) {
  const picked = window.pickedAddress ?? tree.data.picked;
  const moved = picked !== tree.picked;
  tree.picked = picked;
  if (moved) {
    const parts = picked.split("/");
    for (let length = 1; length < parts.length; length += 1)
      tree.open.add(parts.slice(0, length).join("/"));
  }
  paint(tree);
  if (moved) scroll(tree);
}

export default component(MARKUP, {
  start(tree) {
    const [search, top] = [tree.find(".search"), tree.find(".tree")];
    Object.assign(tree, { search, top, open: new Set(), follow: () => follow(tree) });
    top.onkeydown = (event) => hearKey(tree, event);
    // The panel gets its height after it was drawn; once the reader has touched it, it stays put.
    tree.watch(tree.find(".scroll"), () => tree.touched || !tree.leaves || scroll(tree));
    tree.hear(
      tree.root,
      "wheel pointerdown keydown",
      () => {
        tree.touched = true;
      },
      { passive: true },
    );
    search.oninput = () => paint(tree);
    search.onkeydown = (event) => {
      if (event.key === "ArrowDown") go(tree, shown(tree)[0]);
      event.stopPropagation();
    };
  },
  draw(tree, { lines, places, texts }) {
    set(tree.search, { placeholder: texts.search, "aria-label": texts.search });
    tree.top.setAttribute("aria-label", texts.tree);
    tree.write({ ".nothing": texts.nothing, ".legend": texts.legend });
    if (tree.differs("lines", lines, places)) build(tree);
  },
  mark: follow,
});
