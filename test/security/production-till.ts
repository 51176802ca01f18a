import type { HttpClient, SentHeaders } from '../support/http.ts';
import { openTestStorage } from '../support/storage.ts';
import type { TestStorage } from '../support/storage.ts';
import { startTestTill } from '../support/till.ts';
import type { TestTill, TestTillOptions } from '../support/till.ts';

type Settings = NonNullable<TestTillOptions['settings']>;

/** The public address of a {@link ProductionTill}. */
export const SITE = 'https://pay.example.com';
const PRODUCTION: Settings = {
  mode: 'production',
  baseUrl: SITE,
  plugins: [],
  rates: { sources: [{ use: 'static', prices: { ETH: '2500', USD: '1' } }] },
  limits: { loginsPerMinute: 1000 },
};

/** A till in production mode, for attacks by HTTP. */
export interface ProductionTill {
  readonly store: TestStorage;
  readonly till: TestTill;
  /** How many clients were made. */
  readonly clients: number;
  /** A client that sends these headers with each request; closed with the till. */
  client(headers: SentHeaders): HttpClient;
  close(): Promise<void>;
}

/** Starts one with its storage, which is SQLite unless one is given. */
export async function startProductionTill({
  settings = {},
  store: given,
  ...options
}: TestTillOptions & { readonly store?: TestStorage } = {}): Promise<ProductionTill> {
  const store = given ?? (await openTestStorage('sqlite'));
  const till = await startTestTill(store, { ...options, settings: { ...PRODUCTION, ...settings } });
  const clients: HttpClient[] = [];
  return {
    store,
    till,
    get clients() {
      return clients.length;
    },
    client: (headers) => {
      const client = till.client.with(headers);
      clients.push(client);
      return client;
    },
    close: async () => {
      for (const client of clients) client.close();
      await till.close();
      await store.close();
    },
  };
}
