import { elementsOf } from './json-text.ts';
import { plainReply, replyWith } from './reads.ts';

/** The joined answer to a batch, some of whose calls were answered before. */
export interface JoinedBatch {
  readonly text: string;
  /** The new answers by the place of their call in the batch; none where it is not certain which is whose. */
  readonly fresh: ReadonlyMap<number, string>;
}

/** How an id compares: nodes write `1.0` as `1`, and a number beyond 2⁵³ rounded. */
const sameIdAs = (id: string): string => JSON.stringify(JSON.parse(id));

/** True if each call of a batch that wants an answer has an id of its own, so that its answer can be found. */
export function hasDistinctIds(ids: readonly (string | null)[]): boolean {
  const named = ids.filter((id) => id !== null).map(sameIdAs);
  return !named.includes('null') && new Set(named).size === named.length;
}

/** The answer to a batch all of whose calls were answered before. */
export function joinedReplies(ids: readonly (string | null)[], known: readonly (string | null)[]): string {
  return `[${repliesOf(ids, known).join(',')}]`;
}

/**
 * Joins the answers that are known with a node's answer to the other calls, in the order of the calls. Where it is not
 * certain which reply belongs to which call, the node's replies stay as they are, and those that are known follow them.
 *
 * @param ids - of all calls, as JSON text; `null` for a notification
 * @param known - an answer as `answerOf` returns it for each call; `null` for those that the node was asked
 * @param body - the node's answer
 * @returns `null` when the body is no list, and so speaks for the batch as a whole
 */
export function joinBatch(
  ids: readonly (string | null)[],
  known: readonly (string | null)[],
  body: string,
): JoinedBatch | null {
  const asked = ids.some((id, index) => id !== null && known[index] === null);
  // A node answers notifications with nothing.
  const replies = body.trim() === '' && !asked ? [] : listOf(body);
  if (replies === null) return null;
  const fresh = matched(ids, known, replies);
  if (fresh === null) return { text: besides(ids, known, replies), fresh: new Map() };
  const all = known.map((answer, index) => answer ?? fresh.get(index) ?? null);
  return { text: joinedReplies(ids, all), fresh };
}

function listOf(body: string): readonly string[] | null {
  try {
    JSON.parse(body);
  } catch {
    return null;
  }
  return elementsOf(body);
}

/** The replies by the places of their calls; `null` unless each is the only plain reply to one of the calls. */
function matched(
  ids: readonly (string | null)[],
  known: readonly (string | null)[],
  replies: readonly string[],
): ReadonlyMap<number, string> | null {
  const places = new Map<string, number>();
  for (const [index, id] of ids.entries()) if (id !== null && known[index] === null) places.set(sameIdAs(id), index);
  const found = new Map<number, string>();
  for (const reply of replies.map(plainReply)) {
    const place = reply === null ? undefined : places.get(sameIdAs(reply.id));
    if (reply === null || place === undefined || found.has(place)) return null;
    found.set(place, reply.answer);
  }
  return found;
}

/** A reply of the node with the id of a call that it was not asked takes precedence, as without a cache. */
function besides(
  ids: readonly (string | null)[],
  known: readonly (string | null)[],
  replies: readonly string[],
): string {
  const used = new Set(replies.flatMap((reply) => idIn(reply) ?? []));
  const left = known.map((answer, index) => (used.has(sameIdAs(ids[index] ?? 'null')) ? null : answer));
  return `[${[...replies, ...repliesOf(ids, left)].join(',')}]`;
}

function idIn(reply: string): string | null {
  const { id } = (JSON.parse(reply) ?? {}) as { readonly id?: unknown };
  return id === undefined ? null : JSON.stringify(id);
}

const repliesOf = (ids: readonly (string | null)[], answers: readonly (string | null)[]): string[] =>
  answers.flatMap((answer, index) => (answer === null ? [] : replyWith(answer, ids[index] as string)));
