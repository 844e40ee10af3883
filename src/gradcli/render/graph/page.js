"use strict";
// The state is one number, `at`: how many steps have been taken. `show` brings everything to it.
const data = JSON.parse(document.getElementById("data").textContent);
const { nodes, steps, arrows, output } = data;
const forward = steps.filter((step) => !("to" in step)).length;
const $ = (id) => document.getElementById(id);
const LEGIBLE = 0.8; // a smaller graph is scrolled instead
const still = matchMedia("(prefers-reduced-motion: reduce)");
let at = 0, timer = 0, zoom = 0, shown = null, drawing = null, shapes = [];

function make(name, attributes = {}, ...children) {
  const svg = ["svg", "g", "path", "rect", "text"].includes(name);
  const math = name[0] === "m";
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : math ? document.createElementNS("http://www.w3.org/1998/Math/MathML", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// What the numbers of a node are after `at` steps: its data once it is computed, its gradient as far as it has come.
const computed = nodes.map((_, node) => steps.findIndex((step) => step.node === node && !("to" in step)) + 1);
const arrivals = nodes.map(() => []);
steps.forEach((step, index) => { if ("to" in step) arrivals[step.to].push(index + 1); });
const dataOf = (node) => (at >= computed[node] || nodes[node].kind === "constant" ? nodes[node].data : "");
function gradOf(node) {
  if (!("grad" in nodes[node]) || at < forward) return "";
  if (node === output && !arrivals[node].length) return nodes[node].grad;
  const come = arrivals[node].filter((step) => step <= at);
  return come.length ? steps[come[come.length - 1] - 1].total : "0";
}

// ------------------------------------------------------------------------------------------------ the graph

function draw(chosen) {
  drawing = chosen;
  const root = make("svg", { viewBox: `0 0 ${chosen.width} ${chosen.height}`, role: "group", "aria-label": "Computation graph" });
  root.append(...chosen.lines.filter((line) => line.length).map((line) => make("path", { class: "line", d: line.join("") })));
  const tips = chosen.curves.map(([shared, branch, tip], index) => {
    const line = chosen.lines[arrows[index][1]][shared - 1];
    root.append(make("path", { class: "branch", d: `M${line.slice(line.lastIndexOf("L") + 1)}${branch}` }));
    return make("path", { class: "tip", d: tip });
  });
  const lit = make("g"), top = make("g");
  shapes = nodes.map((node, index) => box(node, index, chosen.boxes[index]));
  root.append(...tips, lit, ...shapes.map((shape) => shape.element), top);
  shapes.lit = lit; shapes.top = top; shapes.tips = tips; shapes.root = root; shapes.lights = [];
  $("view").replaceChildren(root);
}

function box(node, index, [x, y, width, height, pill]) {
  const kind = `node ${node.kind}${index === output ? " last" : ""}`;
  const element = make("g", { class: kind, tabindex: index ? -1 : 0, role: "img", "data-node": index });
  if (pill) {
    const [left, upper, wide, high] = pill;
    const from = `M${left + wide / 2} ${upper + high / 2}`;
    element.append(make("path", { class: "link", d: `${from}L${x + width / 2} ${y + height / 2}` }));
    element.append(make("rect", { class: "pill", x: left, y: upper, width: wide, height: high, rx: high / 2 }));
    element.append(make("text", { class: "sign", x: left + wide / 2, y: upper + high / 2 + 5 }, node.op));
  }
  element.append(make("rect", { class: "box", x, y, width, height, rx: 6 }));
  element.append(fitted(make("text", { class: "label", x: x + width / 2, y: y + 20 }, node.label), node.fit));
  if (node.rows.length) element.append(make("path", { class: "rule", d: `M${x} ${y + 30}h${width}` }));
  const numbers = {};
  node.rows.forEach(([name, text], row) => {
    const below = y + 48 + 20 * row;
    numbers[name] = make("text", { class: `value ${name}`, x: x + width - 11, y: below }, text);
    element.append(make("g", { class: "row" }, make("text", { class: "name", x: x + 11, y: below }, name), numbers[name]));
  });
  element.addEventListener("mouseenter", () => describe(index));
  element.addEventListener("mouseleave", () => describe(null));
  element.addEventListener("focus", () => describe(index));
  element.addEventListener("blur", () => describe(null));
  return { element, numbers, x, y, width, height };
}

function fitted(text, fit) {
  if (fit) { text.setAttribute("textLength", fit); text.setAttribute("lengthAdjust", "spacingAndGlyphs"); }
  return text;
}

function put(text, element) {
  if (!element || element.textContent === text) return;
  element.textContent = text;
  element.classList.remove("changed");
  if (text) requestAnimationFrame(() => element.classList.add("changed"));
}

function fill(node) {
  const { element, numbers } = shapes[node];
  const value = dataOf(node), grad = gradOf(node);
  put(value, numbers.data);
  put(grad, numbers.grad);
  element.classList.toggle("later", at < computed[node]);
  const says = [nodes[node].label, nodes[node].kind, value && `data ${value}`, grad && `grad ${grad}`];
  element.setAttribute("aria-label", says.filter(Boolean).join(", "));
}

function light(step) {
  for (const [element, look] of shapes.lights) element.classList.remove(look);
  shapes.lights = [];
  shapes.lit.replaceChildren();
  shapes.top.replaceChildren();
  if (!step) return;
  turnOn(shapes[step.node].element, "firing");
  if ("to" in step) turnOn(shapes[step.to].element, "receiving");
  const along = "to" in step ? [step.arrow] : arrows.flatMap(([node], index) => (node === step.node ? [index] : []));
  for (const index of along) {
    const [shared, branch] = drawing.curves[index];
    const line = drawing.lines[arrows[index][1]].slice(0, shared).join("");
    shapes.lit.append(make("path", { class: "lit", d: line + branch }));
    turnOn(shapes.tips[index], "on");
    if (step.part) brought(step.part, line + branch);
  }
}

function turnOn(element, look) {
  element.classList.add(look);
  shapes.lights.push([element, look]);
}

function brought(text, path) {
  const middle = make("path", { d: path });
  const start = middle.getPointAtLength(0);
  let { x, y } = middle.getPointAtLength(Math.min(34, middle.getTotalLength() / 2)); // near the box that receives
  const width = text.length * 8 + 22;
  if (Math.abs(y - start.y) > Math.abs(x - start.x)) x -= width / 2 + 8; else y -= 17; // beside the edge, or above it
  const place = { x: x - width / 2, y: y - 11, width, height: 22, rx: 11 };
  const sign = text.startsWith("-") ? "" : "+";
  shapes.top.append(make("g", { class: "brought" }, make("rect", place), make("text", { x, y: y + 5 }, sign + text)));
}

// ------------------------------------------------------------------------------------------------ size and place

function fit(least) {
  const { clientWidth, clientHeight } = $("view");
  const scale = (one) => Math.min((clientWidth - 8) / one.width, (clientHeight - 8) / one.height, 2);
  const best = data.drawings.reduce((a, b) => (scale(b) > scale(a) * 1.1 ? b : a));
  if (best !== drawing) { draw(best); nodes.forEach((_, node) => fill(node)); light(steps[at - 1]); }
  resize(Math.max(scale(best), least));
}

function resize(scale) {
  zoom = Math.min(4, Math.max(0.1, scale));
  shapes.root.setAttribute("width", drawing.width * zoom);
  shapes.root.setAttribute("height", drawing.height * zoom);
  follow(steps[at - 1]);
}

function follow(step) {
  if (!step) { $("view").scrollTo(0, 0); return; }
  const around = ["to" in step ? step.to : step.node, step.node].map((node) => shapes[node]);
  const view = $("view"), pad = 24;
  const range = (place, size, room, scroll) => {
    const lows = around.map((shape) => shape[place] * zoom - pad);
    const highs = around.map((shape) => (shape[place] + shape[size]) * zoom + pad);
    if (Math.max(...highs) - Math.min(...lows) > room) { lows.length = highs.length = 1; } // not both: then the one that changes
    const low = Math.min(...lows), high = Math.max(...highs);
    return low >= scroll && high <= scroll + room ? scroll : (low + high - room) / 2;
  };
  const left = range("x", "width", view.clientWidth, view.scrollLeft), top = range("y", "height", view.clientHeight, view.scrollTop);
  if (Math.abs(left - view.scrollLeft) > 1 || Math.abs(top - view.scrollTop) > 1) {
    view.scrollTo({ left, top, behavior: still.matches ? "auto" : "smooth" });
  }
}

// ------------------------------------------------------------------------------------------------ the words

function describe(node) {
  const current = steps[at - 1];
  const index = node ?? (current ? ("to" in current ? current.to : current.node) : output);
  shown = node;
  const { label, kind, op, operands, rules, text } = nodes[index];
  const value = data.bound ? dataOf(index) : dataOf(index) || "none was given";
  const grad = kind === "constant" || (data.bound && !("grad" in nodes[index])) ? "none: it takes no gradient" : gradOf(index) || (data.bound ? "" : "none was given");
  const field = (name, value, look) => [make("dt", {}, name), make("dd", look ? { class: look } : {}, value)];
  const names = operands.map((operand) => nodes[operand].name);
  $("fields").replaceChildren(
    make("h2", {}, text, " ", make("small", {}, { input: "an input", constant: "a constant", op: "" }[kind])),
    make("dl", {}, ...field("data", value, "data"), ...field("grad", grad, "grad"),
      ...field("_prev", `(${names.join(", ")}${names.length === 1 ? "," : ""})`), ...field("_op", op ? `'${op}'` : "''"),
      ...field("_backward", rules.join("\n") || "nothing to do: a leaf")),
  );
  $("fields").setAttribute("aria-label", `The node ${label}`);
}

function fraction(above, below) {
  const d = (name) => make("mrow", {}, make("mo", {}, "∂"), make("mi", {}, name));
  return make("mfrac", {}, d(above), d(below));
}

function mathematics(step) {
  if (!("to" in step)) return [];
  const name = (index) => (index === output ? data.name : nodes[index].atom);
  const [node, to, out] = [name(step.node), name(step.to), data.name];
  const sign = (text) => make("mo", {}, text);
  return [make("math", { displaystyle: "true" }, fraction(out, to), sign("+="), fraction(node, to), sign("·"), fraction(out, node))];
}

function tell(step) {
  const backward = at >= forward && forward < steps.length && at > 0;
  document.body.className = `${at > forward || !step ? "" : "in-forward"} ${at > forward ? "in-backward" : ""} ${timer ? "playing" : ""}`;
  $("count").textContent = `step ${at} of ${steps.length}`;
  $("mathematics").replaceChildren(...(step ? mathematics(step) : []));
  $("sentence").textContent = step ? step.says : "Press Step: the forward pass computes each value, the backward pass each gradient.";
  $("added").textContent = step?.added ?? (at === forward && backward ? data.turn : "");
}

function rows() {
  $("rows").replaceChildren(...steps.map((step, index) => {
    const back = "to" in step;
    const what = back ? `${nodes[step.node].name} → ${nodes[step.to].name}` : nodes[step.node].name;
    const detail = back ? step.brief : step.how;
    const row = make("tr", { class: back ? `backward${step.added ? " again" : ""}` : "forward", "data-step": index + 1 },
      make("td", {}, make("button", { tabindex: -1, "aria-label": `Step ${index + 1}: ${what}` }, String(index + 1))),
      make("td", {}, what, ...(detail ? [make("small", {}, detail)] : [])),
      make("td", { class: "number" }, back ? step.total : nodes[step.node].data));
    row.addEventListener("click", () => { stop(); show(index + 1); });
    return row;
  }));
}

function mark(before) {
  const list = $("rows").children;
  const [low, high] = before < 0 ? [0, list.length] : [Math.min(before, at) - 1, Math.max(before, at)];
  for (let index = Math.max(0, low); index < high; index += 1) {
    const row = list[index], current = index + 1 === at;
    row.classList.toggle("later", index + 1 > at);
    row.classList.toggle("current", current);
    row.firstChild.firstChild.tabIndex = current || (!at && !index) ? 0 : -1;
    if (current) row.setAttribute("aria-current", "step"); else row.removeAttribute("aria-current");
  }
}

const chips = new Map();
function inputs() {
  nodes.forEach((node, index) => {
    if (node.kind !== "input" && index !== output) return;
    const value = make("span"), grad = make("span", { class: "grad" });
    chips.set(index, { value, grad, element: make("li", {}, index === output ? data.name : node.name, value, grad) });
  });
  $("inputs").append(...[...chips.values()].map((chip) => chip.element));
}

function tellInput(node) {
  const chip = chips.get(node), value = dataOf(node), grad = gradOf(node);
  if (!chip) return;
  chip.value.textContent = value && ` = ${value}`;
  chip.grad.textContent = grad && ` grad ${grad}`;
  chip.element.classList.toggle("touched", steps[at - 1]?.to === node);
}

// All that has to measure the page comes after all that changes it, so that it is laid out once.
function scroll(step) {
  const row = $("rows").children[at - 1], panel = $("steps"), strip = $("inputs");
  const chip = chips.get(step?.to)?.element;
  const top = row ? row.offsetTop - 44 : 0, bottom = row ? row.offsetTop + row.offsetHeight + 8 : 0;
  if (top < panel.scrollTop) panel.scrollTop = top;
  else if (bottom > panel.scrollTop + panel.clientHeight) panel.scrollTop = bottom - panel.clientHeight;
  if (chip) strip.scrollTo(chip.offsetLeft - strip.offsetLeft - 8, chip.offsetTop - strip.offsetTop - 8);
  follow(step);
}

// ------------------------------------------------------------------------------------------------ stepping

function show(number) {
  const before = at;
  at = Math.max(0, Math.min(steps.length, number));
  const crossed = before < 0 || (before < forward) !== (at < forward);
  const touched = new Set(crossed ? nodes.keys() : []);
  for (const step of steps.slice(Math.min(before, at), Math.max(before, at))) { touched.add(step.node); if ("to" in step) touched.add(step.to); }
  const last = steps[before - 1];
  if (last && "to" in last) touched.add(last.to); // no longer the one that was touched
  touched.forEach((node) => { fill(node); tellInput(node); });
  const step = steps[at - 1];
  tell(step);
  light(step);
  mark(before);
  describe(shown);
  $("slider").value = at;
  $("reset").disabled = $("back").disabled = at === 0;
  $("step").disabled = $("end").disabled = at === steps.length;
  scroll(step);
}

function stop() {
  clearInterval(timer);
  timer = 0;
  document.body.classList.remove("playing");
  $("play").setAttribute("aria-label", "Play");
}

function play() {
  if (timer) { stop(); return; }
  if (at === steps.length) show(0);
  timer = setInterval(() => { show(at + 1); if (at === steps.length) stop(); }, Number($("speed").value));
  document.body.classList.add("playing");
  $("play").setAttribute("aria-label", "Pause");
}

const jump = (number) => () => { stop(); show(number()); };
const moves = { reset: jump(() => 0), back: jump(() => at - 1), step: jump(() => at + 1), end: jump(() => steps.length), play };
for (const [id, move] of Object.entries(moves)) $(id).addEventListener("click", move);
const keys = { ArrowRight: moves.step, ArrowLeft: moves.back, Home: moves.reset, End: moves.end, " ": play };
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || ["INPUT", "SELECT"].includes(event.target.tagName)) return;
  if (event.key === " " && event.target.tagName === "BUTTON") return; // presses the button
  const inTable = event.target.closest("table"), inGraph = event.target.closest(".node");
  const vertical = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (vertical && inTable) { moves[vertical > 0 ? "step" : "back"](); $("rows").children[Math.max(0, at - 1)].querySelector("button").focus(); }
  else if (vertical && inGraph) wander(Number(inGraph.dataset.node) + vertical);
  else if (keys[event.key]) keys[event.key]();
  else return;
  event.preventDefault();
});
function wander(node) {
  const next = shapes[Math.max(0, Math.min(nodes.length - 1, node))].element;
  for (const { element } of shapes) element.tabIndex = element === next ? 0 : -1;
  next.focus();
}
$("slider").addEventListener("input", (event) => { stop(); show(Number(event.target.value)); });
$("speed").addEventListener("change", () => { if (timer) { stop(); play(); } });
$("smaller").addEventListener("click", () => resize(zoom / 1.25));
$("larger").addEventListener("click", () => resize(zoom * 1.25));
$("fit").addEventListener("click", () => fit(0.1));
let waiting = 0;
addEventListener("resize", () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(() => fit(LEGIBLE)); });

document.title = `${data.expression.replace(/\s+/g, " ").slice(0, 60)} · gradcli`;
$("expression").textContent = data.expression;
$("expression").classList.toggle("long", data.expression.length > 100 || data.expression.includes("\n"));
$("slider").max = steps.length;
rows();
inputs();
draw(data.drawings[0]);
at = -1;
show(0);
fit(LEGIBLE);
