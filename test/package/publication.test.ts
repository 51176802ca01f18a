import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PACKAGES, manifestOf } from '../../.ci/packages.mjs';
import { repository } from '../support/source-tree.ts';
import { publicationOrder, WORKFLOW } from './publication.ts';

const workflow = readFileSync(join(repository, WORKFLOW), 'utf8');

test('the workflow publishes every package once, each after those that it depends on', () => {
  const order = publicationOrder();
  assert.deepEqual([...order].sort(), PACKAGES.map(({ name }) => name).sort());
  for (const { name, dependencies } of PACKAGES)
    for (const needed of dependencies.filter((each) => order.includes(each)))
      assert.ok(order.indexOf(needed) < order.indexOf(name), `${name} is published before ${needed}`);
});

test('the workflow publishes with provenance, after every test', () => {
  assert.match(workflow, /publish\.mjs .*--provenance/);
  assert.match(workflow, /^ +id-token: write\b/m);
  const places = ['.ci/run', '.ci/stage.mjs', '.ci/audit.mjs', '.ci/publish.mjs'].map((step) => workflow.indexOf(step));
  assert.ok(!places.includes(-1));
  assert.deepEqual(
    places,
    [...places].sort((a, b) => a - b),
  );
});

test('the repository that the workflow names before the tests is in every manifest', () => {
  const named = workflow.indexOf('npm pkg set "repository.type=git" "repository.url=');
  assert.ok(named !== -1 && named < workflow.indexOf('.ci/run'));
  const from = { type: 'git', url: 'git+https://forge.example/tillgate.git' };
  for (const each of PACKAGES) assert.deepEqual(manifestOf(each, from)['repository'], from);
});

test('the workflow pins every action to a commit, and gives no permission to a job that does not name it', () => {
  const actions = [...workflow.matchAll(/uses: (\S+)/g)].map(([, action]) => action);
  assert.ok(actions.length > 0);
  for (const action of actions) assert.match(action ?? '', /^[\w.-]+\/[\w.-]+@[0-9a-f]{40}$/);
  assert.match(workflow, /^permissions: \{\}$/m);
});
