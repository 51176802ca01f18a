/**
 * What a user would pick instead, as far as package registries have it, side by side on one core.
 *
 *     npm run bench -- peers               the gate, then Lightning orders
 *     npm run bench -- peers gate          one of them
 *     npm run bench -- peers lightning
 *
 * LNbits is installed from PyPI into a virtual environment under node_modules/.cache, once. What is not there is left
 * out, and said.
 */
import { measureGate } from './support/peers-gate.ts';
import { measureInvoices } from './support/peers-lightning.ts';

const PARTS: Readonly<Record<string, () => Promise<void>>> = { gate: measureGate, lightning: measureInvoices };

async function run(words: readonly string[]): Promise<void> {
  const wanted = Object.keys(PARTS).filter((part) => words.includes(part));
  for (const part of wanted.length === 0 ? Object.keys(PARTS) : wanted) await PARTS[part]?.();
}

export default { name: 'peers', run };
