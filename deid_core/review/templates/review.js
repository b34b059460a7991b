// The page of `deid review`: shows a note before and after, and sends what its reader marked.
//
// Places count code points, as everywhere in deid, so texts are arrays of code points here. An item is a range of the
// text before, with a type and a state: accepted (it identifies somebody), wrong (it does not), open (to be decided).
// Whatever is accepted when the reader presses Enter is stored.
"use strict";

const $ = (id) => document.getElementById(id);
const { words, types } = JSON.parse(document.body.dataset.script);
const writes = document.body.dataset.writes === "yes";
const labelOf = {};
const typeOf = {};
for (const choice of document.querySelectorAll("#choose button")) {
  labelOf[choice.dataset.type] = choice.dataset.label;
  typeOf[choice.dataset.key] = choice.dataset.type;
}

let queue = { read: [] };
let number = 0; // of the note in the queue
let note = null;
let before = [], after = []; // code points
let plain = []; // ranges of text that is in both: {before, after, length}
let selected = null; // an item
let past = []; // earlier states of the items, for taking back
let ahead = {}; // notes that were asked for in advance, by number
let chosen = null; // what happens with the type that is chosen

const say = (key, values = {}) => words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);

function tell(text, problem = false) {
  $("message").textContent = text;
  $("message").classList.toggle("problem", problem);
}

async function ask(path, sent) {
  const options = sent && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(sent) };
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error(words.offline);
  }
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

// Notes

async function show(index) {
  const count = queue.read.length;
  number = Math.max(0, Math.min(index, count - 1));
  location.replace(`#${number + 1}`);
  [note, selected, past] = [null, null, []];
  let problem = "";
  try {
    note = await (ahead[number] || ask(`api/notes/${number}`));
  } catch (error) {
    problem = say("problem", { problem: error.message });
  }
  ahead = {};
  before = Array.from(note ? note.before : "");
  after = Array.from(note ? note.after : "");
  plain = note ? plainRanges() : [];
  $("number").textContent = say("note", { number: number + 1, all: count });
  $("year").textContent = note ? say("year", { year: note.year }) : "";
  tell(problem || (note.changed ? words.changed : note.read ? words.was_read : ""), Boolean(problem || note.changed));
  draw();
  for (const pane of ["before", "after"]) $(pane).scrollTop = 0;
  $("after").focus({ preventScroll: true });
  if (number + 1 < count) {
    ahead[number + 1] = ask(`api/notes/${number + 1}`);
    ahead[number + 1].catch(() => {});
  }
}

async function finish() {
  if (!note || !writes) return show(number + 1);
  const undecided = note.items.filter((item) => item.state === "open").length;
  if (undecided) return tell(say("undecided", { n: undecided }), true);
  const accepted = note.items.filter((item) => item.state === "accepted");
  const marks = accepted.map(({ start, end, type }) => ({ start, end, type }));
  let stored;
  try {
    stored = await ask(`api/notes/${number}`, { marks });
  } catch (error) {
    return tell(say("not_stored", { problem: error.message }), true);
  }
  queue.read[number] = true;
  const told = words.stored + (stored.readable ? ` ${say("readable", { n: stored.readable })}` : "");
  if (number + 1 < queue.read.length) {
    await show(number + 1);
    if (!$("message").textContent) tell(told);
  } else {
    draw();
    const agreed = await ask("api/agreement").catch(() => null);
    const shown = agreed && say("agreement", { ...agreed, kappa: agreed.kappa.toFixed(2), f1: agreed.f1.toFixed(2) });
    tell([told, say("end", counts()), shown].filter(Boolean).join(" "));
  }
}

const counts = () => ({ read: queue.read.filter(Boolean).length, all: queue.read.length });

// Places: what was removed lies between the ranges that are in both texts.

function plainRanges() {
  const found = [];
  let [from, to] = [0, 0];
  for (const [index, [start, end]] of [...note.spans, [before.length, before.length]].entries()) {
    found.push({ before: from, after: to, length: start - from });
    [from, to] = [end, index < note.outputs.length ? note.outputs[index][1] : after.length];
  }
  return found;
}

function toAfter(start, end) {
  return plain
    .map((part) => {
      const first = Math.max(start, part.before), last = Math.min(end, part.before + part.length);
      return { start: first - part.before + part.after, end: last - part.before + part.after };
    })
    .filter((range) => range.start < range.end);
}

function toBefore(place, isEnd) {
  for (const [index, part] of plain.entries()) {
    if (place <= part.after + part.length && (isEnd || place < part.after + part.length || index === plain.length - 1)) {
      // In a placeholder: the edge of what it stands for.
      return place < part.after ? (isEnd ? part.before : plain[index - 1].before + plain[index - 1].length) : part.before + place - part.after;
    }
  }
  return before.length;
}

// Drawing

