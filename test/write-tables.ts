/** Writes the parts of documents that are made from the sources: `npm run docs:tables`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DERIVED_PARTS, withPart } from './support/derived-documents.ts';
import { repository } from './support/source-tree.ts';

for (const part of DERIVED_PARTS) {
  const path = join(repository, part.document);
  writeFileSync(path, withPart(readFileSync(path, 'utf8'), part));
}
