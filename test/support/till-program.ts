import { cpSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

/** Not bundled: binaries, and drivers of unused databases. */
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
/** CommonJS packages call `require`, which a module does not have. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);\n";

/**
 * Bundles the host and its packages into one program, which starts in a tenth of the processor time of the sources:
 * tests that start many tills would spend most of their time in loading.
 *
 * @param name - a folder under node_modules/.cache, so that the program finds unbundled packages and the repository
 * stays unchanged
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
    // Reduces the size to read at each start; names stay, for stack traces.
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
  // These pages read the browser's files from beside themselves.
  for (const pages of ['checkout', 'links'])
    cpSync(join(REPOSITORY, `host/${pages}/browser`), join(folder, 'browser'), { recursive: true });
  return join(folder, `${basename(entry, '.ts')}.mjs`);
}
