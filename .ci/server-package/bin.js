#!/usr/bin/env node
// The command of the library, which this package installs together with all of its dependencies.
await import(new URL('dist/host/bin.js', import.meta.resolve('tillgate/package.json')).href);
