// Leaves in a folder's package.json what the server needs when it runs, each package in the version that is tested:
//
//   node examples/self-host/run-time-packages.mjs [folder]     then npm prune there
//
// They are optional peers of the package, because an application that embeds a till takes only some. Installed for development,
// they would go with it.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const file = join(process.argv[2] ?? '.', 'package.json');
const {
  devDependencies,
  peerDependencies,
  peerDependenciesMeta: _optional,
  optionalDependencies: _forTests,
  ...rest
} = JSON.parse(readFileSync(file, 'utf8'));
const dependencies = Object.fromEntries(Object.keys(peerDependencies).map((name) => [name, devDependencies[name]]));
const missing = Object.keys(dependencies).filter((name) => dependencies[name] === undefined);
if (missing.length > 0) throw new Error(`no version is tested of ${missing.join(', ')}`);
writeFileSync(file, `${JSON.stringify({ ...rest, dependencies }, null, 2)}\n`);
