import type { RoutePlaces } from '../../core/index.ts';

/** Allows gateways of any host and any upstream. */
export const ANY_PLACE: RoutePlaces = {
  ownHosts: () => [],
  allowPrivateUpstreams: true,
  leadsToRefused: () => Promise.resolve(false),
};
