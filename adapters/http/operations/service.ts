import { z } from 'zod';
import { CompressedText } from '../compressed-text.ts';
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
  summary: 'Check liveness',
  description: 'Answers as long as the process can answer requests.',
  data: statusSchema,
  examples: { data: { status: 'ok' } },
  handler: async () => ({ status: 'ok' }),
});

const readyz = dataOperation({
  ...shared,
  id: 'readyz',
  path: '/readyz',
  summary: 'Check readiness',
  description:
    'Answers 503 while the service shuts down, or while the database cannot be reached or written to (probed at most every five seconds). `degraded` means that the service works, but a chain is stopped or has not been read for a minute, its node lags, synchronises, has pruned needed blocks or fails, or the signer cannot be reached.',
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
  summary: 'Retrieve metrics',
  description: 'Returns all metrics in the Prometheus text format.',
  type: 'text/plain',
  handler: async ({ traceId }, { metricsText }) => {
    const { contentType, text } = await metricsText();
    return textReply(contentType, text, traceId);
  },
});

/** Serves the OpenAPI document, which is written at the first request. */
function openApi(document: () => string): Operation {
  let written: CompressedText | null = null;
  return textOperation({
    ...shared,
    id: 'openapi',
    path: '/openapi.json',
    summary: 'Retrieve the OpenAPI document',
    description: 'Returns the OpenAPI 3.1 description of every operation.',
    type: 'application/json',
    handler: async ({ request, traceId }) => {
      const { headers, body } = await (written ??= new CompressedText(document())).reply(request);
      return { ...textReply('application/json; charset=utf-8', '', traceId, headers), body };
    },
  });
}

/** Probes, metrics and the OpenAPI document. */
export function serviceOperations(document: () => string): readonly Operation[] {
  return [livez, readyz, metrics, openApi(document)];
}
