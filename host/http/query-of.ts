import type { HttpRequest } from '../../adapters/http/index.ts';

/** The query parameters of a request's target; empty for most requests. */
export function queryOf({ target }: HttpRequest): URLSearchParams {
  const mark = target.indexOf('?');
  return mark === -1 ? NO_QUERY : new URLSearchParams(target.slice(mark));
}

const NO_QUERY = new URLSearchParams();
