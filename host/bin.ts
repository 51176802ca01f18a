#!/usr/bin/env node
import { runCli } from './cli.ts';

const code = await runCli(process.argv.slice(2), {
  out: (line) => console.log(line),
  err: (line) => console.error(line),
});
// A lease, a timer or a pooled connection that is still open must not keep a finished command waiting.
process.exit(code);
