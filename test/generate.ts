/** Writes what is made from the sources: parts of documents, and the types of the API. `npm run generate` */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DERIVED_PARTS, withPart } from './support/derived-documents.ts';
import { generatedFiles } from './support/generated-files.ts';
import { repository } from './support/source-tree.ts';

for (const part of DERIVED_PARTS) {
  const path = join(repository, part.document);
  writeFileSync(path, withPart(readFileSync(path, 'utf8'), part));
}
for (const [path, text] of await generatedFiles()) writeFileSync(join(repository, path), text);
