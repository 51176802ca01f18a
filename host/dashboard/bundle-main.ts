/** The process of {@link bundleInProcess}: it bundles the application of the folder that its argument names, and ends. */
import { bundleDashboard, EFFORT } from './bundle.ts';
import type { Bundled } from './bundle-process.ts';

const [home = ''] = process.argv.slice(2);
// The server has the answer, or was stopped meanwhile.
process.once('disconnect', () => process.exit());

const answer: Bundled = await bundleDashboard(home, EFFORT.sources).then(
  (bundle) => ({ bundle }),
  (error: unknown) => ({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
);
process.send?.(answer);
