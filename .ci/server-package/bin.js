#!/usr/bin/env node
// The command of the library, which this package brings with everything that it needs.
await import(new URL('dist/host/bin.js', import.meta.resolve('tillgate/package.json')).href);
