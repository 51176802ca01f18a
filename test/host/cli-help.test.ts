import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, describe, test } from 'node:test';
import { runCli } from '../../host/cli.ts';
import { COMMANDS, COMMAND_GROUPS } from '../../host/cli/commands.ts';
import { freshDirectory, killAll, run } from './till-process.ts';

interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function cli(...args: string[]): Promise<Said> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runCli(args, { out: (line) => out.push(line), err: (line) => err.push(line) });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

describe('the help of tillgate', () => {
  test('lists every command under the title of its group, however it is asked', async () => {
    const asked = await Promise.all([cli(), cli('help'), cli('--help'), cli('-h')]);
    for (const each of asked) assert.deepEqual(each, asked[0]);
    const [{ code, out, err }] = asked;
    assert.deepEqual([code, err], [0, '']);
    for (const { title, commands } of COMMAND_GROUPS) {
      const [, block = ''] = out.split(`\n${title}:\n`);
      for (const { words } of commands)
        assert.ok(block.split('\n\n')[0]?.includes(`  ${words.join(' ')} `), words.join(' '));
    }
  });

  test('fault 513: every command has --help and --version, and runs nothing for them', async () => {
    for (const { words, options } of COMMANDS) {
      const { code, out, err } = await cli(...words, '--help');
      assert.deepEqual([code, err], [0, ''], words.join(' '));
      assert.ok(out.startsWith(`Usage: tillgate ${words.join(' ')}`), out);
      for (const option of [...Object.keys(options), 'json']) assert.match(out, new RegExp(`^  --${option}\\b`, 'm'));
      assert.deepEqual(await cli('help', ...words), { code, out, err });
      assert.deepEqual(await cli(...words, '--version'), { code: 0, out: version, err: '' });
    }
    for (const words of [['--version'], ['-v'], ['version']]) assert.equal((await cli(...words)).out, version);
  });

  test('shows which options are required and what they are for', async () => {
    const { out } = await cli('account', 'create', '--email', 'a@example.com', '-h');
    assert.match(out, /^ {2}--email EMAIL +required$/m);
    assert.match(out, /^ {2}--role admin\|user +an admin operates the till/m);
    assert.match(
      (await cli('help', 'order', 'show', '123')).out,
      /^Usage: tillgate order show ORDER_ID|^Usage: tillgate order show ID/,
    );
  });

  test('the first word of several commands lists them', async () => {
    const { code, out, err } = await cli('account');
    assert.deepEqual([code, out], [2, '']);
    assert.deepEqual(
      err.split('\n').map((line) => /^ {2}(\S+ \S+)/.exec(line)?.[1] ?? line),
      [
        'Commands of tillgate account:',
        ...['create', 'reset-password', 'freeze', 'unfreeze'].map((name) => `account ${name}`),
      ],
    );
    for (const asked of [
      ['help', 'account'],
      ['account', '--help'],
    ])
      assert.deepEqual(await cli(...asked), { code: 0, out: err, err: '' });
    assert.match((await cli('help', 'signer')).out, /Usage: tillgate signer --config FILE[^]+ {2}signer stop/);
  });

  test('fault 514: an unknown command or option is answered in two lines, with the name that is near', async () => {
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [['serv'], /^There is no command "serv"\. Did you mean "serve"\?\n/],
      [['docter'], /Did you mean "doctor"\?\n/],
      [
        ['account', 'creat', '--email', 'a@example.com'],
        /^There is no command "account creat"\. Did you mean "account create"\?\n/,
      ],
      [['acount', 'create'], /Did you mean "account create"\?\n/],
      [['frobnicate', 'everything'], /^There is no command "frobnicate everything"\.\n/],
      [['help', 'servr'], /^There is no command "servr"\. Did you mean "serve"\?\n/],
      [['init', '--prot', '1'], /^There is no option --prot\. Did you mean "--port"\?\n/],
      [['serve', '--frobnicate'], /^There is no option --frobnicate\.\n/],
      [['init', '--port'], /^--port needs a value\.\n/],
      [['security', 'data-security', '--account', '1', '--on=yes'], /^--on takes no value\.\n/],
      [['serve', 'now'], /^Unexpected argument "now"\.\n/],
      [['account', 'create'], /^--email is missing\.\nusage: tillgate account create --email EMAIL/],
    ];
    for (const [args, expected] of cases) {
      const { code, out, err } = await cli(...args);
      assert.deepEqual([code, out], [2, ''], args.join(' '));
      assert.match(err, expected);
      assert.equal(err.split('\n').length, 2, err);
    }
  });
});

describe('the program', () => {
  const directory = freshDirectory();
  afterEach(killAll);
  after(() => directory.remove());

  test('answers --version and --help of a command without settings', async () => {
    directory.write('tillgate.config.json', 'no settings');
    const [asked, helped] = await Promise.all([
      run(directory.path, ['--version']),
      run(directory.path, ['account', 'create', '--help']),
    ]);
    assert.deepEqual(asked, { code: 0, out: `${version}\n`, err: '' });
    assert.equal(helped.code, 0, helped.err);
    assert.match(helped.out, /^Usage: tillgate account create/);
  });
});
