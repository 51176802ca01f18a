// @ts-check
/* Counts down from the remaining time that the server sent; the browser's clock only measures the time since then. */
const LAST_MS = 60_000;

let end = 0;
let warned = false;
/** @type {Element | null} */
let shown = null;

function begin() {
  const left = document.getElementById('left');
  if (left === shown) return;
  shown = left;
  if (left === null) return;
  end = performance.now() + Number(left.dataset['left']);
  warned ||= Number(left.dataset['left']) < LAST_MS;
  tick();
}

function tick() {
  const left = document.getElementById('left');
  if (left === null) return;
  const ms = Math.max(0, end - performance.now());
  const seconds = Math.floor(ms / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const digits = (parts[0] === 0 ? parts.slice(1) : parts).map((part, at) =>
    String(part).padStart(at === 0 ? 1 : 2, '0'),
  );
  left.textContent = `\u2066${digits.join(':')}\u2069`;
  if (ms < LAST_MS && !warned) {
    warned = true;
    const said = document.getElementById('said');
    if (said !== null) said.textContent = left.dataset['lastMinute'] ?? '';
  }
  if (ms === 0 && end !== 0) {
    end = 0;
    dispatchEvent(new Event('checkout:stale'));
  }
}

begin();
setInterval(tick, 1000);
addEventListener('checkout:shown', begin);
