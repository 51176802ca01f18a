import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { chosenClients, CLIENTS } from './clients.ts';
import type { Client } from './clients.ts';
import { FEATURE_NAMES, FEATURES } from './features.ts';
import type { Feature } from './features.ts';
import { Report } from './report.ts';
import { runClient } from './run-client.ts';
import type { Run } from './run-client.ts';
import { startWorld } from './world.ts';
import type { World } from './world.ts';

const clients = chosenClients(CLIENTS);
const report = new Report();

for (const path of ['fast', 'node'] as const)
  describe(`real clients through the gateway to a real node (${path})`, () => {
    let world: World;
    before(async () => void (world = await startWorld(path)));
    after(() => world.close());
    for (const client of clients) describe(client.name, () => goesThroughAll(client, () => world));
  });

function goesThroughAll(client: Client, world: () => World): void {
  let run: Run;
  let restarts = 0;
  const features = FEATURE_NAMES.filter((feature) => client.without[feature] === undefined);
  before(async () => {
    const former = world().restarts;
    run = await runClient(client, world());
    restarts = world().restarts - former;
    report.version(client, run.said.get('version') ?? '');
  });

  for (const feature of features)
    test(`${client.name}: ${FEATURES[feature].title}`, () =>
      report.during(client, feature, () => assertDone(run, feature, world())));

  test(`${client.name}: the program reaches its end`, () => {
    if (run.failure !== null) assert.fail(run.failure);
    assert.deepEqual([...run.said.keys()].filter((key) => key !== 'version').sort(), [...features].sort());
    assert.equal(restarts, features.filter((feature) => feature.endsWith('-restart')).length);
  });
}

async function assertDone({ said, failure }: Run, feature: Feature, world: World): Promise<void> {
  const value = said.get(feature);
  assert.ok(value !== undefined, failure?.split('\n')[0] ?? `the program did not say ${feature}`);
  await FEATURES[feature].check(value, world);
}

after(() => console.log(`\n${report.text(clients)}\n`));
