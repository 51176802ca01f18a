import { readFileSync } from 'node:fs';
import { readBrowserFiles } from '../checkout/browser-files.ts';
import type { PageFiles } from '../checkout/document.ts';
import { pageFile } from '../links/link-files.ts';

/** The script of the claim page, and the style of the payer's page with the additions for it. */
export function readClaimFiles(): PageFiles {
  const read = (name: string): string => readFileSync(new URL(`browser/${name}`, import.meta.url), 'utf8');
  return {
    script: pageFile('claim', 'js', read('claim.js')),
    style: pageFile('claim', 'css', `${readBrowserFiles().style.body.toString()}${read('claim.css')}`),
  };
}
