import { failures, valueAt } from './check-reads.ts';
import { parsed, signatureFailure } from './shop.ts';
import type { Shop } from './shop.ts';
import type { Act, EventType, Json, Plugin, Read, RecordedPage, RecordedRequest, Step, Story } from './recorded.ts';

/** What a merchant's browser posts to the shop after the merchant agreed, name by name and in its order. */
export type FormPost = readonly (readonly [name: string, value: string])[];

/** What an act is about. */
export interface ActedOn {
  readonly id: string;
  readonly checkoutLink: string;
  /** The page where a refund is claimed, in a story that has one by then. */
  readonly viewLink: string | undefined;
}

/** The server that a story is told to, and those who act in it besides the shop. */
export interface World {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** For plugins whose merchant types it in, and until a key came by `authorize`. */
  readonly apiKey: string;
  readonly storeId: string;
  readonly shop: Shop;
  /** Returns when the act is done: a payment is sent (it may still be unconfirmed), or an invoice has reached its end. */
  act(act: Act, invoice: ActedOn): Promise<void>;
  /** While an event is waited for: the server sends what is due, where that is not by itself. */
  work(): Promise<void>;
  /** The merchant opens this link, agrees to all of it, and the browser posts a form: its fields. */
  authorize(link: string): Promise<{ readonly to: string; readonly form: FormPost }>;
}

/** Where a server does not give what a plugin reads. */
export interface Mismatch {
  readonly story: string;
  readonly step: string;
  readonly what: string;
}

let told = 0;

/**
 * Tells a plugin's story to a server over HTTP, and compares each answer, event and page with what the plugin reads.
 * A story ends at the first step that leaves the next ones without what they need.
 *
 * @returns every mismatch; empty when the plugin would be served
 */
export async function runStory(plugin: Plugin, story: Story, world: World): Promise<readonly Mismatch[]> {
  told += 1;
  const teller = new Teller(plugin, story, world, `/events/${told}`);
  for (const step of story.steps) if (!(await teller.tell(step))) break;
  return teller.mismatches;
}

class Teller {
  readonly mismatches: Mismatch[] = [];
  readonly #plugin: Plugin;
  readonly #story: Story;
  readonly #world: World;
  readonly #known: Map<string, string>;

