import {
  HttpApi,
  createOperations,
  manageOperations,
  openApiDocument,
  randomTraceId,
  shuttingDown,
} from '../adapters/http/index.ts';
import type { HttpDeps, HttpSettings, Operation, RequestsInProgress } from '../adapters/http/index.ts';
import type { Metrics } from '../core/index.ts';
import { apiDocsOperation } from './api-docs/operation.ts';
import { createCheckout } from './checkout/checkout.ts';
import { dashboardOperations } from './dashboard/dashboard.ts';
import type { TillConfig } from './settings.ts';
import type { Till } from './container.ts';
import { linkOperations } from './links/links.ts';
import { x402Operations } from './x402/x402.ts';
import { topUpOperations } from './top-up/top-up.ts';

/** How a till is offered over HTTP. */
export interface HttpEdge {
  /** How many proxies of one's own stand in front. */
  readonly trustedHops: number;
  readonly isStopping: () => boolean;
  /** Counts the requests, where no server of the till's own does, and refuses them once it is closed. */
  readonly requests?: RequestsInProgress;
  /** Receives the function that ends the event streams of payers' pages; call it before closing the server, or wait for them. */
  readonly onStop?: (end: () => void) => void;
  /** Offers the management API; true by default. */
  readonly manage?: boolean;
  /** Offers the dashboard, which needs the management API; true by default. */
  readonly dashboard?: boolean;
  /** Offers `/metrics`; true by default. */
  readonly metrics?: boolean;
  /** Offers the reference of the API as a page, `/docs`; true by default. */
  readonly docs?: boolean;
  /** Where the paths of the OpenAPI document begin; `/` by default. */
  readonly serverUrl?: string;
}

/** The operations table with the payer's page, the management API and the probes, for whichever binding. */
export function createHttpApi(till: Till, config: TillConfig, edge: HttpEdge): HttpApi {
  const settings = httpSettings(config, edge.trustedHops);
  const checkout = createCheckout(till);
  till.gateway.isBehind(edge.trustedHops);
  edge.onStop?.(() => checkout.close());
  const docs = apiDocsOperation(() => openApiDocument(operations, edge.serverUrl));
  const extra = [
    ...checkout.operations,
    ...linkOperations(till, config.mode === 'production'),
    ...x402Operations({ pulls: till.requestPull, payerWritesPerMinute: settings.payerWritesPerMinute }),
    ...(config.gateway.sales === null ? [] : topUpOperations(till.topUps)),
    ...(edge.docs === false ? [] : [docs]),
    ...(edge.manage === false ? [] : managementOperations(till, config)),
    ...(edge.manage === false || edge.dashboard === false ? [] : dashboardOperations(till)),
  ];
  const operations: readonly Operation[] = createOperations(settings, extra, {
    without: edge.metrics === false ? ['metrics'] : [],
    ...(edge.serverUrl === undefined ? {} : { serverUrl: edge.serverUrl }),
  });
  return new HttpApi(operations, {
    ...httpDeps(till, settings, edge.isStopping),
    choosePayment: checkout.choosePayment,
    ...(edge.requests !== undefined && { requests: edge.requests }),
  });
}

function httpSettings({ mode, serviceName, limits, callbacks }: TillConfig, trustedHops: number): HttpSettings {
  return {
    serviceName,
    secureCookies: mode === 'production',
    sandbox: mode === 'sandbox',
    pageMax: 100,
    requestsPerMinute: limits.requestsPerMinute,
    loginsPerMinute: limits.loginsPerMinute,
    payerWritesPerMinute: limits.payerWritesPerMinute,
    trustedHops,
    allowPrivateNetworks: callbacks.allowPrivateNetworks,
    callbackHosts: callbacks.hosts,
  };
}

function httpDeps(till: Till, settings: HttpSettings, isStopping: () => boolean): HttpDeps {
  const { storage } = till;
  return {
    ...till,
    settings,
    orders: storage.orders,
    metricsText: async () => {
      till.gateway.flush();
      return metricsText(till.metrics);
    },
    readiness: async () => {
      if (isStopping()) throw shuttingDown();
      await storage.ping();
      const states = await till.chainReports.refresh();
      return {
        halted: states.filter(({ haltedReason }) => haltedReason !== null).map(({ chain }) => chain),
        lagging: states.filter(({ trouble }) => trouble !== null).map(({ chain }) => chain),
        signer: (await till.wallet.problem?.()) ?? null,
      };
    },
    traceId: randomTraceId,
    ...(till.tracing !== null && { trace: till.tracing.request }),
  };
}

/** Metrics that can be written out for Prometheus. */
export interface ReadableMetrics extends Metrics {
  /** Everything measured, in Prometheus' text format. */
  text(): Promise<string>;
  /** The content type of {@link ReadableMetrics.text}. */
  readonly contentType: string;
}

/** The metrics as a page for Prometheus; empty where they cannot be read, as an application's own. */
export async function metricsText(metrics: Metrics): Promise<{ readonly contentType: string; readonly text: string }> {
  return isReadable(metrics)
    ? { contentType: metrics.contentType, text: await metrics.text() }
    : { contentType: 'text/plain', text: '' };
}

function isReadable(metrics: Metrics): metrics is ReadableMetrics {
  return 'text' in metrics && 'contentType' in metrics;
}

/** The management API (decisions, section 9). */
function managementOperations({ manage, assets }: Till, { mode, limits, callbacks }: TillConfig): readonly Operation[] {
  const settings = {
    pageMax: 100,
    loginsPerMinute: limits.loginsPerMinute,
    secureCookies: mode === 'production',
    sandbox: mode === 'sandbox',
    allowPrivateNetworks: callbacks.allowPrivateNetworks,
    callbackHosts: callbacks.hosts,
  };
  return manageOperations({ manage, assets, settings });
}
