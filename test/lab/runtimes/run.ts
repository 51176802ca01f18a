/**
 * Runs the tests of what the product leans on in Node, on each supported release of Node.
 *
 *     npm run test:runtimes                 all of them
 *     npm run test:runtimes -- websocket    files whose path contains one of the words
 *
 * The releases are npm packages, which test/lab/runtimes/package.json pins; they run on Linux with x64 alone.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compiledName, compileSources, repository } from '../../runner/compile.ts';
import { TEST_FILES } from './leaned-on.ts';

const HERE = dirname(fileURLToPath(import.meta.url));
/** A file that takes longer hangs. */
const LIMIT_MS = 300_000;

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

/** A release's program. @throws Error where npm cannot install it; it has said why by then */
function programs(): ReadonlyMap<string, string> {
  const { dependencies } = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8')) as Manifest;
  const found = Object.entries(dependencies).map(([name, range]) => ({
    version: range.slice(range.lastIndexOf('@') + 1),
    program: join(HERE, 'node_modules', name, 'bin/node'),
  }));
  const runs = ({ version, program }: (typeof found)[number]): boolean =>
    existsSync(program) && spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout.trim() === `v${version}`;
  if (!found.every(runs)) {
    const { status } = spawnSync('npm', ['ci'], { cwd: HERE, stdio: ['ignore', 'inherit', 'inherit'] });
    if (status !== 0 || !found.every(runs))
      throw new Error(`npm ci in test/lab/runtimes ended with ${status}; see above`);
  }
  return new Map(found.map(({ version, program }) => [version, program]));
}

/** Runs a compiled file. @returns how many of its tests passed, or FAILED; then everything that it said is printed */
async function run(program: string, file: string): Promise<string> {
  const child = spawn(program, ['--enable-source-maps', '--test-reporter=tap', file], {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const overdue = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(overdue);
  const passed = Number(/^# pass (\d+)$/m.exec(said)?.[1] ?? 0);
  if (code === 0 && passed > 0) return String(passed);
  console.error(said);
  return 'FAILED';
}

async function main(words: readonly string[]): Promise<number> {
  const files = TEST_FILES.filter((path) => words.length === 0 || words.some((word) => path.includes(word)));
  const releases = programs();
  const compiled = await compileSources(`runtimes-${process.pid}`);
  const rows: string[][] = [];
  try {
    for (const path of files) {
      const row = [path];
      for (const program of releases.values()) row.push(await run(program, join(compiled.folder, compiledName(path))));
      rows.push(row);
      console.log(row.join('  '));
    }
  } finally {
    compiled.remove();
  }
  const width = Math.max(...files.map(({ length }) => length));
  const line = ([path = '', ...cells]: readonly string[]): string =>
    [path.padEnd(width), ...cells.map((cell) => cell.padEnd(10))].join('  ').trimEnd();
  console.log(`\n${[line(['tests that passed', ...releases.keys()]), ...rows.map(line)].join('\n')}`);
  return files.length > 0 && rows.flat().every((cell) => cell !== 'FAILED') ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
