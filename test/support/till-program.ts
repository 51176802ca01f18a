import { cpSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

/** What is loaded from where it lies: binaries, and drivers of databases that nobody asked for. */
const LEFT_OUT = [
  'esbuild',
  'sqlite3',
  'pg-native',
  'better-sqlite3',
  'mysql',
  'mysql2',
  'mariadb',
  'mariadb/callback',
  'oracledb',
  'tedious',
  'pg-query-stream',
  'cloudflare:sockets',
];
/** Packages of CommonJS ask for `require`, which a module does not have. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);\n";

/**
 * Builds the host and its packages as one program, which takes a tenth of the processor time to start that the sources
 * take: tests that start tills again and again would spend most of their time in loading.
 *
 * @param name - a folder under node_modules/.cache, so that the program finds what is left out and nothing of the repository changes
 * @param entry - the module that runs the host; its path under the repository, or an absolute one
 * @returns the program's file, in that folder
 */
export async function buildTill(name: string, entry = 'host/bin.ts'): Promise<string> {
  const folder = join(REPOSITORY, 'node_modules', '.cache', name);
  await build({
    absWorkingDir: REPOSITORY,
    entryPoints: [entry],
    bundle: true,
    splitting: true,
    // Less to read at each start; names stay, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: LEFT_OUT,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    banner: { js: REQUIRE },
    logLevel: 'silent',
  });
  // These pages read what the browser gets from beside themselves.
  for (const pages of ['checkout', 'links'])
    cpSync(join(REPOSITORY, `host/${pages}/browser`), join(folder, 'browser'), { recursive: true });
  return join(folder, `${basename(entry, '.ts')}.mjs`);
}
