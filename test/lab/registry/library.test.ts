import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Packed } from '../../../.ci/publish.mjs';
import { startAnvil } from '../../support/anvil.ts';
import { payOnAnvil } from '../../support/anvil-payer.ts';
import { repository } from '../../support/source-tree.ts';
import { emptyFolder } from './folder.ts';
import type { Folder } from './folder.ts';
import { NODE } from './machine.ts';
import { startRegistry } from './registry.ts';
import type { Registry } from './registry.ts';
import { nextRelease, thisRelease } from './releases.ts';

const TSC = join(repository, 'node_modules/typescript7/bin/tsc');
const MOST = { packages: 40, megabytes: 60 };

interface Order {
  readonly id: string;
  readonly status: string;
  readonly payUrl: string;
  readonly payment: { readonly address: string; readonly amount: string } | null;
}
interface Sold {
  readonly open: Order;
  readonly id: string;
  readonly paid: Order;
  readonly refund: { readonly status: string; readonly order: string };
  readonly node: string;
}

describe('tillgate, installed from a registry', () => {
  let registry: Registry;
  let release: readonly Packed[];
  before(async () => {
    [registry, release] = await Promise.all([startRegistry(), thisRelease()]);
    assert.deepEqual(
      registry.publish(release),
      release.map(({ name }) => name),
    );
  });
  after(() => registry.stop());

  const sandbox = async (folder: Folder): Promise<Sold> => {
    folder.copy('test/lab/registry/programs/sandbox.mjs');
    return JSON.parse(await folder.start(NODE, 'sandbox.mjs').line('result')) as Sold;
  };

  it('a publication that is repeated publishes nothing, and other content under the same version is refused', () => {
    assert.deepEqual(registry.publish(release), []);
    const [client, library] = release;
    assert.ok(client && library);
    assert.throws(() => registry.publish([{ ...client, tarball: library.tarball }]), /published already/);
  });

  it('brings few packages, and sells and refunds on the simulated chain', async (t) => {
    const folder = emptyFolder(t, registry);
    const seconds = await folder.npm('install', 'tillgate');
    const { packages, megabytes } = folder.size();
    t.diagnostic(`${packages} packages, ${megabytes.toFixed(1)} MB, in ${seconds.toFixed(1)} s`);
    assert.ok(packages < MOST.packages, `${packages} packages`);
    assert.ok(megabytes < MOST.megabytes, `${megabytes} MB`);
    const { open, id, paid, refund, node } = await sandbox(folder);
    assert.match(node, /^v24\./);
    assert.deepEqual([open.status, open.payment], ['PENDING', null]);
    assert.match(open.payUrl, /^https:\/\/shop\.example\.com\/pay\//);
    assert.deepEqual([paid.id, paid.status, refund.order], [id, 'SUCCESS', id]);
  });

  it('takes a payment on a real node', async (t) => {
    const anvil = await startAnvil();
    t.after(() => anvil.stop());
    const folder = emptyFolder(t, registry);
    await folder.npm('install', 'tillgate');
    folder.copy('test/lab/registry/programs/anvil.mjs');
    const application = folder.start(NODE, 'anvil.mjs', anvil.url);
    const { id, payment } = JSON.parse(await application.line('order')) as Order;
    assert.ok(payment !== null);
    await payOnAnvil(anvil, payment);
    const paid = JSON.parse(await application.line('paid')) as Order;
    assert.deepEqual([paid.id, paid.status], [id, 'SUCCESS']);
    await application.ended();
  });

  it('has types that take right uses and refuse wrong ones', async (t) => {
    const folder = emptyFolder(t, registry);
    await folder.npm('install', 'tillgate', '@tillgate/client', '@types/node@20');
    folder.copy('test/package/uses/right.ts', 'test/package/uses/wrong.ts');
    const lib = ['es2023', 'dom', 'dom.iterable'];
    const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true };
    const compilerOptions = { ...strict, noEmit: true, target: 'es2023', lib, module: 'nodenext', types: ['node'] };
    folder.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['right.ts', 'wrong.ts'] }));
    await folder.run(NODE, TSC, '--noEmit', '-p', '.');
  });

  it('an update opens the database of the release before, with its orders in it', async (t) => {
    const folder = emptyFolder(t, registry);
    await folder.npm('install', 'tillgate');
    const { id } = await sandbox(folder);
    const former = folder.version('tillgate');
    const next = nextRelease(release, folder.path);
    registry.publish(next);
    await folder.npm('update');
    assert.notEqual(former, next[0]?.version);
    for (const name of ['tillgate', '@tillgate/client']) assert.equal(folder.version(name), next[0]?.version);
    folder.copy('test/lab/registry/programs/orders.mjs');
    const result = JSON.parse(await folder.start(NODE, 'orders.mjs').line('result')) as {
      readonly former: readonly Order[];
      readonly id: string;
      readonly paid: Order;
    };
    assert.equal(result.former.length, 2);
    assert.equal(result.former.find((order) => order.id === id)?.status, 'SUCCESS');
    assert.deepEqual([result.paid.id, result.paid.status], [result.id, 'SUCCESS']);
  });
});
