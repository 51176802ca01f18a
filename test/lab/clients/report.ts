import type { Client } from './clients.ts';
import { FEATURE_NAMES, FEATURES } from './features.ts';
import type { Feature } from './features.ts';

type Outcome = 'yes' | 'FAILED';

/** The outcomes of all clients, each feature a column, with what the clients cannot do below. */
export class Report {
  readonly #outcomes = new Map<string, Map<Feature, Outcome>>();
  readonly #versions = new Map<string, string>();

  /** Does the check, and keeps how it went; what failed on one of the ways through the gateway has failed. */
  async during({ name }: Client, feature: Feature, check: () => Promise<void>): Promise<void> {
    const own = this.#outcomes.get(name) ?? new Map<Feature, Outcome>();
    this.#outcomes.set(name, own);
    const former = own.get(feature) ?? 'yes';
    own.set(feature, 'FAILED');
    await check();
    own.set(feature, former);
  }

  version({ name }: Client, version: string): void {
    this.#versions.set(name, version);
  }

  text(clients: readonly Client[]): string {
    const notes: string[] = [];
    const noted = (text: string): string => {
      if (!notes.includes(text)) notes.push(text);
      return `(${notes.indexOf(text) + 1})`;
    };
    const cell = (client: Client, feature: Feature): string => {
      const without = client.without[feature];
      if (without !== undefined) return `- ${noted(without)}`;
      const outcome = this.#outcomes.get(client.name)?.get(feature) ?? 'not run';
      const note = client.notes[feature];
      return note === undefined ? outcome : `${outcome} ${noted(note)}`;
    };
    const rows = clients.map((client) => [
      [client.name, this.#versions.get(client.name) ?? ''].join(' ').trim(),
      ...FEATURE_NAMES.map((feature) => cell(client, feature)),
    ]);
    const table = aligned([['client', ...FEATURE_NAMES], ...rows]);
    const legend = FEATURE_NAMES.map((feature) => `${feature}: ${FEATURES[feature].title}`);
    return [...table, '', ...legend, '', ...notes.map((note, at) => `(${at + 1}) ${note}`)].join('\n');
  }
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
