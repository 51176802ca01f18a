import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readGuides } from '../../host/api-docs/guides.ts';
import { blocksOf } from '../../host/api-docs/markdown.tsx';
import { freshDirectory, killAll, serve } from '../host/till-process.ts';
import { endWithThisProcess } from '../support/processes.ts';

/** What a reader waits for after each `show $ID` of the guide to test payments, in their order. */
const SHOWN = [
  '"status":"SUCCESS"',
  '"received":"10"',
  '"status":"SUCCESS"',
  '"received":"30"',
  '"status":"OVERDUE"',
  '"status":"RESOLVED"',
];
const CLIENT = new URL('../../adapters/client/index.ts', import.meta.url).href;

describe(
  'the guides of the documentation lead where they say, by their programs as they are printed',
  { concurrency: 1 },
  () => {
    const directory = freshDirectory();
    let url = '';
    before(async () => {
      // A reader waits a minute for a deadline; the test does not.
      directory.write('tillgate.config.json', { mode: 'sandbox', orders: { minTimeoutSeconds: 1 } });
      url = await serve(directory.path).url();
    });
    after(async () => {
      await killAll();
      directory.remove();
    });

    /** Runs a program in the folder of the till. @returns what it said */
    function run(program: string, args: readonly string[]): Promise<string> {
      const inherited = Object.entries(process.env).filter(([name]) => !/^(?:TILLGATE_|NODE_)/.test(name));
      const child = spawn(program, args, {
        cwd: directory.path,
        env: Object.fromEntries(inherited),
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

    const programs = (slug: string, language: string): string[] => {
      const guide = readGuides(url).find((each) => each.slug === slug);
      assert.ok(guide !== undefined, slug);
      return blocksOf(guide.text).flatMap((block) =>
        block.kind === 'code' && block.language === language ? [block.text] : [],
      );
    };
    const shell = (lines: readonly string[]): Promise<string> =>
      run('bash', ['-eo', 'pipefail', '-c', lines.join('\n')]);
    /** "After a moment": repeats a command until it says what the reader waits for. */
    const until = (command: string, text: string): string =>
      `until ${command} | tee last | grep -q '${text}'; do sleep 0.1; done; cat last`;
    async function typescript(text: string): Promise<string> {
      assert.ok(text.includes(`'@tillgate/client'`));
      directory.write('guide.mts', text.replace('@tillgate/client', CLIENT));
      return run(process.execPath, ['--import', import.meta.resolve('tsx'), join(directory.path, 'guide.mts')]);
    }

    test('five minutes, with curl', async () => {
      const lines = programs('', 'sh').flatMap((block) => block.split('\n'));
      assert.equal(lines.filter((line) => line.includes('/v1/orders/$ID')).length, 1);
      const said = await shell(
        lines.map((line) => (line.includes('/v1/orders/$ID') ? until(line, '"status":"SUCCESS"') : line)),
      );
      assert.match(said, /"pay_url":"[\s\S]*"status":"SUCCESS"/);
    });

    test('five minutes, with TypeScript', async () => {
      const [text = ''] = programs('', 'ts');
      assert.match(await typescript(text), /Send the payer to http.*\/checkout\/\w+\nOrder \d+ is SUCCESS/);
    });

    test('test payments: each case, and blocks', async () => {
      const expected = [...SHOWN];
      const lines = programs('sandbox', 'sh')
        .flatMap((block) => block.split('\n'))
        .map((line) => {
          if (line.startsWith('sleep ')) return '';
          if (line !== 'show $ID') return line.replace('"expires_in":60', '"expires_in":1');
          return until(line, expected.shift() ?? 'one case more than the test knows');
        });
      const said = await shell(lines);
      assert.deepEqual(expected, []);
      for (const text of SHOWN) assert.ok(said.includes(text), text);
      assert.match(said, /"chains":\["ETH"\],"count":3/);
    });

    test('errors: the answer has the fields that are printed', async () => {
      const said = JSON.parse(await shell(programs('errors', 'sh'))) as { error: object };
      const [printed = ''] = programs('errors', 'json');
      const expected = JSON.parse(printed) as { error: object };
      assert.deepEqual({ ...said.error, trace_id: '' }, { ...expected.error, trace_id: '' });
    });

    test('idempotency, with curl and with TypeScript', async () => {
      await shell(programs('idempotency', 'sh'));
      const [text = ''] = programs('idempotency', 'ts');
      assert.match(await typescript(text), /One order/);
    });

    test('no program of a guide is left out', () => {
      const run = { '': ['sh', 'ts'], sandbox: ['sh'], errors: ['sh', 'json'], idempotency: ['sh', 'ts'] } as const;
      for (const { slug, text } of readGuides(url)) {
        const languages = blocksOf(text).flatMap((block) => (block.kind === 'code' ? [block.language] : []));
        const known: readonly string[] = run[slug as keyof typeof run] ?? [];
        // What is shown as `console` is done by the test: it starts the till.
        assert.deepEqual(
          languages.filter((language) => language !== 'console' && !known.includes(language)),
          [],
          slug,
        );
      }
    });
  },
);
