import { readFileSync } from 'node:fs';
import { browserScript, styleWith } from '../checkout/browser-files.ts';
import type { PageFiles } from '../checkout/browser-files.ts';

/** Each in a block of its own, so that their names cannot clash. */
const SCRIPTS = ['point-of-sale.js', 'cart.js'];

/** The script of the point of sale, and the style of the payer's page with the additions for it. */
export function readLinkFiles(): PageFiles {
  const read = (name: string): string => readFileSync(new URL(`browser/${name}`, import.meta.url), 'utf8');
  const script = SCRIPTS.map((name) => `{\n${read(name)}}\n`).join('');
  return { script: browserScript('links', script), style: styleWith(read('links.css')) };
}
