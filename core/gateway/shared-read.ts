import type { JsonRpcRequest } from './json-rpc.ts';
import { membersOf } from './json-text.ts';
import { isRead } from './method-policy.ts';

const REQUEST: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);

/**
 * A key of reads that get the same answer: method and parameters, exactly as received. `null` for requests that must be
 * answered separately: batches, notifications, calls that may have an effect, and requests with further members.
 */
export function sharedReadKey({ batch, methods, ids, text }: JsonRpcRequest): string | null {
  const [method = ''] = methods;
  const [id = null] = ids;
  if (batch || id === null || id === 'null' || !isRead(method)) return null;
  const members = membersOf(text);
  if (members?.get('jsonrpc') !== '"2.0"') return null;
  for (const name of members.keys()) if (!REQUEST.has(name)) return null;
  return `${method}\n${members.get('params') ?? ''}`;
}

/**
 * The result or error of a reply as received, without the id of its request. `null` for anything but a plain reply to
 * the request with this id.
 *
 * @param id - as JSON text
 */
export function sharedAnswer(text: string, id: string): string | null {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  const members = membersOf(text);
  if (members?.size !== 3 || members.get('jsonrpc') !== '"2.0"' || members.get('id') !== id) return null;
  for (const name of ['result', 'error']) {
    const value = members.get(name);
    if (value !== undefined) return `"${name}":${value}`;
  }
  return null;
}

/** The reply to the request with this id. @param answer - as {@link sharedAnswer} returns it */
export function replyWith(answer: string, id: string): string {
  return `{"jsonrpc":"2.0","id":${id},${answer}}`;
}
