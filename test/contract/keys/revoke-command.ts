/** Revokes the keys in its arguments, as `tillgate key revoke` does, in a separate process. */
import type { AppId, AppKeyId } from '../../../core/index.ts';
import { silentLogger, openStorageAlone } from '../../support/storage.ts';
import { Instance } from './fixture.ts';

const [filename = '', ...pairs] = process.argv.slice(2);
const storage = await openStorageAlone({ client: 'sqlite', filename }, { logger: silentLogger });
const { keys } = new Instance(storage, 'command');
const states: string[] = [];
for (let at = 0; at < pairs.length; at += 2)
  states.push((await keys.revoke(pairs[at] as AppId, pairs[at + 1] as AppKeyId)).state);
await storage.close();
console.log(JSON.stringify(states));
