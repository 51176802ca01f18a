import type {
  BreachedPasswords,
  CallbackOutcome,
  CallbackRequest,
  CallbackTransport,
  Clock,
  Logger,
  PriceIds,
  RateSource,
} from '../../core/index.ts';
import type { CallbackTransportOptions, UndiciCallbackTransport } from '../../adapters/callbacks/index.ts';
import { StaticSource } from '../../adapters/rates/static-source.ts';
import { priceIdsAt } from '../../plugins/prices.ts';
import type { RateSourceSetting } from '../settings/settings.ts';

/** A callback transport whose HTTP client is loaded with the first callback, to save memory in an idle till. */
export class LazyCallbackTransport implements CallbackTransport {
  readonly #load: () => Promise<UndiciCallbackTransport>;
  #transport: Promise<UndiciCallbackTransport> | null = null;
  #closed = false;

  constructor(clock: Clock, options: CallbackTransportOptions) {
    this.#load = async () => {
      const { UndiciCallbackTransport: Transport } = await import('../../adapters/callbacks/index.ts');
      return new Transport(clock, options);
    };
  }

  async send(request: CallbackRequest): Promise<CallbackOutcome> {
    if (this.#closed) return { kind: 'failed', reason: 'closed', durationMs: 0 };
    const transport = await (this.#transport ??= this.#load());
    return transport.send(request);
  }

  /** Aborts requests in progress; their callbacks are sent again later. */
  async close(): Promise<void> {
    this.#closed = true;
    await (await this.#transport)?.close();
  }
}

/** The breached-password service at a URL, loaded when the first password is set; with `null` every password passes. */
export function breachedPasswords(url: string | null, logger: Logger): BreachedPasswords {
  if (url === null) return { isBreached: () => Promise.resolve(false) };
  let service: Promise<BreachedPasswords> | null = null;
  const load = async (): Promise<BreachedPasswords> => {
    const { RangeService } = await import('../../adapters/breached-passwords/index.ts');
    return new RangeService({ url, logger });
  };
  return { isBreached: async (password) => (await (service ??= load())).isBreached(password) };
}

/**
 * The rate source of a setting; a network source is loaded when it is first used.
 *
 * @param priceIds - the id of each coin at each source, by symbol; the setting's own ids override them
 */
export function rateSource(
  setting: RateSourceSetting,
  clock: Clock,
  priceIds: Readonly<Record<string, PriceIds>>,
): RateSource {
  if (setting.use === 'static') return new StaticSource(clock, setting.prices ?? {});
  const { use } = setting;
  const known = priceIdsAt(use, priceIds);
  let source: Promise<RateSource> | null = null;
  const load = async (): Promise<RateSource> => {
    const { CoinGeckoSource, KrakenSource } = await import('../../adapters/rates/index.ts');
    if (setting.use === 'kraken') return new KrakenSource(clock, { ...setting, pairs: { ...known, ...setting.pairs } });
    return new CoinGeckoSource(clock, { ...setting, ids: { ...known, ...setting.ids } });
  };
  return { name: use, fetch: async (symbols, signal) => (await (source ??= load())).fetch(symbols, signal) };
}
