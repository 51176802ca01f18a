// @ts-check
/* Copies the text that a button names, and confirms it. */
const SAID_MS = 2_000;

document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('button[data-copy]') : null;
  if (button instanceof HTMLButtonElement) void copy(button);
});

/** @param {HTMLButtonElement} button */
async function copy(button) {
  const { copy: text = '', copied = '' } = button.dataset;
  if (!(await write(text)) && !select(button, text)) return;
  if (button.classList.contains('done')) return;
  const label = button.textContent;
  button.textContent = copied;
  button.classList.add('done');
  const said = document.getElementById('said');
  if (said !== null) said.textContent = copied;
  setTimeout(() => {
    button.textContent = label;
    button.classList.remove('done');
    if (said?.textContent === copied) said.textContent = '';
  }, SAID_MS);
}

/** Writes to the clipboard, which exists only on pages of a secure origin. @param {string} text */
async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * The older method, which works everywhere: it copies the selection.
 *
 * @param {HTMLButtonElement} button
 * @param {string} text
 */
function select(button, text) {
  const field = document.createElement('textarea');
  field.value = text;
  field.setAttribute('readonly', '');
  field.className = 'unseen';
  button.after(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  button.focus();
  return done;
}
