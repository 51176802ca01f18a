import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TillgateError } from '../../core/index.ts';
import type { Clock, Logger } from '../../core/index.ts';
import type { Bundle } from './bundle.ts';

/** Whether the application can be served. */
export type LoadedBundle =
  | { readonly kind: 'ready'; readonly bundle: Bundle }
  /** The build failed; the log has the reason. */
  | { readonly kind: 'failed' };

/** What the page of the application can say at this moment. */
export type BundleState = LoadedBundle | { readonly kind: 'building' };

/** After a failure no request starts the build again for this time. */
const RETRY_MS = 30_000;

/**
 * Loads the files, or builds them from the sources. Tests replace it.
 *
 * @param onBuilding - called before a build, which takes some seconds
 */
export type LoadBundle = (onBuilding: () => void) => Promise<Bundle>;

const NEVER = new Promise<never>(() => undefined);

/** The files of the dashboard, loaded when the server starts, or else at the first request. */
export class DashboardFiles {
  readonly #load: LoadBundle;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #logger: Pick<Logger, 'error' | 'info'>;
  #loading: Promise<LoadedBundle> | null = null;
  #failedAt: number | null = null;
  /** Resolves while a build runs; most loads need none. */
  #building: Promise<BundleState> = NEVER;

  constructor(clock: Pick<Clock, 'now'>, logger: Pick<Logger, 'error' | 'info' | 'warn'>, load = loadBundle(logger)) {
    this.#clock = clock;
    this.#logger = logger;
    this.#load = load;
  }

  /** Never throws: a failed build is retried after a while. */
  async get(): Promise<LoadedBundle> {
    if (this.#failedAt !== null && this.#clock.now() - this.#failedAt >= RETRY_MS) {
      this.#failedAt = null;
      this.#loading = null;
    }
    return (this.#loading ??= this.#tryToLoad());
  }

  /** As {@link DashboardFiles.get}, without waiting for a build. */
  async state(): Promise<BundleState> {
    const loaded = this.get();
    return Promise.race([loaded, this.#building]);
  }

  async #tryToLoad(): Promise<LoadedBundle> {
    let onBuilding = (): void => undefined;
    this.#building = new Promise((resolve) => (onBuilding = () => resolve({ kind: 'building' })));
    try {
      const bundle = await this.#load(() => {
        this.#logger.info('Building the dashboard…');
        onBuilding();
      });
      return { kind: 'ready', bundle };
    } catch (error) {
      this.#failedAt = this.#clock.now();
      this.#logger.error('the dashboard could not be bundled', { error });
      return { kind: 'failed' };
    } finally {
      this.#building = NEVER;
    }
  }
}

/** From the built package, else from the sources beside this file; the result is kept in their folder `temp`. */
function loadBundle(logger: Pick<Logger, 'warn'>): LoadBundle {
  return async (onBuilding) => {
    const { keepBundle, readBundle, stateOfSources } = await import('./bundle.ts');
    const built = (await readBundle(fileURLToPath(new URL('files', import.meta.url)))) ?? (await bundleOfServer());
    if (built !== null) return built;
    if (!import.meta.url.endsWith('.ts'))
      throw new TillgateError(
        'NOT_READY',
        'The dashboard is in the package @tillgate/server: npm install @tillgate/server',
      );
    const home = fileURLToPath(new URL('../..', import.meta.url));
    const folder = join(home, 'temp', 'dashboard', await stateOfSources(home));
    const kept = await readBundle(folder);
    if (kept !== null) return kept;
    onBuilding();
    const { bundleInProcess } = await import('./bundle-process.ts');
    const bundle = await bundleInProcess(home);
    await keepBundle(bundle, folder).catch((error: unknown) => {
      logger.warn('the bundle of the dashboard cannot be stored; the next start builds it again', { error });
    });
    return bundle;
  };
}

/** An application has the dashboard only where it also installs the server's package. */
async function bundleOfServer(): Promise<Bundle | null> {
  const { readBundle } = await import('./bundle.ts');
  try {
    const manifest = createRequire(import.meta.url).resolve('@tillgate/server/package.json');
    return await readBundle(join(dirname(manifest), 'dist/files/host/dashboard/files'));
  } catch {
    // It is not installed.
    return null;
  }
}
