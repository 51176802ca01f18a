import { z } from 'zod';
import { ANYBODY, dataOperation, textOperation } from '../operation.ts';
import type { Operation } from '../operation.ts';
import { textReply } from '../replies.ts';

const statusSchema = z.object({ status: z.string() });
const chainsField = z.array(z.string()).optional();
const readinessSchema = statusSchema.extend({
  halted_chains: chainsField,
  lagging_chains: chainsField,
  signer: z.literal('unavailable').optional(),
});
const shared = { method: 'GET', tag: 'Service', auth: ANYBODY } as const;

const livez = dataOperation({
  ...shared,
  id: 'livez',
  path: '/livez',
  summary: 'The process runs',
  description: 'Answers as long as the process can answer (decisions, section 10).',
  data: statusSchema,
  examples: { data: { status: 'ok' } },
  handler: async () => ({ status: 'ok' }),
});

const readyz = dataOperation({
  ...shared,
  id: 'readyz',
  path: '/readyz',
  summary: 'The service can work',
  description:
    '503 while the database is away or the service is shutting down (decisions, section 10); `degraded` while a chain is stopped, or its node lags, downloads its past, has pruned what is to be read or fails, or the signer cannot be asked: everything else goes on.',
  errors: ['NOT_READY'],
  data: readinessSchema,
  examples: { data: { status: 'ok' } },
  handler: async (_call, { readiness }) => {
    const { halted, lagging, signer = null } = (await readiness()) ?? { halted: [], lagging: [] };
    return {
      status: halted.length + lagging.length === 0 && signer === null ? 'ok' : 'degraded',
      ...(halted.length === 0 ? {} : { halted_chains: [...halted] }),
      ...(lagging.length === 0 ? {} : { lagging_chains: [...lagging] }),
      ...(signer === null ? {} : { signer: 'unavailable' as const }),
    };
  },
});

const metrics = textOperation({
  ...shared,
  id: 'metrics',
  path: '/metrics',
  summary: 'Metrics',
  description: 'All metrics in the text format of Prometheus (decisions, section 10).',
  type: 'text/plain',
  handler: async ({ traceId }, { metricsText }) => {
    const { contentType, text } = await metricsText();
    return textReply(contentType, text, traceId);
  },
});

/** The OpenAPI document, written when it is asked for the first time. */
function openApi(document: () => string): Operation {
  let written: string | null = null;
  return textOperation({
    ...shared,
    id: 'openapi',
    path: '/openapi.json',
    summary: 'This document',
    description: 'The OpenAPI 3.1 description of every operation.',
    type: 'application/json',
    handler: async ({ traceId }) => textReply('application/json; charset=utf-8', (written ??= document()), traceId),
  });
}

/** Probes, metrics and the OpenAPI document. */
export function serviceOperations(document: () => string): readonly Operation[] {
  return [livez, readyz, metrics, openApi(document)];
}
