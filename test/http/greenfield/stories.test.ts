import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { checkLedger } from '../../../core/index.ts';
import { eachStorage } from '../../support/each-storage.ts';
import type { TestStorage } from '../../support/storage.ts';
import { PLUGINS } from './plugins.ts';
import type { Plugin, Story } from './recorded.ts';
import { runStory } from './run-story.ts';
import { startStoryTill } from './till-world.ts';
import type { StoryTill } from './till-world.ts';

/** Requests as version 1 took them, which this till answers too. */
const formerStory = ({ former }: Plugin): readonly Story[] =>
  former.length === 0 ? [] : [{ name: 'asks as version 1 was asked', steps: former.map((request) => ({ request })) }];

eachStorage((_name, open) => {
  let store: TestStorage;
  let till: StoryTill;
  before(async () => {
    store = await open();
    till = await startStoryTill(store);
  });
  after(async () => {
    assert.deepEqual(await checkLedger(store.storage), []);
    await till.close();
    await store.close();
  });

  for (const plugin of PLUGINS)
    describe(`a shop with the plugin for ${plugin.name}`, { concurrency: 1 }, () => {
      for (const story of [...plugin.stories, ...formerStory(plugin)])
        test(story.name, async () => {
          const mismatches = await runStory(plugin, story, await till.newWorld());
          assert.deepEqual(mismatches, [], mismatches.map(({ step, what }) => `\n${step}: ${what}`).join(''));
        });
    });
});
