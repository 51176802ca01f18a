// Leaves in a folder's package.json what the built server needs when it runs, each package in the version that is tested:
//
//   node examples/self-host/run-time-packages.mjs [folder]     then npm prune there

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGES, manifestOf } from '../../.ci/packages.mjs';

const file = join(process.argv[2] ?? '.', 'package.json');
const {
  devDependencies: _forDevelopment,
  optionalDependencies: _forTests,
  ...rest
} = JSON.parse(readFileSync(file, 'utf8'));
// The built server contains the library.
const { tillgate: _library, ...dependencies } = manifestOf(PACKAGES.find(({ bin }) => bin !== null)).dependencies;
writeFileSync(file, `${JSON.stringify({ ...rest, dependencies }, null, 2)}\n`);