function draw() {
  const items = note ? note.items : [];
  drawText($("before"), before, items.map((item) => ({ start: item.start, end: item.end, item })));
  const ranges = [];
  for (const item of items) {
    const index = note.spans.findIndex(([start, end]) => start === item.start && end === item.end);
    if (index >= 0) ranges.push({ start: note.outputs[index][0], end: note.outputs[index][1], item });
    else ranges.push(...toAfter(item.start, item.end).map((range) => ({ ...range, item })));
  }
  drawText($("after"), after, ranges);
  drawItem();
  const { read, all } = counts();
  $("progress").max = Math.max(all, 1);
  $("progress").value = read;
  $("count").textContent = say("of", { read, all });
  for (const name of ["accept", "wrong", "relabel"]) if ($(name)) $(name).disabled = !selected;
}

const rank = (item) => (item === selected ? 0 : item.state !== "wrong" ? 1 : item.source === "dropped" ? 3 : 2);

function drawText(pane, points, ranges) {
  const edges = new Set([0, points.length]);
  for (const { start, end } of ranges) edges.add(start).add(end);
  const sorted = [...edges].sort((a, b) => a - b);
  const parts = [];
  const begun = new Set();
  for (const [index, start] of sorted.slice(0, -1).entries()) {
    const text = points.slice(start, sorted[index + 1]).join("");
    const covering = ranges.filter((range) => range.start <= start && start < range.end).map((range) => range.item);
    const item = covering.sort((a, b) => rank(a) - rank(b))[0];
    parts.push(item ? markOf(item, text, !begun.has(item)) : text);
    begun.add(item);
  }
  pane.replaceChildren(...parts);
}

function markOf(item, text, first) {
  const mark = document.createElement("mark");
  mark.className = [item.label, item.state, item.source, item === selected ? "selected" : ""].join(" ");
  if (first && item.doubtful) mark.classList.add("doubtful");
  mark.title = `${item.label} · ${types[item.type] || item.type}`;
  mark.textContent = text;
  mark.addEventListener("click", () => getSelection().isCollapsed && select(item, false));
  return mark;
}

function drawItem() {
  const shown = $("item");
  shown.replaceChildren();
  if (!selected) return;
  const swatch = document.createElement("span");
  swatch.className = `swatch ${selected.label}`;
  swatch.textContent = `${selected.label} · ${types[selected.type] || selected.type}`;
  const rule = document.createElement("code");
  rule.textContent = [selected.recogniser, selected.rule].filter(Boolean).join(" · ");
  const details = [
    selected.readers ? say("readers", { numbers: selected.readers.join(", ") }) : words[selected.source],
    selected.score === undefined ? "" : say("score", { score: selected.score.toFixed(2) }),
    selected.reason,
  ];
  shown.append(swatch, ` ${details.filter(Boolean).join(" · ")} `, rule, ` → ${words[selected.state]}`);
}

// Items

function select(item, scroll = true) {
  selected = item;
  draw();
  if (scroll) for (const mark of document.querySelectorAll("mark.selected")) mark.scrollIntoView({ block: "nearest" });
}

function step(by, wanted = () => true) {
  const items = note ? note.items.filter((item) => wanted(item)) : [];
  if (!items.length) return;
  const at = selected ? items.indexOf(selected) : -1;
  if (at >= 0) return select(items[(at + by + items.length) % items.length]);
  const next = items.findIndex((item) => !selected || item.start > selected.start);
  select(items[by > 0 ? Math.max(next, 0) : (next > 0 ? next : items.length) - 1]);
}

function change(item, changes) {
  past.push(note.items.map((each) => ({ ...each })));
  Object.assign(item, changes);
  if (item.state === "accepted") {
    // Marks do not overlap: the last word counts.
    for (const other of note.items) {
      if (other !== item && other.start < item.end && item.start < other.end && other.state !== "wrong") other.state = "wrong";
    }
  }
}

function decide(state) {
  if (!writes || !selected) return;
  change(selected, { state });
  step(1);
}

function takeBack() {
  if (!past.length) return;
  note.items = past.pop();
  select(null);
}

function relabel() {
  const item = selected;
  if (writes && item) choose((type) => change(item, { type, label: labelOf[type], state: "accepted" }));
}

function markSelection() {
  if (!writes || !note) return;
  const range = selectedRange() || (selected && { start: selected.start, end: selected.end });
  if (!range) return tell(words.select_first, true);
  choose((type) => {
    const same = note.items.find((item) => item.start === range.start && item.end === range.end);
    const item = same || { ...range, source: "reader", doubtful: false };
    change(item, { type, label: labelOf[type], state: "accepted" });
    if (!same) note.items = [...note.items, item].sort((a, b) => a.start - b.start || a.end - b.end);
    getSelection().removeAllRanges();
    selected = item;
  });
}

function choose(then) {
  chosen = then;
  $("choose").showModal();
}

function choice(type) {
  $("choose").close();
  chosen(type);
  tell("");
  draw();
}

// Selecting text, with the mouse or word by word

const paneOf = (node) => (node instanceof Element ? node : node && node.parentElement)?.closest(".text");

function offset(pane, node, at) {
  const range = document.createRange();
  range.selectNodeContents(pane);
  range.setEnd(node, at);
  return Array.from(range.toString()).length;
}