  constructor(plugin: Plugin, story: Story, world: World, path: string) {
    this.#plugin = plugin;
    this.#story = story;
    this.#world = world;
    this.#known = new Map([
      ...([
        ['baseUrl', world.baseUrl],
        ['apiKey', world.apiKey],
        ['storeId', world.storeId],
      ] as [string, string][]),
      ...([
        ['shopUrl', world.shop.url],
        ['webhookUrl', `${world.shop.url}${path}`],
      ] as [string, string][]),
    ]);
  }

  /** @returns whether the story can go on */
  async tell(step: Step): Promise<boolean> {
    const name = nameOf(step);
    try {
      if ('request' in step) return await this.#request(step.request);
      if ('event' in step) return await this.#event(step.event, step.reads ?? []);
      if ('page' in step) return await this.#page(step.page);
      if ('act' in step)
        await this.#world.act(step.act, {
          ...{ id: this.#get('invoiceId'), checkoutLink: this.#get('checkoutLink') },
          viewLink: this.#known.get('viewLink'),
        });
      else await this.#authorize();
      return true;
    } catch (error) {
      this.#note(name, error instanceof Error ? error.message : String(error));
      return false;
    }
  }

  async #request(request: RecordedRequest): Promise<boolean> {
    const query = new URLSearchParams(request.query?.map(([name, value]) => [name, this.#fill(value)])).toString();
    const path = this.#fill(request.path, encodeURIComponent);
    const response = await fetch(`${this.#world.baseUrl}${path}${query === '' ? '' : `?${query}`}`, {
      method: request.method,
      headers: this.#headers({ ...this.#plugin.headers, ...request.headers }),
      ...(request.body === undefined ? {} : { body: JSON.stringify(this.#filled(request.body)) }),
      redirect: 'manual',
    });
    const text = await response.text();
    const where = `${request.method} ${request.path} (${request.name})`;
    if (![request.expect.status].flat().includes(response.status)) {
      this.#note(
        where,
        `status ${[request.expect.status].flat().join(' or ')} is needed, but it is ${response.status}: ${text.slice(0, 300)}`,
      );
      return false;
    }
    const { reads, keeps = {} } = request.expect;
    if (reads.length === 0 && Object.keys(keeps).length === 0) return true;
    let answer: unknown;
    try {
      answer = JSON.parse(text);
    } catch {
      this.#note(where, `JSON is needed, but it is ${text.slice(0, 300)}`);
      return false;
    }
    for (const failure of failures(answer, this.#reads(reads))) this.#note(where, failure);
    return Object.entries(keeps).every(([name, place]) => this.#keep(where, name, valueAt(answer, place)));
  }

  #keep(where: string, name: string, value: unknown): boolean {
    if (typeof value === 'string' && value !== '') {
      this.#known.set(name, value);
      return true;
    }
    this.#note(where, `the next steps need a text for ${name}`);
    return false;
  }

  async #event(type: EventType, more: readonly Read[]): Promise<boolean> {
    const where = `event ${type}`;
    const { pathname } = new URL(this.#get('webhookUrl'));
    const delivery = await this.#world.shop.next({
      ...{ type, invoiceId: this.#get('invoiceId'), pathname },
      meanwhile: () => this.#world.work(),
    });
    const wrong = signatureFailure(delivery, this.#plugin.signature, this.#get('webhookSecret'));
    if (wrong !== null) this.#note(where, wrong);
    const reads = this.#plugin.events.find((event) => event.type === type)?.reads ?? [];
    for (const failure of failures(parsed(delivery), this.#reads([...reads, ...more]))) this.#note(where, failure);
    return true;
  }

  async #page({ name, path, expect }: RecordedPage): Promise<boolean> {
    const response = await fetch(new URL(this.#fill(path), `${this.#world.baseUrl}/`), { redirect: 'manual' });
    const text = await response.text();
    const where = `page ${path} (${name})`;
    if (![expect.status].flat().includes(response.status)) this.#note(where, `status is ${response.status}`);
    const type = response.headers.get('content-type') ?? '';
    if (expect.contentType !== undefined && !type.includes(expect.contentType))
      this.#note(where, `Content-Type is ${type}`);
    for (const part of expect.contains ?? []) if (!text.includes(part)) this.#note(where, `it has no ${part}`);
    return true;
  }

  async #authorize(): Promise<void> {
    const { authorization } = this.#plugin;
    if (authorization === null) return;
    const asked = authorization.query.map(([name, value]): [string, string] => [name, this.#fill(value)]);
    const link = `${this.#world.baseUrl}${authorization.path}?${new URLSearchParams(asked).toString()}`;
    const { to, form } = await this.#world.authorize(link);
    const redirect = asked.find(([name]) => name === 'redirect')?.[1];
    if (to !== redirect) this.#note('authorize', `the form is posted to ${to}, not to ${redirect}`);
    const values = (name: string): string[] => form.flatMap(([field, value]) => (field === name ? [value] : []));
    const fields = { apiKey: values('apiKey')[0], permissions: values('permissions[]'), userId: values('userId')[0] };
    for (const failure of failures(fields, this.#reads(authorization.reads))) this.#note('authorize', failure);
    const { required, optional, others } = authorization.permissions;
    const given = fields.permissions.map((permission) => permission.split(':')[0] ?? '');
    for (const missing of required.filter((one) => !given.includes(one)))
      this.#note('authorize', `${missing} is missing`);
    if (others === 'refused')
      for (const extra of given.filter((one) => ![...required, ...optional].includes(one)))
        this.#note('authorize', `${extra} was not asked for`);
    const storeId = fields.permissions[0]?.split(':')[1];
    if (fields.apiKey === undefined || storeId === undefined) throw new Error('no key of a store came back');
    this.#known.set('apiKey', fields.apiKey).set('storeId', storeId);
  }

  #note(step: string, what: string): void {
    this.mismatches.push({ story: `${this.#plugin.name}, ${this.#story.name}`, step, what });
  }

  #get(name: string): string {
    const value = this.#known.get(name);
    if (value === undefined) throw new Error(`the story has no ${name} yet`);
    return value;
  }

  #headers(headers: Readonly<Record<string, string>>): Record<string, string> {
    const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), this.#fill(value)] as const);
    return Object.fromEntries(named);
  }

  #fill(text: string, encode: (value: string) => string = (value) => value): string {
    return text.replaceAll(/\{([a-z][A-Za-z]*)(_?)\}/g, (_all, name: string, bent: string) => {
      const value = this.#get(name);
      return encode(bent === '' ? value : value.replaceAll('-', '_'));
    });
  }

  #filled(value: Json): Json {
    if (typeof value === 'string') return this.#fill(value);
    if (Array.isArray(value)) return value.map((item) => this.#filled(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.#filled(item)]));
  }

  /** A pattern has braces of its own, and no placeholder. */
  #reads(reads: readonly Read[]): Read[] {
    return reads.map((read) =>
      read.is === 'matches' ? read : (this.#filled(read as unknown as Json) as unknown as Read),
    );
  }
}

function nameOf(step: Step): string {
  if ('request' in step) return `${step.request.method} ${step.request.path} (${step.request.name})`;
  if ('event' in step) return `event ${step.event}`;
  if ('page' in step) return `page ${step.page.path} (${step.page.name})`;
  return 'act' in step ? step.act : 'authorize';
}
