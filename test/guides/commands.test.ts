import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { repository } from '../support/source-tree.ts';
import { COMMANDS } from './commands.ts';
import { commandsOf, documents } from './guides.ts';

const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

const fits = (pattern: string, command: string): boolean => {
  const [first = '', ...rest] = pattern
    .split('*')
    .map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`));
  return new RegExp(`^${[first, ...rest].join('.*')}$`, 's').test(command);
};

/** The pattern that counts for each command of a guide; undefined where none fits. */
const patternsOf = (guide: string, commands: readonly string[]): (string | undefined)[] =>
  commands.map((command) => Object.keys(COMMANDS[guide] ?? {}).find((pattern) => fits(pattern, command)));

describe('the commands of the guides', () => {
  const guides = new Map(documents().map((path) => [path, commandsOf(read(path))]));

  for (const [guide, commands] of guides) {
    if (commands.length === 0) continue;
    it(`${guide}: each is run, or it is said why not`, () => {
      const patterns = patternsOf(guide, commands);
      assert.deepEqual(
        commands.filter((_, at) => patterns[at] === undefined),
        [],
        'not in test/guides/commands.ts',
      );
      assert.deepEqual(
        Object.keys(COMMANDS[guide] ?? {}).filter((pattern) => !patterns.includes(pattern)),
        [],
        'in test/guides/commands.ts, and no more in the guide',
      );
    });
  }

  it('stand in guides that exist', () => {
    assert.deepEqual(
      Object.keys(COMMANDS).filter((guide) => (guides.get(guide) ?? []).length === 0),
      [],
    );
  });

  for (const [guide, fates] of Object.entries(COMMANDS))
    it(`${guide}: what runs them names them, and a reason says something`, () => {
      for (const [command, fate] of Object.entries(fates))
        if ('notRun' in fate) assert.match(fate.notRun, /\w+ \w+ \w+/, command);
        else
          assert.ok(existsSync(join(repository, fate.by)) && read(fate.by).includes(fate.as), `${command}: ${fate.by}`);
    });
});

describe('the reader of commands', () => {
  it('joins lines that go on, and leaves out comments, other fences and what is in the text', () => {
    const text = [
      'run `npm x`:',
      '```sh',
      'curl a \\',
      "  -d '#b'   # why",
      '',
      '# only a comment',
      '```',
      '```ts',
      'no();',
      '```',
    ];
    assert.deepEqual(commandsOf(text.join('\n')), ["curl a -d '#b'"]);
    assert.deepEqual(commandsOf('1. first\n\n   ```sh\n   npm ci && npm start\n   ```\n'), ['npm ci && npm start']);
  });

  it('takes a star for any text, and everything else for itself', () => {
    assert.deepEqual(
      [fits('npm i *', 'npm i $(x)'), fits('a.b', 'axb'), fits('git clone *', 'git push'), fits('*', 'anything')],
      [true, false, false, true],
    );
  });
});
