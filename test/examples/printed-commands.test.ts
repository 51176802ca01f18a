import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { after, afterEach, test } from 'node:test';
import { blocksOfGuide } from '../support/guides.ts';
import { freshDirectory, killAll, serve } from '../host/till-process.ts';
import { startAnvil } from '../support/anvil.ts';
import { endWithThisProcess } from '../support/processes.ts';
import { repository } from '../support/source-tree.ts';

/**
 * `npm` of the repository, in the folder of a test: the scripts are run where its settings are. In the foreground,
 * `timeout` passes a signal on once; otherwise twice, and a server ends at once with 1 at the second.
 */
const NPM = `npm() {
  case "$*" in
    "run --silent tillgate -- "*) shift 4; $TILLGATE "$@" ;;
    start) timeout --foreground 60 $TILLGATE serve >server.log 2>&1 & server=$!
      until grep -q 'listens on' server.log; do kill -0 $server || { cat server.log; exit 1; }; sleep 0.1; done
      kill $server; wait $server ;;
    *) command npm "$@" ;;
  esac
}`;
const directories = [freshDirectory(), freshDirectory()] as const;
afterEach(killAll);
after(() => directories.forEach((each) => each.remove()));

/** Runs commands as a shell does that stops at the first failure. @returns what they said */
function shell(folder: string, script: string): Promise<string> {
  const built = process.env['TEST_TILL_PROGRAM'];
  const sources = `--import ${import.meta.resolve('tsx')} ${join(repository, 'host/bin.ts')}`;
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:TILLGATE_|NODE_(?:OPTIONS|TEST_CONTEXT|V8_COVERAGE)$)/.test(name),
  );
  const child = spawn('bash', ['-euo', 'pipefail', '-c', `${NPM}\n${script}`], {
    cwd: folder,
    env: { ...Object.fromEntries(inherited), TILLGATE: `${process.execPath} ${built ?? sources}`, TILLGATE_PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithThisProcess(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  return new Promise((resolve, reject) =>
    child.once('close', (code) => (code === 0 ? resolve(said) : reject(new Error(`ended with ${code}: ${said}`)))),
  );
}

/** What begins the blocks of README.md after the server was started, in their order. */
const README_STEPS = ['KEY=', 'curl -s http://localhost:8080/v1/orders', 'ID=', 'curl -s ', 'npm run --silent '];
/** "After a moment": the order's own status is what the reader waits for. */
const untilPaid = (line: string): string =>
  line.includes('/v1/orders/$ID')
    ? `until ${line} | tee last | grep -q '"SUCCESS"'; do sleep 0.1; done; cat last`
    : line;

test('README.md leads from a running server to a paid order, by its commands as they are printed', async () => {
  const [{ path }] = directories;
  const url = await serve(path).url();
  const steps = blocksOfGuide('README.md').slice(-README_STEPS.length);
  for (const [at, begin] of README_STEPS.entries()) assert.ok(steps[at]?.startsWith(begin), steps[at]);
  const lines = steps.flatMap((block) => block.split('\n')).map(untilPaid);
  const said = await shell(path, lines.join('\n').replaceAll('http://localhost:8080', url));
  assert.match(said, /"pay_url":"[\s\S]*"status":"SUCCESS"[\s\S]*The ledger is in order\./);
});

test('host/README.md leads from a file of settings to a server that is ready, by its commands as they are printed', async (t) => {
  const [, { path, write }] = directories;
  const anvil = await startAnvil();
  t.after(() => anvil.stop());
  const options = { rpcUrls: [anvil.url], chainId: anvil.chainId, tokens: {}, confirmations: 1 };
  write('tillgate.config.json', {
    mode: 'production',
    baseUrl: 'https://pay.example.com',
    auth: { breachedPasswords: null },
    database: { client: 'sqlite' },
    rates: { sources: [{ use: 'static', prices: { ETH: '2500', EUR: '1.1' } }] },
    plugins: [{ use: 'ethereum', options }],
  });
  const [block = ''] = blocksOfGuide('host/README.md').filter((each) => each.includes('-- migrate'));
  const script = block
    .replace(
      /^(.*account create [^#\n]*?) *(?:#.*)?$/m,
      `printf 'a good long password' | $1 --password-stdin | tee last`,
    )
    .replace(/^(.*credential create --account) ID/m, `$1 $(grep -o '[0-9]\\{18,19\\}' last)`);
  const said = await shell(path, script);
  assert.match(said, /api_key: tak_/);
});

test('CONTRIBUTING.md runs one test file, and one test of it, by its commands as they are printed', async () => {
  const commands = blocksOfGuide('CONTRIBUTING.md')
    .flatMap((block) => block.split('\n'))
    .filter((line) => /^(?:npm test -- settle-order|node --import tsx --test )/.test(line));
  assert.equal(commands.length, 3);
  for (const command of commands) {
    const said = await shell(repository, command);
    assert.match(said, /pass [1-9]/, command);
    assert.match(said, /fail 0/, command);
  }
});