function selectedRange() {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const pane = paneOf(range.startContainer);
  if (!pane || pane !== paneOf(range.endContainer)) return null;
  let start = offset(pane, range.startContainer, range.startOffset);
  let end = offset(pane, range.endContainer, range.endOffset);
  if (pane.id === "after") [start, end] = [toBefore(start, false), toBefore(end, true)];
  while (start < end && !before[start].trim()) start += 1;
  while (start < end && !before[end - 1].trim()) end -= 1;
  return start < end ? { start, end } : null;
}

function place(pane, at) {
  const walker = document.createTreeWalker(pane, NodeFilter.SHOW_TEXT);
  let left = at;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const points = Array.from(node.data);
    if (left <= points.length) return [node, points.slice(0, left).join("").length];
    left -= points.length;
  }
  return [pane, pane.childNodes.length];
}

// Words of a text: start and end in code points, and the number of the line.
function wordsIn(points) {
  const text = points.join("");
  const found = [];
  let [unit, point, line] = [0, 0, 0];
  for (const match of text.matchAll(/[\p{L}\p{N}]+(?:[-.'’@][\p{L}\p{N}]+)*/gu)) {
    const between = Array.from(text.slice(unit, match.index));
    const start = point + between.length;
    [unit, point] = [match.index + match[0].length, start + Array.from(match[0]).length];
    line += between.filter((each) => each === "\n").length;
    found.push({ start, end: point, line });
  }
  return found;
}

function moveWord(key, extend) {
  const pane = paneOf(document.activeElement) || $("after");
  const found = wordsIn(pane.id === "after" ? after : before);
  if (!found.length) return;
  const selection = getSelection();
  const inside = selection.rangeCount && paneOf(selection.anchorNode) === pane;
  const first = inside ? offset(pane, selection.anchorNode, selection.anchorOffset) : 0;
  const last = inside ? offset(pane, selection.focusNode, selection.focusOffset) : 0;
  let at = found.findIndex((word) => word.end >= last);
  if (at < 0) at = found.length - 1;
  const here = found[at];
  if (key === "ArrowRight" && last > here.start) at += 1;
  if (key === "ArrowLeft") at -= 1;
  if (key === "ArrowDown") at = found.findIndex((word) => word.line > here.line);
  if (key === "ArrowUp") {
    const above = found.findLast((word) => word.line < here.line);
    at = above ? found.findIndex((word) => word.line === above.line) : -1;
  }
  if (at < 0 || at >= found.length) return;
  const anchor = extend && inside && !selection.isCollapsed ? first : found[at].start;
  const [anchorNode, anchorAt] = place(pane, anchor);
  const [focusNode, focusAt] = place(pane, found[at].end);
  selection.setBaseAndExtent(anchorNode, anchorAt, focusNode, focusAt);
  focusNode.parentElement.scrollIntoView({ block: "nearest" });
}

// Keys

const actions = {
  Enter: finish,
  n: () => show(number + 1),
  p: () => show(number - 1),
  j: () => step(1),
  k: () => step(-1),
  d: () => step(1, (item) => item.doubtful),
  a: () => decide("accepted"),
  w: () => decide("wrong"),
  r: relabel,
  m: markSelection,
  u: takeBack,
  "?": () => $("help").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if ($("choose").open) {
    const type = typeOf[event.key];
    if (type) {
      event.preventDefault();
      choice(type);
    }
    return;
  }
  if ($("help").open || (event.key === "Enter" && event.target instanceof HTMLButtonElement)) return;
  if (event.key.startsWith("Arrow")) {
    event.preventDefault();
    moveWord(event.key, event.shiftKey);
  } else if (actions[event.key]) {
    event.preventDefault();
    actions[event.key]();
  }
});

const clicks = { previous: "p", next: "n", done: "Enter", "help-button": "?", accept: "a", wrong: "w", relabel: "r", mark: "m" };
for (const [id, key] of Object.entries(clicks)) {
  // Else the button would take the selection of text away.
  $(id)?.addEventListener("mousedown", (event) => event.preventDefault());
  $(id)?.addEventListener("click", () => actions[key]());
}
for (const button of document.querySelectorAll("#choose button")) {
  button.addEventListener("click", () => choice(button.dataset.type));
}
// The two texts scroll together.
for (const [pane, other] of [["before", "after"], ["after", "before"]]) {
  $(pane).addEventListener("wheel", () => requestAnimationFrame(() => {
    const share = $(pane).scrollTop / Math.max(1, $(pane).scrollHeight - $(pane).clientHeight);
    $(other).scrollTop = share * ($(other).scrollHeight - $(other).clientHeight);
  }), { passive: true });
}

async function start() {
  try {
    queue = await ask("api/queue");
  } catch (error) {
    return tell(error.message, true);
  }
  if (!queue.read.length) {
    draw();
    return tell(words.nothing);
  }
  const unread = queue.read.indexOf(false);
  await show(location.hash ? Number(location.hash.slice(1)) - 1 || 0 : Math.max(unread, 0));
}
start();
