// A tree of addresses. It is built anew only when its lines change; which branches are open and
// what is searched for belongs to the browser, which tensor is picked belongs to Python.

const SVG = "http://www.w3.org/2000/svg";
const trees = new WeakMap();

function element(kind, className, text) {
  const made = document.createElement(kind);
  made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function sparkline(digits, colour) {
  const drawn = document.createElementNS(SVG, "svg");
  drawn.setAttribute("viewBox", `0 0 ${Math.max(digits.length, 1)} 15`);
  drawn.setAttribute("preserveAspectRatio", "none");
  drawn.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  const bars = [...digits].map((digit, at) => `M${at} 15v-${parseInt(digit, 16)}h.86V15z`);
  path.setAttribute("d", bars.join(""));
  path.setAttribute("fill", colour);
  drawn.append(path);
  return drawn;
}

function leaf(line, depth, tree) {
  const [address, words, shape, numbers, memory, spark, role, shared] = line;
  const made = element("div", "leaf");
  made.style.setProperty("--depth", depth);
  made.dataset.address = address;
  made.title = `${words}\n${address}\n${shape} · ${numbers}`;
  const first = element("span", "first");
  const name = element("span", "name", address.split("/").at(-1));
  first.append(name, element("span", "shape", shape));
  const size = element("span", shared ? "memory shared" : "memory", memory);
  if (shared) size.title = tree.data.texts.shared;
  made.append(first, size, sparkline(spark, tree.data.colours[role]));
  const parts = element("span", "numbers");
  parts.append(...numbers.split(" · ").map((part) => element("span", "", part)));
  made.append(parts);
  made.addEventListener("click", () => tree.pick(made));
  return made;
}

function branch(address, depth, tree) {
  const head = element("div", "branch");
  head.style.setProperty("--depth", depth);
  head.dataset.branch = address;
  head.append(element("span", "name", tree.data.places[address] ?? address));
  head.append(element("span", "address", address.match(/[^/]+(\/\d+)?$/)[0]));
  head.title = address;
  head.addEventListener("click", () => tree.toggle(address));
  return head;
}

// A number is that of a layer as the screen counts it; the address counts from 0.
function matches(made, word) {
  if (/^\d+$/.test(word)) return made.dataset.numbers.includes(` ${word} `);
  return made.dataset.words.includes(word);
}

function startTree(parentElement) {
  const find = (selector) => parentElement.querySelector(selector);
  const tree = { data: null, send: () => {}, open: new Set(), built: "", branches: new Map(), leaves: [] };
  const root = find(".tree");
  const search = find(".search");

  tree.build = () => {
    root.replaceChildren();
    tree.branches.clear();
    tree.leaves = [];
    for (const line of tree.data.lines) {
      const parts = line[0].split("/");
      const holder = tree.holder(parts.slice(0, -1));
      const made = leaf(line, parts.length - 1, tree);
      const steps = parts.map((_, at) => tree.data.places[parts.slice(0, at).join("/")] ?? "");
      made.dataset.words = `${line[0]} ${steps.join(" ")} ${line[1]}`.toLowerCase();
      made.dataset.numbers = ` ${steps.join(" ").replaceAll(/\D+/g, " ")} `;
      item(made);
      holder.append(made);
      tree.leaves.push(made);
    }
  };

  tree.holder = (parts) => {
    if (!parts.length) return root;
    const address = parts.join("/");
    if (!tree.branches.has(address)) {
      const parent = tree.holder(parts.slice(0, -1));
      const head = item(branch(address, parts.length - 1, tree));
      const group = element("div", "group");
      group.setAttribute("role", "group");
      parent.append(head, group);
      tree.branches.set(address, { head, group });
    }
    return tree.branches.get(address).group;
  };

  const item = (made) => {
    made.setAttribute("role", "treeitem");
    made.tabIndex = -1;
    return made;
  };

  tree.paint = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const made of tree.leaves) {
      made.hidden = !words.every((word) => matches(made, word));
      found += made.hidden ? 0 : 1;
      made.setAttribute("aria-selected", made.dataset.address === tree.data.picked);
    }
    for (const [address, { head, group }] of tree.branches) {
      const open = words.length > 0 || tree.open.has(address);
      head.hidden = !group.querySelector(".leaf:not([hidden])");
      head.setAttribute("aria-expanded", open);
      group.hidden = !open;
    }
    find(".nothing").hidden = found > 0;
    tree.focusable();
  };

  tree.shown = () =>
    [...root.querySelectorAll('[role="treeitem"]')].filter((made) => made.offsetParent !== null);

  // One item takes part in the tab order: the picked one, else the first.
  tree.focusable = () => {
    const shown = tree.shown();
    const current = shown.find((made) => made.getAttribute("aria-selected") === "true");
    for (const made of shown) made.tabIndex = made === (current ?? shown[0]) ? 0 : -1;
  };

  tree.reveal = () => {
    const parts = tree.data.picked.split("/");
    for (let length = 1; length < parts.length; length += 1) {
      tree.open.add(parts.slice(0, length).join("/"));
    }
    tree.paint();
    tree.scroll();
  };

  tree.scroll = () => {
    const made = tree.leaves.find((each) => each.dataset.address === tree.data.picked);
    const scroll = find(".scroll");
    const above = made ? made.getBoundingClientRect().top - scroll.getBoundingClientRect().top : 0;
    if (made && (above < 0 || above > scroll.clientHeight - 48)) {
      scroll.scrollTop += above - scroll.clientHeight / 3;
    }
  };

  tree.pick = (made) => {
    tree.data = { ...tree.data, picked: made.dataset.address };
    tree.paint();
    tree.send("pick", made.dataset.address);
  };

  tree.toggle = (address) => {
    if (!tree.open.delete(address)) tree.open.add(address);
    tree.paint();
    go(tree.branches.get(address).head);
  };

  const go = (made) => {
    if (!made) return;
    for (const each of tree.shown()) each.tabIndex = each === made ? 0 : -1;
    made.focus();
  };

  root.addEventListener("keydown", (event) => {
    const made = event.target.closest('[role="treeitem"]');
    if (!made) return;
    const shown = tree.shown();
    const at = shown.indexOf(made);
    const { branch: address } = made.dataset;
    const open = made.getAttribute("aria-expanded") === "true";
    const keys = {
      ArrowDown: () => go(shown[at + 1]),
      ArrowUp: () => go(shown[at - 1]),
      Home: () => go(shown[0]),
      End: () => go(shown.at(-1)),
      ArrowRight: () => (address && !open ? tree.toggle(address) : go(shown[at + 1])),
      ArrowLeft: () => {
        if (address && open) tree.toggle(address);
        else go(made.parentElement.previousElementSibling);
      },
      Enter: () => (address ? tree.toggle(address) : tree.pick(made)),
      " ": () => (address ? tree.toggle(address) : tree.pick(made)),
    };
    if (!keys[event.key]) return;
    keys[event.key]();
    event.preventDefault();
    event.stopPropagation();
  });
  // The panel gets its height after it was drawn; once the reader has touched it, it stays put.
  tree.sizes = new ResizeObserver(() => tree.touched || tree.scroll());
  tree.sizes.observe(find(".scroll"));
  for (const touch of ["wheel", "pointerdown", "keydown"]) {
    find(".tree-panel").addEventListener(touch, () => (tree.touched = true), { passive: true });
  }
  search.addEventListener("input", tree.paint);
  search.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") go(tree.shown()[0]);
    event.stopPropagation();
  });
  trees.set(parentElement, tree);
  return tree;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const tree = trees.get(parentElement) ?? startTree(parentElement);
  const before = tree.data;
  tree.data = data;
  tree.send = setTriggerValue;
  const search = parentElement.querySelector(".search");
  search.placeholder = data.texts.search;
  search.setAttribute("aria-label", data.texts.search);
  parentElement.querySelector(".tree").setAttribute("aria-label", data.texts.tree);
  parentElement.querySelector(".nothing").textContent = data.texts.nothing;
  parentElement.querySelector(".legend").textContent = data.texts.legend;
  const content = JSON.stringify([data.lines, data.places, data.colours]);
  if (content !== tree.built) {
    tree.built = content;
    tree.build();
  }
  if (before?.picked === data.picked) tree.paint();
  else tree.reveal();
  return () => {
    tree.sizes.disconnect();
    trees.delete(parentElement);
  };
}
