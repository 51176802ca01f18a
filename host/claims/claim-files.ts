import { readFileSync } from 'node:fs';
import { browserScript, styleWith } from '../checkout/browser-files.ts';
import type { PageFiles } from '../checkout/browser-files.ts';

/** The script of the claim page, and the style of the payer's page with the additions for it. */
export function readClaimFiles(): PageFiles {
  const read = (name: string): string => readFileSync(new URL(`browser/${name}`, import.meta.url), 'utf8');
  return { script: browserScript('claim', read('claim.js')), style: styleWith(read('claim.css')) };
}
