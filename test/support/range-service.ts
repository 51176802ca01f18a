import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to a {@link FakeRangeService}. */
export type RangeQuestion = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/**
 * The range protocol of Have I Been Pwned on loopback: real HTTP, upper-case hashes, padding lines with a count of 0.
 */
export interface FakeRangeService {
  /** The URL including the path before the digits. */
  readonly url: string;
  readonly asked: RangeQuestion[];
  /** Answers instead of the service; `null` for the service itself. */
  answer: ((response: ServerResponse) => void) | null;
  close(): Promise<void>;
}

const sha1 = (text: string): string => createHash('sha1').update(text, 'utf8').digest('hex').toUpperCase();

/**
 * @param breached - passwords with the number of their breaches
 * @param padding - passwords that answers contain only as padding
 */
export async function startRangeService(
  breached: Readonly<Record<string, number>>,
  padding: readonly string[] = [],
): Promise<FakeRangeService> {
  const counts = [...Object.entries(breached), ...padding.map((text) => [text, 0] as const)];
  const server = createServer((request, response) => {
    fake.asked.push({ method: request.method, url: request.url, headers: request.headers });
    if (fake.answer !== null) fake.answer(response);
    else serve(request.url ?? '', request.headers['add-padding'] === 'true', counts, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const fake: FakeRangeService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/range`,
    asked: [],
    answer: null,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return fake;
}

function serve(
  url: string,
  padded: boolean,
  counts: readonly (readonly [string, number])[],
  response: ServerResponse,
): void {
  const [, range] = /^\/range\/([0-9A-F]{5})$/.exec(url) ?? [];
  if (range === undefined) {
    response.writeHead(400).end('The hash prefix was not in a valid format');
    return;
  }
  const lines = counts
    .map(([text, count]) => [sha1(text), count] as const)
    .filter(([hash, count]) => hash.startsWith(range) && (count > 0 || padded))
    .map(([hash, count]) => `${hash.slice(5)}:${count}`);
  const others = Array.from({ length: 800 }, (_, at) => `${sha1(`${range} ${at}`).slice(5)}:${at % 3}`);
  response.setHeader('content-type', 'text/plain').end([...others, ...lines].join('\r\n'));
}
