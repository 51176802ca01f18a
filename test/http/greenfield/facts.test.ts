import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PLUGINS } from './plugins.ts';
import type { Plugin, RecordedRequest, Step } from './recorded.ts';

/** What the runner knows from the start. */
const GIVEN = ['baseUrl', 'apiKey', 'storeId', 'shopUrl', 'webhookUrl'];
/** A fact about a plugin is read at one commit, and named by it. */
const COMMIT = /^[0-9a-f]{40}$/;

const requestsOf = (steps: readonly Step[]): RecordedRequest[] =>
  steps.flatMap((step) => ('request' in step ? [step.request] : []));
const placeholders = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/\{([a-z][A-Za-z]*)_?\}/g)].map(([, name]) => name ?? '');

for (const plugin of PLUGINS)
  describe(`what ${plugin.name} does`, () => {
    test('names the repository, the commit and the version that it was read at', () => {
      assert.match(plugin.repository, /^[\w.-]+\/[\w.-]+$/);
      assert.match(plugin.commit, COMMIT);
      assert.notEqual(plugin.version, '');
    });

    test('each story has all that a step needs from the steps before it', () => {
      for (const story of plugin.stories) {
        const known = new Set(GIVEN);
        for (const step of story.steps) {
          for (const name of placeholders(step))
            assert(
              known.has(name),
              `${story.name}: nothing gives ${name} before ${JSON.stringify(step).slice(0, 120)}`,
            );
          if ('request' in step) for (const name of Object.keys(step.request.expect.keeps ?? {})) known.add(name);
          if ('act' in step || 'event' in step)
            for (const name of ['invoiceId', 'checkoutLink', 'webhookSecret'])
              assert(known.has(name), `${story.name}: no ${name}`);
        }
      }
    });

    test('a story waits only for events that the plugin asked for and handles', () => {
      const handled = new Set(plugin.events.map(({ type }) => type));
      for (const story of plugin.stories)
        for (const step of story.steps)
          if ('event' in step) assert(handled.has(step.event), `${story.name}: ${step.event}`);
    });

    test('the permissions that it needs are those that its link asks for', () => {
      if (plugin.authorization === null) return;
      const { query, permissions } = plugin.authorization;
      const asked = query.flatMap(([name, value]) => (name === 'permissions' ? [value] : []));
      assert.deepEqual(asked.toSorted(), [...permissions.required, ...permissions.optional].toSorted());
    });

    test('it sells, is paid, and is told of what goes wrong', () => {
      const acts = new Set(
        plugin.stories.flatMap(({ steps }) => steps).flatMap((step) => ('act' in step ? [step.act] : [])),
      );
      for (const act of ['pays in full', 'pays late in full', 'pays a part until the end'] as const)
        assert(acts.has(act), act);
      assert(hasInvalid(plugin), 'an invoice that is marked invalid');
    });
  });

function hasInvalid({ stories }: Plugin): boolean {
  const steps = stories.flatMap((story) => story.steps);
  const byShop = requestsOf(steps).some(({ path }) => path.endsWith('/status'));
  return byShop || steps.some((step) => 'act' in step && step.act === 'merchant marks invalid');
}
