import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import { MnemonicWallet } from '../../adapters/wallet/index.ts';
import { resolveConfig } from '../../host/index.ts';
import { readAnswers } from '../../host/init/init-answers.ts';
import type { Ask } from '../../host/init/init-answers.ts';
import { confirmWords, seedFilesIn, writeSeedFile } from '../../host/init/seed-words.ts';
import { writeOnce } from '../../host/init/write-once.ts';
import { initWallet } from '../../host/wallet/wallet.ts';
import { isTillgateError } from '../../core/index.ts';
import { TillProcess, freshDirectory, killAll, run } from './till-process.ts';
import type { Ended } from './till-process.ts';
import { codeAt } from '../support/totp.ts';
import { waitFor } from '../support/wait.ts';

const PASSWORD = 'a good long password\n';
const FLAGS = ['init', '--json', '--mode', 'sandbox', '--email', 'boss@example.com', '--password-stdin'];
const STEPS = ['key', 'settings', 'database', 'wallet', 'admin', 'second-factor'];

interface Line {
  readonly step?: string;
  readonly result?: string;
  readonly file?: string;
  readonly uri?: string;
  readonly ok?: boolean;
}

const linesOf = (out: string): Line[] =>
  out
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as Line);
const made = (lines: readonly Line[]): (string | undefined)[] =>
  lines.filter(({ result }) => result === 'made').map(({ step }) => step);
const files = (lines: readonly Line[]): string[] => lines.flatMap(({ file }) => file ?? []);
/** The words of a seed in a file, without their numbers. */
const wordsIn = (file: string): string =>
  readFileSync(file, 'utf8')
    .split(/\s+/)
    .filter((word) => /^[a-z]+$/.test(word))
    .join(' ');
const modeOf = (...path: string[]): number => statSync(join(...path)).mode & 0o777;

describe('tillgate init', () => {
  const directories: ReturnType<typeof freshDirectory>[] = [];
  const fresh = (): string => {
    const made = freshDirectory();
    directories.push(made);
    return made.path;
  };
  const init = (path: string, flags = FLAGS): Promise<Ended> => run(path, flags, {}, undefined, PASSWORD);
  /** The wallet that the database has, by the public key of its Ethereum account. */
  const hotAddress = async (path: string): Promise<string> => {
    const { code, out, err } = await run(path, ['wallet', 'show', '--json']);
    assert.equal(code, 0, err);
    return (JSON.parse(out) as { addresses: { address: string }[] }).addresses[0]?.address ?? '';
  };
  afterEach(killAll);
  after(() => directories.forEach((directory) => directory.remove()));

  test('makes everything without a terminal, readable by its owner alone; run again it makes nothing', async () => {
    const path = fresh();
    const first = await init(path);
    assert.equal(first.code, 0, first.err);
    const lines = linesOf(first.out);
    assert.deepEqual(made(lines), STEPS);
    const seedFile = join(path, 'secrets/seed-words');
    assert.deepEqual(files(lines), [seedFile]);
    const words = wordsIn(seedFile);
    assert.equal(words.split(' ').length, 24);
    assert.ok(!`${first.out}${first.err}`.includes(words.split(' ').slice(0, 3).join(' ')));
    assert.equal(modeOf(seedFile), 0o600);
    assert.match(lines.find(({ uri }) => uri !== undefined)?.uri ?? '', /^otpauth:\/\/totp\//);
    assert.equal(lines.at(-1)?.ok, true);
    for (const folder of ['secrets', 'data']) assert.equal(modeOf(path, folder), 0o700, folder);
    for (const file of ['secrets/master-key', 'tillgate.config.json', 'data/tillgate.db'])
      assert.equal(modeOf(path, file), 0o600, file);
    const before = ['secrets/master-key', 'tillgate.config.json'].map((file) => readFileSync(join(path, file), 'utf8'));
    const hot = await hotAddress(path);

    const again = await init(path, [...FLAGS, '--base-url', 'https://other.example']);
    assert.equal(again.code, 0, again.err);
    assert.deepEqual(made(linesOf(again.out)), ['database']);
    assert.deepEqual(files(linesOf(again.out)), []);
    assert.deepEqual(
      ['secrets/master-key', 'tillgate.config.json'].map((file) => readFileSync(join(path, file), 'utf8')),
      before,
    );
    assert.equal(await hotAddress(path), hot);
    const { out } = await run(path, ['audit', 'export']);
    assert.equal(out.match(/account\.create/g)?.length, 1);
  });

  test('fault 369: the second factor is confirmed by its first code, in the same or a later run', async () => {
    const path = fresh();
    const { out } = await init(path);
    const of = (text: string) => linesOf(text).filter(({ step }) => step === 'second-factor');
    assert.deepEqual(
      of(out).map(({ result }) => result),
      ['made', 'exists'],
    );
    const secret =
      new URL(linesOf(out).find(({ uri }) => uri !== undefined)?.uri ?? '').searchParams.get('secret') ?? '';
    const wrong = await init(path, [...FLAGS, '--totp-code', '000000']);
    assert.deepEqual(made(of(wrong.out)), []);
    const right = await init(path, [...FLAGS, '--totp-code', codeAt(secret, Date.now())]);
    assert.deepEqual(made(of(right.out)), ['second-factor']);
    const again = await init(path);
    assert.equal(of(again.out).length, 1);
    assert.match((await run(path, ['audit', 'export'])).out, /security\.totp_confirm/);
  });

  test('fault 261: killed between its steps it can be run again: one key, one wallet whose words were shown, one admin', async () => {
    const killed = async (count: number): Promise<void> => {
      const path = fresh();
      const first = new TillProcess(path, FLAGS, {}, undefined, PASSWORD);
      await waitFor(() => linesOf(first.out).length >= count || first.child.exitCode !== null, { timeoutMs: 120_000 });
      const before = linesOf((await first.signal('SIGKILL')).out);
      const key = readFileSync(join(path, 'secrets/master-key'), 'utf8');
      const second = await init(path);
      assert.equal(second.code, 0, `after ${count} lines: ${second.err}`);
      assert.equal(readFileSync(join(path, 'secrets/master-key'), 'utf8'), key);
      const written = [...files(before), ...files(linesOf(second.out))];
      assert.deepEqual(
        readdirSync(join(path, 'secrets')).filter((name) => !name.startsWith('seed-words')),
        ['master-key'],
      );
      const shownLast = { TILLGATE_MNEMONIC: wordsIn(written.at(-1) ?? '') };
      const { out: ofWords } = await run(fresh(), ['wallet', 'show', '--json'], shownLast);
      const hot = await hotAddress(path);
      assert.ok(ofWords.includes(hot), `nobody was shown the words of ${hot}`);
      const { out } = await run(path, ['audit', 'export']);
      assert.equal(out.match(/account\.create/g)?.length, 1);
      assert.ok(out.includes('security.totp_enrol'));
    };
    // After the key; the words are shown, maybe not stored; they are stored; the admin is made and has no second factor.
    await Promise.all([killed(1), killed(4), killed(5), killed(6)]);
  });

  test('writes nothing when an option is missing or wrong, and names it', async () => {
    const cases: [string[], RegExp][] = [
      [['init', '--email', 'boss@example.com', '--password-stdin'], /--nodes/],
      [['init', '--mode', 'sandbox', '--password-stdin'], /--email/],
      [[...FLAGS.slice(0, -1)], /--password-stdin/],
      [[...FLAGS, '--mode', 'real'], /--mode/],
      [[...FLAGS, '--base-url', 'pay.example'], /baseUrl/],
      [['init', '--nodes', 'etherium=http://127.0.0.1:1', '--email', 'a@example.com', '--password-stdin'], /--nodes/],
      [
        [
          'init',
          '--plugins',
          '[{"use":"ethereum","options":{"rpcUrls":[]}}]',
          '--email',
          'a@example.com',
          '--password-stdin',
        ],
        /rpcUrls/,
      ],
    ];
    for (const [flags, expected] of cases) {
      const path = fresh();
      const { code, err } = await init(path, flags);
      assert.equal(code, 1, flags.join(' '));
      assert.match(err, expected);
      assert.deepEqual(readdirSync(path), []);
    }
  });

  test('fault 262: a key that is gone is never replaced: the settings name it, so it is to be restored', async () => {
    const path = fresh();
    const settings = { mode: 'sandbox', masterKeyFile: 'secrets/master-key' };
    writeFileSync(join(path, 'tillgate.config.json'), JSON.stringify(settings));
    const { code, err } = await init(path);
    assert.equal(code, 1);
    assert.match(err, /masterKeyFile: cannot be read \(ENOENT\)/);
    assert.ok(!existsSync(join(path, 'secrets')));
  });
});

describe('the parts of tillgate init', () => {
  const directory = freshDirectory();
  after(() => directory.remove());

  test('a file is written whole or not at all, never over another, and leaves no part behind', () => {
    const folder = join(directory.path, 'made');
    assert.equal(writeOnce(join(folder, 'key'), 'first'), true);
    writeFileSync(join(folder, '.key.part-0123'), 'half');
    assert.equal(writeOnce(join(folder, 'key'), 'second'), false);
    assert.equal(readFileSync(join(folder, 'key'), 'utf8'), 'first');
    assert.deepEqual(readdirSync(folder), ['key']);
    assert.deepEqual([modeOf(folder), modeOf(folder, 'key')], [0o700, 0o600]);
  });

  test('words of a seed that could not be shown are not stored', async () => {
    let stored: string | null = null;
    const tools = {
      documents: {
        read: () => Promise.resolve(stored === null ? null : { value: stored, version: 1 }),
        write: (_name: string, value: string) => Promise.resolve((stored = value) !== ''),
      },
      vault: { seal: (text: string) => text, open: (text: string) => text },
    } as unknown as Parameters<typeof initWallet>[0];
    const unseen = initWallet(tools, () => {
      throw new Error('the terminal is gone');
    });
    await assert.rejects(unseen, /the terminal is gone/);
    const unconfirmed = initWallet(tools, () => Promise.reject(new Error('the words were wrong')));
    await assert.rejects(unconfirmed, /the words were wrong/);
    assert.equal(stored, null);
    const seen: string[] = [];
    const see = (each: string): void => void seen.push(each);
    assert.equal(await initWallet(tools, see), seen[0]);
    assert.doesNotThrow(() => new MnemonicWallet(String(stored)));
    assert.equal(await initWallet(tools, see), null);
    assert.equal(seen.length, 1);
  });

  test('three words of the seed are asked, each until it is right, and nothing is stored while one is wrong', async () => {
    const seed = Array.from({ length: 24 }, (_, index) => `word${index + 1}`).join(' ');
    const [asked, told]: [string[], string[]] = [[], []];
    const answering = (answer: (question: string) => string): NonNullable<Ask> =>
      Object.assign(
        (question: string) => {
          asked.push(question);
          return Promise.resolve(answer(question));
        },
        { tell: (line: string) => void told.push(line) },
      );
    const right = (question: string): string => ` WORD${/Word (\d+) of 24/.exec(question)?.[1] ?? ''}`;
    await confirmWords(seed, answering(right));
    assert.equal(new Set(asked).size, 3);
    asked.length = 0;
    const answers = ['word8', ''];
    await confirmWords(
      seed,
      answering((question) => answers.shift() ?? right(question)),
      () => 6,
    );
    assert.deepEqual(asked, ['Word 7 of 24', 'Word 7 of 24', 'Word 7 of 24', 'Word 8 of 24', 'Word 9 of 24']);
    assert.equal(told.length, 2);
    assert.match(told[0] ?? '', /not word 7.*Nothing is stored/);
    await assert.rejects(
      confirmWords(
        seed,
        answering(() => 'no'),
      ),
      (error) => isTillgateError(error, 'STATE_CONFLICT'),
    );
  });

  test('a file of seed words is never written over, is private, and doctor finds it until it is gone', async () => {
    const homes = [join(directory.path, 'seed-home')];
    const [first, second] = [writeSeedFile(homes, 'one two'), writeSeedFile(homes, 'three four')];
    assert.deepEqual([wordsIn(first), wordsIn(second)], ['one two', 'three four']);
    assert.deepEqual([modeOf(first), modeOf(second), modeOf(homes[0] ?? '', 'secrets')], [0o600, 0o600, 0o700]);
    assert.deepEqual(seedFilesIn(homes), [first, second]);
    const file = join(directory.path, 'no-folder');
    writeFileSync(file, '');
    assert.throws(() => writeSeedFile([file], 'five six'));
    const found = async (): Promise<string> => (await run(homes[0] ?? '', ['doctor'])).out;
    assert.match(await found(), /^weak {2}seed: .*seed-words has the words of a seed$/m);
    for (const each of [first, second]) rmSync(each);
    assert.doesNotMatch(await found(), / seed: /);
  });

  test('asks a person for what no option says, each with what is usual', async () => {
    const asked: string[] = [];
    const settings = await readAnswers({ port: '9000' }, (question, fallback) => {
      asked.push(question.split(' ')[0] ?? '');
      return Promise.resolve(
        question.startsWith('Your nodes')
          ? 'ethereum=http://127.0.0.1:8545, bitcoin=http://u:p@127.0.0.1:8332'
          : fallback,
      );
    });
    assert.deepEqual(asked, ['Real', 'URL', 'Database:', 'Your', 'Sources']);
    assert.deepEqual(settings.plugins, [
      { use: 'ethereum', options: { rpcUrls: ['http://127.0.0.1:8545'] } },
      { use: 'bitcoin', options: { rpcUrl: 'http://u:p@127.0.0.1:8332' } },
    ]);
    assert.deepEqual([settings.mode, settings.listen?.port, settings.rates?.sources?.length], ['production', 9000, 2]);
  });

  test('asks again, and says why, for what cannot be used', async () => {
    const told: string[] = [];
    const answers = ['banana', 'sandbox', '99999x', '9000', 'pay.example', 'https://pay.example', 'sqlite'];
    const ask = Object.assign(() => Promise.resolve(answers.shift() ?? ''), {
      tell: (line: string) => void told.push(line),
    });
    const settings = await readAnswers({}, ask);
    assert.deepEqual(
      [settings.mode, settings.listen?.port, settings.baseUrl],
      ['sandbox', 9000, 'https://pay.example'],
    );
    assert.deepEqual(
      told.map((line) => /--[a-z-]+/.exec(line)?.[0]),
      ['--mode', '--port', '--base-url'],
    );
    assert.deepEqual(answers, []);
  });

  test('a master key that the settings name: others must not read it, and the environment must not give a second one', () => {
    const key = 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=';
    const folder = join(directory.path, 'keys');
    mkdirSync(folder);
    writeFileSync(join(folder, 'key'), key, { mode: 0o600 });
    const input = { mode: 'production', masterKeyFile: 'key', plugins: [] };
    const file = join(folder, 'tillgate.config.json');
    assert.equal(Buffer.from(resolveConfig(input, { file }).secrets.masterKey ?? []).toString('base64'), key);
    const refused = (environment: Record<string, string>, expected: RegExp): void =>
      assert.throws(
        () => resolveConfig(input, { file, environment }),
        (error) => isTillgateError(error, 'CONFIG_INVALID') && expected.test(error.message),
      );
    refused({ TILLGATE_MASTER_KEY: key }, /masterKeyFile: .*keep one/);
    chmodSync(join(folder, 'key'), 0o640);
    refused({}, /masterKeyFile: .*chmod 600/);
  });
});
